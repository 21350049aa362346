// SPDX-License-Identifier: MIT
// Libraries that want harm: tests/fakes/hostile.c under all its names, in every verb.
#include <csignal>

#include "commands.hpp"
#include "process/table.hpp"

namespace cli::hostile_test {
namespace {

std::string hostile(const std::string& name) {
  return places::hostile() + "/decoder-" + name + ".so";
}

/// NAME and what a decode with it ends with.
struct Expected {
  const char* name;
  int exit_code;
  const char* words;
};

void decode_ends(const Expected& expected) {
  const Ran ran = decode(small(), hostile(expected.name));
  INFO(expected.name << "\n" << ran.err);
  CHECK(ran.exit_code == expected.exit_code);
  CHECK_THAT(ran.err, Contains(expected.words));
  CHECK((expected.exit_code == 0) == !ran.out.empty());
}

void decode_is_done(const std::string& name) {
  const Ran ran = decode(small(), hostile(name));
  INFO(name << "\n" << ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("objective"));
}

std::string config(const std::string& decoder) {
  return scratch_file("hostile.toml",
                      "[data]\ntrain = \"" + planted_data("hostile", 60, 20) +
                          "-train.arff\"\n[train]\nepochs = 2\nloss = \"hamming\"\ndecoder = \"" + decoder +
                          "\"\n[select]\nholdout = 0.3\n");
}

Ran train(const std::string& name) {
  fs::remove(scratch() + "/hostile.model");
  fs::remove(scratch() + "/hostile.model.checkpoint");
  // One thread: two would both be in foreign code, and both be named.
  return concord(
      {"train", config(hostile(name)), "--model", scratch() + "/hostile.model", "--quiet", "--threads", "1"});
}

void train_ends(const Expected& expected) {
  const Ran ran = train(expected.name);
  INFO(expected.name << "\n" << ran.err);
  CHECK(ran.exit_code == expected.exit_code);
  CHECK_THAT(ran.err, Contains(expected.words));
  CHECK((expected.exit_code == 0) == fs::exists(scratch() + "/hostile.model"));
}

/// Processes of hostile libraries that are still there, after a moment for init to notice.
size_t left_over() {
  size_t count = 0;
  for (const auto& one : concord::running_processes()) {
    const std::string maps = bytes_of("/proc/" + std::to_string(one.id) + "/maps");
    count += maps.find(places::hostile()) != std::string::npos;
  }
  return count;
}

}  // namespace

TEST_CASE("there is no exit code 0 without a result: a plugin that leaves is named, with exit code 5") {
  for (const char* action : {"exit", "underscore-exit", "quick-exit", "syscall-exit", "exit3"}) {
    const std::string code = action == std::string("exit3") ? "3" : "0";
    const std::string name = std::string(action) + "-in-solve";
    const std::string left = " ended the process with exit code " + code;
    decode_ends({name.c_str(), 5, ("decoder/" + name + " in solve" + left).c_str()});
    train_ends({name.c_str(), 5, ("decoder/" + name + " in solve_family" + left).c_str()});
  }
  for (const char* place : {"entry", "probe", "create", "prepare", "max-rank", "warm-size"})
    for (const char* action : {"exit-in-", "underscore-exit-in-"})
      decode_ends({(std::string(action) + place).c_str(), 5, "ended the process with exit code 0"});
  decode_ends({"exit-in-load", 5, "decoder-exit-in-load.so in its constructors ended the process"});
  CHECK(concord({"describe", hostile("exit-in-entry")}).exit_code == 5);
}

TEST_CASE("a crash is one sentence with the plugin and what it did, and 128 + the signal") {
  const auto crashed = [](const std::string& action, int number, const std::string& signal) {
    const std::string name = action + "-in-solve", who = "concord: decoder/" + name;
    decode_ends({name.c_str(), 128 + number, (who + " in solve crashed with " + signal + "\n").c_str()});
    train_ends(
        {name.c_str(), 128 + number, (who + " in solve_family crashed with " + signal + "\n").c_str()});
  };
  crashed("segfault", SIGSEGV, "SIGSEGV");
  crashed("jump-nowhere", SIGSEGV, "SIGSEGV");
  crashed("overflow", SIGSEGV, "SIGSEGV");
  crashed("longjmp", SIGSEGV, "SIGSEGV");
  crashed("thread", SIGSEGV, "SIGSEGV");
  crashed("abort", SIGABRT, "SIGABRT");
  crashed("divide", SIGFPE, "SIGFPE");
  crashed("illegal", SIGILL, "SIGILL");
  crashed("kill", SIGKILL, "SIGKILL");
  crashed("terminate", SIGUSR1, "SIGUSR1");
  crashed("pthread-exit", SIGABRT, "SIGABRT");
  decode_ends({"pthread-exit-in-solve", 128 + SIGABRT, "pthread_exit in solve"});
  decode_ends({"segfault-in-load", 128 + SIGSEGV, "decoder-segfault-in-load.so in its constructors crashed"});
  for (const char* place : {"entry", "probe", "create", "prepare", "max-rank", "warm-size"})
    decode_ends({(std::string("segfault-in-") + place).c_str(), 128 + SIGSEGV, "crashed with SIGSEGV"});
}

TEST_CASE("what goes wrong after the result spoils nothing") {
  for (const char* name :
       {"segfault-in-unload", "exit-in-unload", "underscore-exit-in-unload", "kill-in-unload"})
    decode_is_done(name);
  // And a failure does not become a success.
  const Ran ran = concord({"decode", "--problem", small(), "--decoder", hostile("underscore-exit-in-unload"),
                           "--rounding", fake("zero-label", "rounding")});
  CHECK(ran.exit_code == 5);
}

TEST_CASE("writing beside a buffer is seen, and the plugin named") {
  for (const auto& [name, words] : {std::pair{"f-overrun", "the factor F"},
                                    {"f-far-overrun", "the factor F"},
                                    {"f-underrun", "the factor F"},
                                    {"results-overrun", "its results"},
                                    {"results-underrun", "its results"},
                                    {"requests-overrun", "its requests"},
                                    {"requests-underrun", "its requests"},
                                    {"message-overrun", "its message"},
                                    {"message-underrun", "its message"}}) {
    const std::string sentence = "decoder/" + std::string(name) + " wrote beside " + words;
    decode_ends({name, 5, sentence.c_str()});
    train_ends({name, 5, sentence.c_str()});
  }
  train_ends({"warm-overrun", 5, "decoder/warm-overrun wrote beside its warm block"});
  train_ends({"warm-underrun", 5, "decoder/warm-underrun wrote beside its warm block"});
}

TEST_CASE("what a plugin does to its inputs reaches nobody") {
  REQUIRE(train("harmless").exit_code == 0);
  const std::string same = bytes_of(scratch() + "/hostile.model");
  const Ran harmless = decode(small(), hostile("harmless"), {"--json"});
  for (const char* name :
       {"result-size", "result-size-large", "result-pointers", "request-fields", "request-c", "family-fields",
        "family-numbers", "prior-numbers", "name-changes", "message-endless"}) {
    const Ran ran = train(name);
    INFO(name << "\n" << ran.err);
    CHECK(ran.exit_code == 0);
    const std::string model = bytes_of(scratch() + "/hostile.model");
    CHECK(model.size() > 1000);
    // W and A, the last numbers before the checksum, do not depend on the name of the decoder.
    CHECK(model.substr(model.size() - 600, 560) == same.substr(same.size() - 600, 560));
    const Ran decoded = decode(small(), hostile(name), {"--json"});
    INFO(decoded.err);
    REQUIRE(decoded.exit_code == 0);
    CHECK(json::parse(decoded.out)["objective"] == json::parse(harmless.out)["objective"]);
  }
}

TEST_CASE("absurd numbers are lies") {
  decode_ends({"counts-solved", 5, "solved 9223372036854775807"});
  decode_ends({"counts-pruned", 5, "left out 1000000 of 1 subproblems"});
  decode_ends({"counts-nodes", 5, "it counts 9223372036854775807 nodes"});
  decode_ends({"names-subproblem", 5, "it names subproblem 7000000 of 1"});
  decode_ends({"names-no-subproblem", 5, "it names subproblem -1 of 1"});
  decode_ends({"rank-huge", 5, "its rank is 9223372036854775807"});
  decode_ends({"rank-negative", 5, "its rank is -9223372036854775808"});
  decode_ends({"value-infinite", 5, "its value is inf"});
  decode_ends({"request-rows", 5, "no labelling is feasible"});
  for (const char* name : {"warm-huge", "warm-large"}) {
    decode_ends({name, 5, "says that its warm_size is"});
    train_ends({name, 5, "says that its warm_size is"});
  }
}

TEST_CASE("a plugin that closes standard output or error does not silence the host") {
  for (const char* name : {"close-standard-in-solve", "close-standard-in-load", "fclose-in-solve"})
    decode_is_done(name);
  const Ran failed = concord({"decode", "--problem", small(), "--decoder", hostile("close-standard-in-solve"),
                              "--rounding", fake("zero-label", "rounding")});
  CHECK(failed.exit_code == 5);
  CHECK_THAT(failed.err, Contains("rounding/zero-label returned 0"));
  for (const char* name : {"close-all-in-solve", "reopen-all-in-solve"})
    decode_ends({name, 4, "cannot write to standard output: Bad file descriptor"});
}

TEST_CASE("what a plugin says is bounded, and no command for a terminal") {
  const Ran endless = decode(small(), hostile("log-long-in-solve"));
  CHECK(endless.exit_code == 0);
  CHECK(endless.err.size() < 10'000);
  for (const char* name : {"log-escape-in-solve", "log-bytes-in-solve", "log-nothing-in-solve",
                           "message-escape", "summary-escape"}) {
    for (const Ran& ran : {decode(small(), hostile(name)), concord({"describe", hostile(name)})}) {
      INFO(name << "\n" << ran.err);
      CHECK(ran.exit_code == 0);
      for (const std::string& text : {ran.err, ran.out}) {
        CHECK(text.find('\x1b') == std::string::npos);
        CHECK(text.find("\xc2\x9b") == std::string::npos);
        CHECK(text.find('\xff') == std::string::npos);
        CHECK(text.find("\nconcord: forged") == std::string::npos);
      }
    }
  }
  CHECK(decode(small(), hostile("summary-endless")).exit_code == 3);
}

TEST_CASE("a plugin whose constructor throws is refused, with its name") {
  const Ran ran = decode(small(), fake("throws-on-load"));
  CHECK(ran.exit_code == 3);
  CHECK_THAT(ran.err, Contains("decoder-throws-on-load.so") &&
                          Contains("a constructor of the library lets an exception") &&
                          Contains("thrown by a constructor"));
  CHECK(decode(small(), hostile("pthread-exit-in-load")).exit_code == 128 + SIGABRT);
}

TEST_CASE("memory that the watcher reads, when a plugin has overwritten it") {
  for (const char* name : {"forge-memory-in-solve", "forge-memory-in-load"}) {
    const Ran ran = decode(small(), hostile(name));
    CHECK(ran.exit_code == 5);
    CHECK(ran.err.size() < 20'000);
  }
}

TEST_CASE("plugins lists every hostile library, and no process of theirs is left") {
  const Ran ran = concord({"plugins", "--plugin-dir", places::hostile(), "--json"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  size_t rows = 0;
  const json listing = json::parse(ran.out);
  for (const json& row : listing.at("plugins")) {
    const std::string path = row.at("path"), name = row.at("name"), status = row.at("status");
    if (path.find(places::hostile()) == std::string::npos) continue;
    ++rows;
    INFO(row.dump());
    const bool early =
        name.ends_with("-in-load") || name.ends_with("-in-entry") || name.ends_with("-in-probe");
    const std::string action = name.substr(0, name.find("-in-"));
    const bool ends =
        early && (action.find("exit") != std::string::npos || action == "abort" || action == "segfault" ||
                  action == "jump-nowhere" || action == "divide" || action == "illegal" || action == "kill" ||
                  action == "terminate" || action == "overflow" || action == "longjmp" ||
                  action == "pthread-exit" || action == "thread" || action == "forge-memory");
    CHECK(status == (ends || name == "summary-endless" ? "refused" : "ok"));
    CHECK(row.at("kind") == "decoder");
    CHECK(row.at("capabilities").is_object());
  }
  CHECK(rows >= 100);
  CHECK(left_over() == 0);
}

TEST_CASE("a process that has left its group or its session is ended, in every verb") {
  for (const char* name : {"daemon-in-solve", "session-in-solve", "leave-group-in-solve"}) {
    INFO(name);
    CHECK(decode(small(), hostile(name)).exit_code == 0);
    CHECK(left_over() == 0);
    concord({"check", hostile(name), "--only", "random", "--out", scratch()});
    CHECK(left_over() == 0);
  }
}

TEST_CASE("SIGTERM and SIGHUP are answered as Ctrl-C is, and what a killed run left is swept") {
  const std::string file =
      scratch_file("long.toml", "[data]\ntrain = \"" + planted_data("hostile", 60, 20) +
                                    "-train.arff\"\n[train]\nepochs = 1000000\n[select]\nholdout = "
                                    "0\n[run]\ncheckpoint = 0\n");
  const std::string model = scratch() + "/long.model";
  for (const int number : {SIGTERM, SIGHUP}) {
    const std::string left =
        scratch_file("long.model.checkpoint.4194304.tmp", "left by a run that was killed");
    scratch_file("long.model.4194304.tmp", "left by a run that was killed");
    RunOptions options;
    options.interrupt_after = 1;
    options.interrupt_by = number;
    const Ran ran = concord({"train", file, "--model", model, "--restart", "--quiet"}, options);
    INFO(ran.err);
    CHECK(ran.exit_code == 130);
    CHECK_THAT(ran.err, Contains("interrupted: the model is what the refit had reached"));
    CHECK(fs::exists(model));
    CHECK_FALSE(fs::exists(left));
    CHECK_FALSE(fs::exists(scratch() + "/long.model.4194304.tmp"));
  }
}

TEST_CASE("a model that names a plugin by its path is not believed unless told") {
  REQUIRE(train("harmless").exit_code == 0);
  const std::string model = scratch() + "/hostile.model",
                    data = planted_data("hostile", 60, 20) + "-test.arff";
  for (const char* verb : {"predict", "evaluate"}) {
    refused({verb, "--model", model, "--data", data},
            "the model predicts with a plugin that it names by its path, " + hostile("harmless"));
    const Ran trusted = concord({verb, "--model", model, "--data", data, "--trust-model-plugins"});
    INFO(trusted.err);
    CHECK(trusted.exit_code == 0);
    CHECK(concord({verb, "--model", model, "--data", data, "--decoder", "spectral"}).exit_code == 0);
    CHECK(concord({verb, "--model", model, "--data", data, "--decoder", hostile("harmless")}).exit_code == 0);
  }
}

TEST_CASE("every check of a hostile library ends with a verdict", "[.full]") {
  for (const auto& entry : fs::directory_iterator(places::hostile())) {
    const Ran ran =
        concord({"check", entry.path().string(), "--json", "--out", scratch(), "--time-limit", "5"});
    INFO(entry.path() << "\n" << ran.err);
    CHECK((ran.exit_code == 0 || ran.exit_code == 1 || ran.exit_code == 3));
    CHECK_FALSE(json::parse(ran.out).at("tests").empty());
  }
  CHECK(left_over() == 0);
}

}  // namespace cli::hostile_test
