// SPDX-License-Identifier: MIT
// How plugins are found, refused, listed and described.
#include <fstream>
#include <sys/stat.h>

#include "commands.hpp"
#include "tests/unit/places.hpp"

namespace cli::plugins_test {
namespace {

std::string consumer(const std::string& variant, const std::string& name) {
  return places::consumers() + "/" + variant + "/decoder-" + name + ".so";
}

}  // namespace

TEST_CASE("six refusals of a plugin are six sentences") {
  const auto refused = [](const std::string& decoder, int code, const std::string& sentence) {
    const Ran ran = decode(small(), decoder);
    INFO(decoder << "\n" << ran.err);
    CHECK(ran.exit_code == code);
    CHECK_THAT(ran.err, Contains(sentence));
    CHECK(ran.out.empty());
  };
  refused("/nowhere/decoder-x.so", 3, "no such file");
  refused("nothing-like-it", 3, "'concord plugins' lists what is there");
  refused(fake("undefined-symbol"), 3, "function_of_a_missing_library");
  refused(scratch_file("decoder-text.so", "not a library"), 3, "cannot load");
  refused("/lib/x86_64-linux-gnu/libm.so.6", 3,
          "is not a Concord plugin: it does not export 'concord_plugin'");
  refused(fake("magic"), 3, "is not a Concord plugin: its table does not start with the magic number");
  refused(fake("no-table"), 3, "its table is missing");
  refused(fake("entry-throws"), 3, "its function 'concord_plugin' throws");
  refused(fake("abi"), 3, "plugin ABI 41, and this host speaks ABI 1");
  refused(fake("table"), 3, "it has no version of one line; it has no summary of one line");
  refused(fake("older-header"), 3, "it has no functions");
  refused(fake("option-default"), 3, "'5' is not valid");
  refused(fake("probe"), 3, "present but not usable here: no licence: set FAKE_LICENCE_FILE");
  refused(fake("unsupported"), 2, "cannot solve this problem: the prior is not banded");
  refused("modular", 2, "it needs A = 0, and labels 0 and 1 are coupled");
  const Ran kind =
      concord({"decode", "--problem", small(), "--decoder", "exhaustive", "--rounding", fake("faultless")});
  CHECK(kind.exit_code == 2);
  CHECK_THAT(kind.err, Contains("is a decoder, and a rounding is needed here"));
}

TEST_CASE("plugins lists everything and survives all of them") {
  const Ran ran = concord({"plugins", "--json", "--plugin-dir", places::fakes()});
  REQUIRE(ran.exit_code == 0);
  std::map<std::string, json> by_name;
  const json listing = json::parse(ran.out);
  for (const auto& row : listing["plugins"]) {
    for (const char* key : {"kind", "name", "version", "path", "status", "reason", "capabilities"})
      CHECK(row.contains(key));
    by_name[row["name"]] = row;
  }
  CHECK(by_name["exhaustive"]["status"] == "ok");
  CHECK(by_name["exhaustive"]["capabilities"]["max_labels"] == 24);
  CHECK(by_name["faultless"]["status"] == "ok");
  CHECK(by_name["before-extensions"]["status"] == "ok");
  CHECK(by_name["extension"]["status"] == "ok");
  CHECK(by_name["probe"]["status"] == "unusable");
  const auto refused = [&](const char* name, const char* sentence) {
    CHECK(by_name[name]["status"] == "refused");
    CHECK_THAT(by_name[name]["reason"].get<std::string>(), Contains(sentence));
  };
  refused("crash-on-load", "crashed with SIGABRT");
  refused("exit-on-load", "ended the process with exit code 0");
  refused("hang-on-load", "did not answer within 10 s");
  refused("abi", "ABI 41");
  refused("other-name", "calls itself decoder/someone-else");
  refused("undefined-symbol", "function_of_a_missing_library");
}

TEST_CASE("references are listed after the choices, and say so") {
  const json listing = json::parse(concord({"plugins", "--json"}).out);
  for (const auto& row : listing["plugins"]) {
    const std::string name = row["name"];
    const bool apart = name == "spectral-qep" || name == "min-cut-dual" || name == "submodular-greedy" ||
                       name == "sdp-mosek";
    CAPTURE(name);
    CHECK(row["capabilities"].value("reference", false) == apart);
  }
  const std::string text = concord({"plugins"}).out;
  const size_t heading = text.find("\nreferences for comparison, and what is untested:\n");
  REQUIRE(heading != std::string::npos);
  CHECK(text.find("decoder/spectral-qep") > heading);
  CHECK(text.find("decoder/tv-prox") < heading);
  CHECK(text.find("rounding/top-k") < heading);
  CHECK_THAT(concord({"describe", "decoder/spectral-qep"}).out, Contains("reference              yes"));
}

TEST_CASE("a plugin loads with a table from before extensions, without any and with some") {
  for (const char* name : {"before-extensions", "faultless", "extension"}) {
    CAPTURE(name);
    CHECK(concord({"decode", "--problem", small(), "--decoder", fake(name)}).exit_code == 0);
  }
}

TEST_CASE("the first of a name wins, and the shadowed are listed") {
  const std::string folder = scratch() + "/shadow";
  fs::create_directory(folder);
  fs::copy_file(consumer("native", "coordinate"), folder + "/decoder-coordinate.so",
                fs::copy_options::overwrite_existing);
  const std::string other = places::consumers() + "/native";
  const Ran ran = concord({"plugins", "--json", "--plugin-dir", folder},
                          {{"CONCORD_PLUGIN_PATH=" + other + "::"}, "", 0, false});
  std::vector<std::string> statuses;
  const json listing = json::parse(ran.out);
  for (const auto& row : listing["plugins"])
    if (row["name"] == "coordinate") statuses.push_back(row["status"]);
  CHECK(statuses == std::vector<std::string>{"ok", "shadowed"});
  const Ran relative = concord({"plugins"}, {{"CONCORD_PLUGIN_PATH=."}, "", 0, false});
  CHECK_THAT(relative.err, Contains("not an absolute path"));
  // The same folder by two names shadows nothing.
  const Ran same = concord({"plugins", "--plugin-dir", folder, "--plugin-dir", folder + "/../shadow"});
  CHECK_THAT(same.out, !Contains("shadowed"));
  const Ran missing = concord({"plugins", "--plugin-dir", folder + "/none"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, Contains("/none: there is no such directory of plugins"));
}

TEST_CASE("a plugin compiled for newer processors replaces the one above it where it runs") {
  const std::string folder = scratch() + "/variants", newer = folder + "/x86-64-v3";
  fs::create_directories(newer);
  for (const std::string& where : {folder, newer})
    fs::copy_file(consumer("baseline", "coordinate"), where + "/decoder-coordinate.so",
                  fs::copy_options::overwrite_existing);
  fs::copy_file(consumer("plain-c", "plain-c"), newer + "/decoder-plain-c.so",
                fs::copy_options::overwrite_existing);
  const auto found = [&](const std::string& name, const std::vector<std::string>& environment) {
    const Ran ran = concord({"plugins", "--json", "--plugin-dir", folder}, {environment, "", 0, false});
    std::vector<std::string> paths;
    const json listing = json::parse(ran.out);
    for (const auto& row : listing["plugins"])
      if (row["name"] == name)
        paths.push_back(row["path"].get<std::string>() + " " + row["status"].get<std::string>());
    return paths;
  };
  std::ifstream cpuinfo("/proc/cpuinfo");
  const std::string flags(std::istreambuf_iterator<char>(cpuinfo), {});
  bool runs = true;
  for (const char* flag : {" avx2", " fma", " bmi1", " bmi2", " f16c", " abm", " movbe"})
    runs = runs && flags.find(flag) != std::string::npos;
  using Paths = std::vector<std::string>;
  const std::string file = "/decoder-coordinate.so ok";
  CHECK(found("coordinate", {"CONCORD_VARIANT"}) == Paths{(runs ? newer : folder) + file});
  CHECK(found("coordinate", {"CONCORD_VARIANT=baseline"}) == Paths{folder + file});
  CHECK(found("plain-c", {"CONCORD_VARIANT"}).size() == (runs ? 1 : 0));
  CHECK(found("plain-c", {"CONCORD_VARIANT=baseline"}).empty());
  const json described = decode_json(small(), "coordinate", {"--plugin-dir", folder});
  CHECK(described["plugins"][0]["file"] == (runs ? newer : folder) + "/decoder-coordinate.so");
  const Ran wrong = concord({"plugins"}, {{"CONCORD_VARIANT=fast"}, "", 0, false});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("CONCORD_VARIANT=fast: it can be 'baseline'"));
}

TEST_CASE("what everyone may write is not loaded") {
  const std::string folder = scratch() + "/open";
  fs::create_directory(folder);
  const std::string file = folder + "/decoder-coordinate.so";
  fs::copy_file(consumer("native", "coordinate"), file, fs::copy_options::overwrite_existing);
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  const Ran open_file =
      concord({"decode", "--problem", small(), "--decoder", "coordinate", "--plugin-dir", folder});
  CHECK(open_file.exit_code == 3);
  CHECK_THAT(open_file.err, Contains("chmod o-w " + file));
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  // Not by a link either, nor below a folder that everyone may rename things in.
  const std::string link = scratch() + "/decoder-link.so";
  REQUIRE(::chmod(folder.c_str(), 0777) == 0);
  fs::create_directory(folder + "/below");
  fs::copy_file(file, folder + "/below/decoder-coordinate.so");
  fs::create_symlink(file, link);
  for (const std::string& path : {link, folder + "/below/decoder-coordinate.so"}) {
    const Ran ran = decode(small(), path);
    CHECK(ran.exit_code == 3);
    CHECK_THAT(ran.err, Contains("chmod o-w " + folder));
  }
  const Ran open_folder = concord({"decode", "--problem", small(), "--decoder", file});
  CHECK(open_folder.exit_code == 3);
  CHECK_THAT(open_folder.err, Contains("chmod o-w " + folder));
}

TEST_CASE("a file whose plugin has another name is refused by name and taken by path") {
  const Ran by_name =
      concord({"decode", "--problem", small(), "--decoder", "other-name", "--plugin-dir", places::fakes()});
  CHECK(by_name.exit_code == 3);
  CHECK_THAT(by_name.err, Contains("Rename the file to decoder-someone-else.so"));
  CHECK(decode(small(), fake("other-name")).exit_code == 0);
}

TEST_CASE("plugins of other compilers, instruction sets and levels, and in plain C, work") {
  const json truth = decode_json(small(), "exhaustive");
  for (const char* variant : {"native", "baseline", "unoptimised", "clang", "frozen-header"}) {
    const std::string file = consumer(variant, "coordinate");
    if (std::string(variant) == "clang" && !fs::exists(file)) {
      WARN("clang++ is not installed: skipped");
      continue;
    }
    const json r = decode_json(small(), file, {"--set", "decoder.starts=20"});
    INFO(variant);
    CHECK(r["objective"].get<double>() == Approx(truth["objective"].get<double>()));
    CHECK(r["labels"] == truth["labels"]);
    CHECK(r["bound"].is_null());
    CHECK(r["gap"].is_null());
  }
  const json proven = decode_json(small(), consumer("plain-c", "plain-c"));
  CHECK(proven["status"] == "optimal");
  CHECK(proven["labels"] == truth["labels"]);
  const json ascent =
      decode_json(small(), consumer("plain-c", "plain-c"), {"--set", "decoder.enumerate_up_to=0"});
  CHECK(ascent["status"] == "feasible");
  CHECK(ascent["bound"].is_null());
}

TEST_CASE("plugins of the first header of the ABI load, with shorter and longer structs too") {
  const json truth = decode_json(small(), "exhaustive");
  for (const auto& [variant, name] : std::vector<std::pair<std::string, std::string>>{
           {"frozen", "frozen"}, {"frozen-older", "older"}, {"frozen-newer", "newer"}}) {
    INFO(variant);
    const std::string file = consumer(variant, name);
    const json r = decode_json(small(), file, {"--set", "decoder.ties=last", "--set", "decoder.poll=7"});
    CHECK(r["status"] == "optimal");
    CHECK(r["objective"].get<double>() == Approx(truth["objective"].get<double>()));
    const Ran described = concord({"describe", "decoder/" + file});
    CHECK_THAT(described.out, Contains("one of first, last; default first"));
    CHECK_THAT(described.out, Contains("integer in [1, 4096]; default 256"));
    CHECK(concord({"decode", "--problem", small(), "--decoder", file, "--set", "decoder.poll=0"}).exit_code ==
          2);
  }
}

TEST_CASE("describe shows what a plugin says of itself") {
  const Ran text =
      concord({"describe", "decoder/coordinate", "--plugin-dir", places::consumers() + "/native"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out,
             Contains("starts") && Contains("integer in [1, 1000000]; default 8") && Contains("rank-one"));
  CHECK_THAT(concord({"describe", "decoder/sdp-csdp"}).out, Contains("\n  solver   CSDP\n"));
  CHECK(json::parse(concord({"describe", "decoder/sdp-csdp", "--json"}).out)["solver"] == "CSDP");
  CHECK(json::parse(concord({"describe", "decoder/spectral", "--json"}).out)["solver"].is_null());
  const Ran toml = concord({"describe", "rounding/threshold", "--toml"});
  CHECK_THAT(toml.out, Contains("rounding = { name = \"threshold\", mode = \"best\", level = 0.0 }"));
  const Ran shape = concord({"describe", "modular"});
  CHECK(shape.exit_code == 2);
  CHECK_THAT(shape.err, Contains("decoder/NAME"));
  CHECK(concord({"describe", "loss/modular"}).exit_code == 3);
  CHECK_THAT(concord({"describe", "loss/modular"}).err, Contains("decoder/modular is a decoder"));
}

}  // namespace cli::plugins_test
