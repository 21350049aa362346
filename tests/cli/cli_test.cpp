// SPDX-License-Identifier: MIT
// The contract of the command line: exit codes, sentences, JSON.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "run_command.hpp"

namespace cli::cli_test {

using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const char* const kSmall = R"({"A": [[0, -0.5, 0.8], [-0.5, 0, 0.3], [0.8, 0.3, 0]], "b": [0.2, -0.1, 0.7]})";

std::string small() {
  return scratch_file("small.json", kSmall);
}
std::string fake(const std::string& name) {
  return std::string(CONCORD_FAKES) + "/decoder-" + name + ".so";
}
std::string consumer(const std::string& variant, const std::string& name) {
  return std::string(CONCORD_CONSUMERS) + "/" + variant + "/decoder-" + name + ".so";
}

Ran decode(const std::string& problem, const std::string& decoder, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"decode", "--problem", problem, "--decoder", decoder});
  return concord(more);
}

json decode_json(const std::string& problem, const std::string& decoder, std::vector<std::string> more = {}) {
  more.push_back("--json");
  const Ran ran = decode(problem, decoder, more);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  return json::parse(ran.out);
}

}  // namespace

TEST_CASE("help and version go to standard output, usage errors do not") {
  CHECK_THAT(concord({"--help"}).out, Contains("decode") && Contains("Exit codes"));
  CHECK_THAT(concord({"--version"}).out, Contains("concord ") && Contains("ABI"));
  for (const char* verb : {"plugins", "describe", "decode"}) {
    const Ran ran = concord({verb, "--help"});
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("usage: concord ") && Contains("--plugin-dir"));
  }
  const Ran none = concord({});
  CHECK(none.exit_code == 2);
  CHECK(none.out.empty());
  const Ran typo = concord({"decod"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, Contains("did you mean decode?"));
  const Ran option = concord({"decode", "--problm", "x"});
  CHECK(option.exit_code == 2);
  CHECK_THAT(option.err, Contains("did you mean --problem?") && Contains("usage: concord decode"));
  const Ran value = concord({"decode", "--cardinality", "many"});
  CHECK(value.exit_code == 2);
  CHECK_THAT(value.err, Contains("many"));
}

TEST_CASE("decode prints the JSON of the contract") {
  const json r = decode_json(small(), "exhaustive");
  for (const char* key : {"decoder", "rounding", "status", "labels", "objective", "objective_bound", "value",
                          "bound", "gap", "cardinality", "seed", "seconds", "plugin_version", "message"})
    CHECK(r.contains(key));
  CHECK(r["decoder"] == "exhaustive");
  CHECK(r["rounding"].is_null());
  CHECK(r["status"] == "optimal");
  CHECK(r["labels"] == json({-1, -1, 1}));
  CHECK(r["objective"].get<double>() == Approx(3.8));
  CHECK(r["bound"].get<double>() == Approx(3.8));
  CHECK(r["gap"] == 0);
  CHECK(r["cardinality"].is_null());
  CHECK(r["plugins"][0]["build"].is_string());
  CHECK(r["host"]["version"].is_string());

  const json k = decode_json(small(), "exhaustive", {"--cardinality", "2", "--seed", "7"});
  CHECK(k["cardinality"] == 2);
  CHECK(k["seed"] == 7);
  CHECK(std::count(k["labels"].begin(), k["labels"].end(), json(1)) == 2);

  const json rounded = decode_json(small(), "exhaustive", {"--rounding", "sign+local-search"});
  CHECK(rounded["rounding"] == "sign+local-search");
  CHECK(rounded["plugins"].size() == 3);
}

TEST_CASE("objectives are in the terms of the file") {
  // A triangle with weights 1, 2, 4: the best cut separates node 3 (1-based) from the others, 2 + 4.
  const json cut = decode_json(scratch_file("g.mc", "3 3\n1 2 1\n1 3 2\n2 3 4\n"), "exhaustive");
  CHECK(cut["objective"].get<double>() == Approx(6));
  CHECK(cut["objective_bound"].get<double>() == Approx(6));
  CHECK(cut["labels"][0] == cut["labels"][1]);
  CHECK(cut["labels"][0] != cut["labels"][2]);
  // minimise -3 x1 + 2*2 x1 x2 - x2: x = (1, 0) with value -3.
  const json qubo = decode_json(scratch_file("q.sparse", "2 3\n1 1 -3\n1 2 2\n2 2 -1\n"), "exhaustive");
  CHECK(qubo["objective"].get<double>() == Approx(-3));
  CHECK(qubo["objective_bound"].get<double>() == Approx(-3));
  CHECK(qubo["labels"] == json({1, 0}));
}

TEST_CASE("a diagonal only shifts the objective") {
  const std::string with = scratch_file("d.json", R"({"A": [[2, -1], [-1, 3]], "b": [0.5, 0.25]})");
  const std::string without = scratch_file("n.json", R"({"A": [[0, -1], [-1, 0]], "b": [0.5, 0.25]})");
  const json a = decode_json(with, "exhaustive"), b = decode_json(without, "exhaustive");
  CHECK(a["labels"] == b["labels"]);
  CHECK(a["objective"].get<double>() == Approx(b["objective"].get<double>() - 5));
  CHECK(a["bound"].get<double>() == Approx(b["bound"].get<double>() - 5));
}

TEST_CASE("compare prints one table, and a decoder that cannot is a row") {
  const Ran ran = concord({"decode", "--problem", small(), "--compare", "exhaustive,modular"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("exhaustive") && Contains("optimal") && Contains("unsupported") &&
                          Contains("labels 0 and 1 are coupled"));
  const Ran good =
      concord({"decode", "--problem", small(), "--compare", "exhaustive," + fake("faultless"), "--json"});
  CHECK(good.exit_code == 0);
  const json table = json::parse(good.out);
  CHECK(table["results"].size() == 2);
  CHECK(table["results"][1]["rounding"].is_null());
  const Ran empty = concord({"decode", "--problem", small(), "--compare", "exhaustive,,modular"});
  CHECK(empty.exit_code == 2);
}

TEST_CASE("all errors come at once, each with what to do") {
  const Ran ran = concord({"decode", "--problem", "/nowhere/p.json", "--decoder", "exhaustiv", "--rounding",
                           "treshold", "--set", "nonsense", "--time-limit", "-1"});
  CHECK_THAT(ran.err, Contains("/nowhere/p.json") && Contains("did you mean exhaustive?") &&
                          Contains("did you mean threshold?") && Contains("SCOPE.OPTION=VALUE") &&
                          Contains("must be positive"));
  CHECK(ran.out.empty());
  const Ran options =
      decode(small(), "exhaustive",
             {"--rounding", "threshold+local-search", "--set", "threshold.mod=best", "--set",
              "threshold.level=high", "--set", "local-search.max_moves=-5", "--set", "roundin.x=1"});
  CHECK(options.exit_code == 2);
  CHECK_THAT(options.err, Contains("no option 'mod'") && Contains("did you mean mode?") &&
                              Contains("'high'") && Contains("'-5'") && Contains("did you mean rounding?"));
  const Ran twice =
      decode(small(), "exhaustive",
             {"--rounding", "threshold", "--set", "threshold.level=1", "--set", "rounding.level=2"});
  CHECK(twice.exit_code == 2);
  CHECK_THAT(twice.err, Contains("set twice"));
}

TEST_CASE("effective options are part of the result") {
  const json r =
      decode_json(small(), "exhaustive", {"--rounding", "threshold", "--set", "rounding.level=0.25"});
  CHECK(r["plugins"][1]["plugin"] == "rounding/threshold");
  CHECK(r["plugins"][1]["options"]["level"] == 0.25);
  CHECK(r["plugins"][1]["options"]["mode"] == "best");
}

TEST_CASE("broken problems are refused with file and line") {
  const auto refused = [](const std::string& name, const std::string& text, const std::string& sentence) {
    const std::string path = scratch_file(name, text);
    const Ran ran = decode(path, "exhaustive");
    INFO(text);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(path + ":") && Contains(sentence));
  };
  refused("bad.json", "{\"A\": [[0, 1],\n [2, 0]], \"b\": [0, 0]}", ":2:3: ");
  refused("bad.json", "{\"A\":\n[[0, 1],", ":2:8: the file is cut off");
  refused("bad.json", "{\"A\":\n\n[[0, NaN], [1, 0]]}", ":3:");
  refused("bad.mc", "3 2\n1 2 1\n", ":1:");
  refused("bad.sparse", "2000000000 1\n1 1 1\n", ":1:1: ");
  const Ran k = decode(small(), "exhaustive", {"--cardinality", "4"});
  CHECK(k.exit_code == 2);
  CHECK_THAT(k.err, Contains("--cardinality 4") && Contains("0 to 3"));
  const Ran missing = decode("/nowhere/p.json", "exhaustive");
  CHECK(missing.exit_code == 4);
  const Ran extension = decode(scratch_file("p.xyz", "1"), "exhaustive");
  CHECK(extension.exit_code == 2);
  CHECK_THAT(extension.err, Contains(".json") && Contains(".sparse"));
}

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

TEST_CASE("a plugin that fails or lies is named, with exit code 5") {
  const auto caught = [](const std::string& name, const std::string& sentence,
                         std::vector<std::string> more = {}) {
    const Ran ran = decode(small(), fake(name), std::move(more));
    INFO(name << "\n" << ran.err);
    CHECK(ran.exit_code == 5);
    CHECK_THAT(ran.err, Contains("decoder/" + name) && Contains(sentence));
    CHECK(ran.out.empty());
  };
  caught("create", "the worker did not start");
  caught("prepare", "the factorisation broke down");
  caught("strange-status", "77");
  caught("solve", "lost the connection to the solver");
  caught("throws", "let an exception escape from solve: thrown across the border");
  caught("throws-int", "not even a std::exception");
  caught("max-rank", "max_rank is 3000");
  caught("nan-value", "its value is nan");
  caught("nan-factor", "F is not finite");
  caught("wrong-value", "it says that its value is");
  caught("wrong-rank", "its rank is 7");
  caught("fractional", "its F is none");
  caught("false-bound", "false bound");
  caught("false-optimum", "false bound", {"--rounding", "local-search"});
  caught("infinite-bound", "its bound is inf");
  caught("result-status", "its status is 42");
  caught("forgets", "its status is 0");
  caught("result-failed", "no convergence after 7 iterations");
  caught("infeasible", "no labelling is feasible, and there is one");
  caught("stops", "nobody asked it to stop");
  caught("undeclared-bound", "declares that it proves no bound");
  caught("counts", "a counter is negative");
  caught("ignores-cardinality", "the cardinality 1 asks for -1", {"--cardinality", "1"});
}

TEST_CASE("roundings that lie are named, with exit code 5") {
  const auto caught = [](const std::string& chain, const std::string& sentence,
                         std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--rounding", chain, "--plugin-dir", CONCORD_FAKES});
    const Ran ran = decode(small(), "exhaustive", std::move(more));
    INFO(ran.err);
    CHECK(ran.exit_code == 5);
    CHECK_THAT(ran.err, Contains("rounding/") && Contains(sentence));
  };
  caught("zero-label", "returned 0 for label 0");
  caught("wrong-k", "3 positive labels, and the cardinality is 1", {"--cardinality", "1"});
  caught("local-search+worse-than-start", "worse than the 3.8");
}

TEST_CASE("results survive plugins that spoil their buffers, messages, traps and ends") {
  for (const char* name : {"loses-message", "traps", "destroy-throws"}) {
    const std::string diagonal =
        scratch_file("diagonal.json", R"({"A": [[0.1, 0.7], [0.7, 0.3]], "b": [0.5, 0.25]})");
    const json r = decode_json(diagonal, fake(name));
    INFO(name);
    CHECK(r["decoder"] == name);
  }
  CHECK_THAT(decode(small(), fake("destroy-throws")).err, Contains("let an exception escape from destroy"));
  CHECK(decode_json(small(), fake("forges-lines"))["message"] == "fine concord: forged");
  CHECK(decode(small(), fake("crash-in-solve")).exit_code ==
        128 + 6);  // the docs say so: a crash ends the host
}

TEST_CASE("a bound is never lowered to the labels' value, at any scale") {
  // Three labels that repel each other: the spectral bound is 3 s, the best labels have s.
  for (const char* s : {"1", "1e-10", "1e-200"}) {
    std::string text = R"({"A": [[0, S, S], [S, 0, S], [S, S, 0]], "b": [0, 0, 0]})";
    for (size_t at = 0; (at = text.find('S')) != std::string::npos;) text.replace(at, 1, s);
    const json r = decode_json(scratch_file("scale.json", text), "spectral");
    CHECK(r["bound"].get<double>() == Approx(3 * std::stod(s)).margin(0));
    CHECK(r["objective"].get<double>() == Approx(2 * std::stod(s)).margin(0));
  }
}

TEST_CASE("odd command lines") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& sentence) {
    const Ran ran = concord(arguments);
    INFO(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(sentence));
  };
  refused({"decode", "--decoder", "modular"}, "--problem is missing");
  refused({"decode", "--problem", small(), "--decoder", "exhaustive", "--seed", "-1"}, "--seed -1");
  refused({"decode", "--problem", small(), "--decoder", "exhaustive", "--time-limit", "inf"}, "1e8 seconds");
  refused({"decode", "--problem", small(), "--compare", "exhaustive,exhaustive"}, "there twice");
  refused({"decode", "--problem", small(), "--decoder", "exhaustive", "--compare", "modular"}, "either");
  refused({"decode", "--problem", small(), "--decoder", "exhaustive", "--set", "rounding.mod=best"},
          "did you mean mode?");
  refused(
      {"decode", "--problem", small(), "--decoder", "exhaustive", "--plugin-dir", "/nowhere", "--set", "x"},
      "no such directory");
  CHECK(decode(small(), "decoder/exhaustive").exit_code == 0);
  CHECK(concord({"decode", "--problem", small(), "--compare", "exhaustive, spectral"}).exit_code == 0);
  CHECK_THAT(concord({"help", "decode"}).out, Contains("usage: concord decode"));
  CHECK(concord({"describe", "decoder/" + fake("probe")}).exit_code == 0);  // its options can be read
  // Setting an option of a rounding asks for it.
  CHECK(decode_json(small(), "exhaustive", {"--set", "rounding.level=0.5"})["rounding"] ==
        "threshold+local-search");
  RunOptions closed;
  closed.closes_stderr = true;
  CHECK(concord({"decode", "--problem", small(), "--decoder", "exhaustive"}, closed).exit_code == 0);
  CHECK(concord({"decode", "--problem", small(), "--decoder", "nothing"}, closed).exit_code == 3);
}

TEST_CASE("what a plugin prints does not reach standard output") {
  const Ran ran = decode(small(), fake("prints"), {"--json"});
  CHECK(ran.exit_code == 0);
  CHECK(json::parse(ran.out)["decoder"] == "prints");
  CHECK_THAT(ran.err, Contains("not a result"));
}

TEST_CASE("a plugin that sets flush-to-zero when it is loaded does not change results") {
  const std::string tiny = scratch_file("tiny.json", R"({"A": [[0, 0], [0, 0]], "b": [1e-310, 2e-310]})");
  const json r = decode_json(tiny, fake("changes-process"));
  CHECK(r["objective"].get<double>() == Approx(3e-310).epsilon(1e-6).margin(0));
}

TEST_CASE("limits and interrupts give the best so far") {
  const json limited = decode_json(small(), fake("waits"), {"--time-limit", "0.05"});
  CHECK(limited["status"] == "limit");
  CHECK(limited["reproducible"] == false);
  RunOptions interrupt;
  interrupt.interrupt_after = 2;
  const Ran stopped =
      concord({"decode", "--problem", small(), "--decoder", fake("waits"), "--json"}, interrupt);
  CHECK(stopped.exit_code == 130);
  CHECK(json::parse(stopped.out)["status"] == "stopped");
}

TEST_CASE("plugins lists everything and survives all of them") {
  const Ran ran = concord({"plugins", "--json", "--plugin-dir", CONCORD_FAKES});
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
  const std::string other = std::string(CONCORD_CONSUMERS) + "/native";
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
  CHECK_THAT(missing.err, Contains("no such directory"));
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
      concord({"decode", "--problem", small(), "--decoder", "other-name", "--plugin-dir", CONCORD_FAKES});
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
      concord({"describe", "decoder/coordinate", "--plugin-dir", std::string(CONCORD_CONSUMERS) + "/native"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out,
             Contains("starts") && Contains("integer in [1, 1000000]; default 8") && Contains("rank-one"));
  const Ran toml = concord({"describe", "rounding/threshold", "--toml"});
  CHECK_THAT(toml.out, Contains("rounding = { name = \"threshold\", mode = \"best\", level = 0.0 }"));
  const Ran shape = concord({"describe", "modular"});
  CHECK(shape.exit_code == 2);
  CHECK_THAT(shape.err, Contains("decoder/NAME"));
  CHECK(concord({"describe", "loss/modular"}).exit_code == 3);
  CHECK_THAT(concord({"describe", "loss/modular"}).err, Contains("decoder/modular is a decoder"));
}

TEST_CASE("a result that cannot be written is an error") {
  RunOptions full;
  full.out_file = "/dev/full";
  const Ran ran = concord({"decode", "--problem", small(), "--decoder", "exhaustive"}, full);
  CHECK(ran.exit_code == 4);
  CHECK_THAT(ran.err, Contains("cannot write to standard output"));
}

TEST_CASE("the numeric environment is set before the process starts, and the user's choice is kept") {
  const auto environment = [](std::vector<std::string> variables) {
    RunOptions options;
    options.environment = std::move(variables);
    return concord({"decode", "--problem", small(), "--decoder", fake("tells-environment")}, options).err;
  };
  const std::string set = environment({"OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE"});
  CHECK_THAT(set, Contains("OPENBLAS_NUM_THREADS=1"));
  if (__builtin_cpu_supports("avx2")) CHECK_THAT(set, Contains("OPENBLAS_CORETYPE="));
  CHECK_THAT(environment({"OPENBLAS_NUM_THREADS=3", "OPENBLAS_CORETYPE=Prescott"}),
             Contains("OPENBLAS_NUM_THREADS=3") && Contains("OPENBLAS_CORETYPE=Prescott"));
}

}  // namespace cli::cli_test
