// SPDX-License-Identifier: MIT
// Errors as programs see them: the exit code, and with --json one object on standard output.
#include "commands.hpp"

namespace cli::errors_test {
namespace {

struct Refusal {
  int exit_code;
  json error;
};

/// Runs the verb with --json and returns what it says of its failure.
Refusal refusal(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Ran ran = concord(words);
  INFO(ran.out << ran.err);
  const json object = json::parse(ran.out);
  REQUIRE(object.size() == 1);
  const json& error = object.at("error");
  for (const char* field : {"kind", "subject", "place", "reason", "remedy", "text"})
    REQUIRE(error.at(field).is_string());
  CHECK(ran.err.find(error.at("reason").get<std::string>()) != std::string::npos);  // people read it, too
  return {ran.exit_code, error};
}

}  // namespace

TEST_CASE("errors: a missing file is an I/O failure in every verb") {
  const std::string missing = scratch() + "/missing";
  const std::string config = scratch_file("missing-data.toml", "[data]\ntrain = \"nowhere.arff\"\n");
  const std::vector<std::vector<std::string>> commands = {
      {"decode", "--problem", missing + ".json", "--decoder", "exhaustive"},
      {"train", missing + ".toml", "--model", scratch() + "/m"},
      {"train", config, "--model", scratch() + "/m"},
      {"evaluate", "--model", missing, "--data", missing},
      {"data", "info", missing + ".arff"},
      {"compare", missing + ".toml", "--out", scratch() + "/out"},
  };
  for (const auto& command : commands) {
    INFO(command[0] << " " << command[1]);
    const Refusal refused = refusal(command);
    CHECK(refused.exit_code == 4);
    CHECK(refused.error.at("kind") == "io");
    CHECK(refused.error.at("reason") == "No such file or directory");
  }
}

TEST_CASE("errors: --json says where and what") {
  const std::string file = scratch_file("ragged.json", "{\"A\": [[0, 1], [1]], \"b\": [0, 0]}");
  const Refusal ragged = refusal({"decode", "--problem", file, "--decoder", "exhaustive"});
  CHECK(ragged.exit_code == 2);
  CHECK(ragged.error.at("kind") == "input");
  CHECK(ragged.error.at("subject") == file);
  CHECK(ragged.error.at("place").get<std::string>().starts_with(file + ":1:"));
  CHECK(ragged.error.at("text") ==
        ragged.error.at("place").get<std::string>() + ": " + ragged.error.at("reason").get<std::string>());

  const std::string problem = scratch_file("pair.json", "{\"A\": [[0, 1], [1, 0]], \"b\": [1, 0]}");
  const Refusal unknown = refusal({"decode", "--problem", problem, "--decoder", "nobody"});
  CHECK(unknown.exit_code == 3);
  CHECK(unknown.error.at("kind") == "unavailable");
  const Refusal repulsive = refusal({"decode", "--problem", problem, "--decoder", "min-cut"});
  CHECK(repulsive.exit_code == 2);
  CHECK(repulsive.error.at("kind") == "unsupported");
}

}  // namespace cli::errors_test
