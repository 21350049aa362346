// SPDX-License-Identifier: MIT
#pragma once
// Tables of wrong files: the text, where it is wrong, and words of its refusal.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace concord::test {

struct Refusal {
  std::string text;
  std::string place;  // LINE:COLUMN
  std::vector<std::string> words;
};

inline void check_message(const Refusal& row, const std::string& file, const std::string& message) {
  CAPTURE(row.text, message);
  CHECK_THAT(message, Catch::StartsWith(file + ":" + row.place + ": "));
  for (const std::string& word : row.words) CHECK_THAT(message, Catch::Contains(word));
}

}  // namespace concord::test
