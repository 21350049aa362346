// SPDX-License-Identifier: MIT
#pragma once
// What the tests of the command line share beside running it: a small problem, broken plugins, decode.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "tests/unit/places.hpp"

namespace cli {

using Catch::Contains;
using Catch::StartsWith;
using nlohmann::json;
namespace fs = std::filesystem;

/// Three labels.
inline std::string small() {
  return scratch_file("small.json",
                      R"({"A": [[0, -0.5, 0.8], [-0.5, 0, 0.3], [0.8, 0.3, 0]], "b": [0.2, -0.1, 0.7]})");
}

/// The file of tests/fakes that breaks the contract in this way.
inline std::string fake(const std::string& name, const std::string& kind = "decoder") {
  return places::fakes() + "/" + kind + "-" + name + ".so";
}

/// A refusal: nothing on standard output, and this sentence on standard error. 2 is bad input or usage.
inline void refused(const std::vector<std::string>& words, const std::string& sentence, int code = 2) {
  const Ran ran = concord(words);
  INFO(ran.err);
  CHECK(ran.exit_code == code);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, Contains(sentence));
}

/// The JSON that a command prints, which must succeed.
inline json json_of(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Ran ran = concord(words);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  return json::parse(ran.out);
}

inline std::vector<std::string> decode_words(const std::string& problem, const std::string& decoder,
                                             std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"decode", "--problem", problem, "--decoder", decoder});
  return more;
}
inline Ran decode(const std::string& problem, const std::string& decoder,
                  std::vector<std::string> more = {}) {
  return concord(decode_words(problem, decoder, std::move(more)));
}
inline json decode_json(const std::string& problem, const std::string& decoder,
                        std::vector<std::string> more = {}) {
  return json_of(decode_words(problem, decoder, std::move(more)));
}

}  // namespace cli
