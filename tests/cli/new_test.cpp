// SPDX-License-Identifier: MIT
// concord new and the manual pages. That the projects build, pass and train is tests/package/check-new.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "commands.hpp"

namespace cli::new_test {
namespace {

std::string new_folder(const std::string& name) {
  const std::string folder = scratch() + "/" + name;
  fs::remove_all(folder);
  return folder;
}

/// Empty if there is no such file.
std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("new fills in kind, name and version everywhere") {
  for (const std::string kind : {"decoder", "loss", "rounding"}) {
    const std::string folder = new_folder("new-" + kind);
    const Ran ran = concord({"new", kind, "my-own-2", folder});
    REQUIRE(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("concord check " + folder + "/build/" + kind + "-my-own-2.so"));
    std::set<std::string> names;
    for (const fs::path& file : files_below(folder)) {
      names.insert(fs::relative(file, folder).string());
      const std::string text = text_of(file);
      INFO(file);
      CHECK_FALSE(text.empty());
      CHECK_THAT(text, !Contains("skeleton", Catch::CaseSensitive::No));
    }
    CHECK(names == std::set<std::string>{".github/workflows/check.yml", ".gitignore", "CMakeLists.txt",
                                         "README.md", "my-own-2.cpp", "train.toml"});
    CHECK_THAT(
        text_of(folder + "/my-own-2.cpp"),
        Contains("class MyOwn2" + std::string(1, static_cast<char>(kind[0] - 'a' + 'A')) + kind.substr(1)));
    CHECK_THAT(text_of(folder + "/CMakeLists.txt"),
               Contains("concord_add_plugin(" + kind + " my-own-2 my-own-2.cpp)"));
  }
}

TEST_CASE("new makes a project of an SDP backend with its worker") {
  const std::string folder = new_folder("new-sdp");
  const Ran ran = concord({"new", "sdp-backend", "my-own-2", folder});
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("a project for decoder/my-own-2") &&
                          Contains("concord check " + folder + "/build/plugins/decoder-my-own-2.so"));
  std::set<std::string> names;
  for (const fs::path& file : files_below(folder)) {
    names.insert(fs::relative(file, folder).string());
    INFO(file);
    CHECK_THAT(text_of(file), !Contains("skeleton", Catch::CaseSensitive::No));
  }
  CHECK(names == std::set<std::string>{".github/workflows/check.yml", ".gitignore", "CMakeLists.txt",
                                       "README.md", "my-own-2-worker.cpp", "my-own-2.cpp", "solver.hpp",
                                       "solver_test.cpp", "train.toml"});
  CHECK_THAT(text_of(folder + "/CMakeLists.txt"),
             Contains("concord_add_sdp_worker(my-own-2 my-own-2-worker my-own-2-worker.cpp)"));
}

TEST_CASE("new refuses what it cannot make a project of, and writes nothing") {
  const auto refused = [](const std::vector<std::string>& words, const std::string& sentence) {
    INFO(sentence);
    const Ran ran = concord(words);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(sentence));
  };
  const std::string folder = new_folder("new-refused");
  for (const std::string name :
       {"Mine", "my_name", "-mine", "mine-", "my--name", "a/b", "..", "mine.so", "m\xc3\xafne"})
    refused({"new", "decoder", "--", name, folder}, "'" + name + "' is not a name for a plugin");
  refused({"new", "decoder", std::string(65, 'a'), folder}, "at most 64 characters");
  refused({"new", "decoders", "mine", folder}, "'decoders' is not a kind of plugin; did you mean decoder?");
  refused({"new", "decoder", "mine"}, "dir is missing");
  refused({"new"}, "kind is missing");
  refused({"new", "decoder", "mine", folder, "more"}, "too many arguments");
  CHECK_FALSE(fs::exists(folder));

  const std::string file = scratch_file("new-file", "text");
  refused({"new", "decoder", "mine", file}, "is a file");
  fs::create_directory(folder);
  scratch_file("new-refused/kept", "text");
  refused({"new", "decoder", "mine", folder}, "is not empty");
  CHECK(files_below(folder).size() == 1);
  fs::remove(folder + "/kept");
  CHECK(concord({"new", "decoder", "mine", folder}).exit_code == 0);
  const Ran below_file = concord({"new", "decoder", "mine", file + "/below"});
  CHECK(below_file.exit_code == 4);
  CHECK_THAT(below_file.err, Contains(file));
}

TEST_CASE("the manual has a page for every verb with every option of its help") {
  const std::string folder = new_folder("man");
  fs::create_directory(folder);
  REQUIRE(concord({"help", "--man", folder}).exit_code == 0);
  const auto verbs_of = [](const std::string& help) {
    std::vector<std::string> verbs;
    const std::regex line("\n  ([a-z]+) +[^\n]*");
    const std::string part = help.substr(0, help.find("\nExit codes"));
    for (std::sregex_iterator at(part.begin(), part.end(), line), end; at != end; ++at)
      verbs.push_back((*at)[1]);
    return verbs;
  };
  std::vector<std::vector<std::string>> commands;
  for (const std::string& verb : verbs_of(concord({"--help"}).out)) commands.push_back({verb});
  REQUIRE(commands.size() >= 10);
  for (const std::string& verb : verbs_of(concord({"data", "--help"}).out))
    commands.push_back({"data", verb});
  REQUIRE(commands.size() >= 15);

  const std::string overview = text_of(folder + "/man1/concord.1");
  for (std::vector<std::string> command : commands) {
    std::string name = "concord";
    for (const std::string& word : command) name += "-" + word;
    const std::string page = text_of(folder + "/man1/" + name + ".1");
    INFO(name);
    if (command.size() == 1) CHECK_THAT(overview, Contains("\n.B " + command[0] + "\n"));
    if (command == std::vector<std::string>{"data"}) continue;
    command.emplace_back("--help");
    const std::string help = concord(command).out;
    const std::regex option("\n  (?:-h \\[ )?--([a-z-]+)");
    int options = 0;
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at, ++options)
      CHECK_THAT(page, Contains("\n.B \\-\\-" + std::regex_replace((*at)[1].str(), std::regex("-"), "\\-")));
    CHECK(options >= 1);
  }
  CHECK_THAT(text_of(folder + "/man1/concord-data-generate.1"), Contains("(default: 0)"));
  CHECK_THAT(text_of(folder + "/man7/concord-options.7"), Contains(".SH DECODER/SDP\\-MIXING") &&
                                                              Contains("\n.B tol\n") &&
                                                              Contains(".SH ROUNDING/TOP\\-K"));
  CHECK(concord({"help", "--man", "/dev/null"}).exit_code == 4);
}

}  // namespace cli::new_test
