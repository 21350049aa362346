// SPDX-License-Identifier: MIT
// concord decode, and what holds for every verb: exit codes, sentences, JSON.
#include <cmath>
#include <fstream>

#include "commands.hpp"
#include "tests/unit/places.hpp"

namespace cli::decode_test {

TEST_CASE("help and version go to standard output, usage errors do not") {
  CHECK_THAT(concord({"--help"}).out, Contains("decode") && Contains("Exit codes"));
  CHECK_THAT(concord({"--version"}).out, Contains("concord ") && Contains("ABI"));
  for (const char* verb : {"plugins", "describe", "decode"}) {
    const Ran ran = concord({verb, "--help"});
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("usage: concord ") && Contains("--plugin-dir"));
  }
  refused({}, "usage: concord VERB");
  refused({"decod"}, "did you mean decode?");
  refused({"decode", "--problm", "x"}, "did you mean --problem?");
  refused({"decode", "--problm", "x"}, "usage: concord decode");
  refused({"decode", small(), "--problem", small(), "--decoder", "modular"}, "give one of them");
  json by_place = json_of({"decode", small(), "--decoder", "exhaustive"}),
       by_option = decode_json(small(), "exhaustive");
  for (json* each : {&by_place, &by_option}) each->erase("seconds");
  CHECK(by_place == by_option);
  refused({"decode", "--cardinality", "many"}, "many");
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
    more.insert(more.end(), {"--rounding", chain, "--plugin-dir", places::fakes()});
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

}  // namespace cli::decode_test
