// SPDX-License-Identifier: MIT
#pragma once
// Tables of wrong files, in refusals/: the text, where it is wrong, and words of its refusal.
#include <catch2/catch.hpp>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/places.hpp"

namespace concord::test {

struct Refusal {
  std::string text;
  std::string place;  // LINE:COLUMN
  std::vector<std::string> words;
};

/// What \n, \t, \r, \\ and \xHH stand for in a table.
inline std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char letter = text.at(++i);
    if (letter == 'x') {
      unsigned byte = 0;
      REQUIRE(std::from_chars(&text.at(i + 1), &text.at(i + 2) + 1, byte, 16).ec == std::errc());
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += letter == 'n' ? '\n' : letter == 't' ? '\t' : letter == 'r' ? '\r' : letter;
    }
  }
  return out;
}

/// The rows of a table, after `rows` that are too long for it. HEAD at the beginning of a text stands for `head`.
inline std::vector<Refusal> refusals(const std::string& table, std::vector<Refusal> rows = {},
                                     const std::string& head = {}) {
  std::ifstream in(places::tests() + "/unit/refusals/" + table);
  REQUIRE(in.good());
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> fields;
    size_t begin = 0;
    for (size_t end = 0; (end = line.find(" | ", begin)) != std::string::npos; begin = end + 3)
      fields.push_back(unescaped(line.substr(begin, end - begin)));
    fields.push_back(unescaped(line.substr(begin)));
    CAPTURE(table, fields);
    REQUIRE(fields.size() >= 3);
    if (fields[0].starts_with("HEAD")) fields[0] = head + fields[0].substr(4);
    rows.push_back({fields[0], fields[1], {fields.begin() + 2, fields.end()}});
  }
  return rows;
}

inline void check_message(const Refusal& row, const std::string& file, const std::string& message) {
  CAPTURE(row.text, message);
  CHECK_THAT(message, Catch::StartsWith(file + ":" + row.place + ": "));
  for (const std::string& word : row.words) CHECK_THAT(message, Catch::Contains(word));
}

}  // namespace concord::test
