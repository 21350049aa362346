// SPDX-License-Identifier: MIT
// Options, the state of the process around a load, and isolation. The refusals are tested in tests/cli/plugins_test.cpp.
#include "plugin/registry.hpp"

#include <catch2/catch.hpp>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "plugin/options.hpp"
#include "process/fork.hpp"
#include "process/state.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::registry_test {

using Catch::Matchers::Contains;

namespace {

std::vector<OptionDeclaration> sample() {
  OptionDeclaration flag{CONCORD_BOOL, "flag", "h", -HUGE_VAL, HUGE_VAL, {}, "true"};
  OptionDeclaration count{CONCORD_INT, "count", "h", 1, 10, {}, "3"};
  OptionDeclaration tol{CONCORD_REAL, "tol", "h", 0, 1, {}, "1e-06"};
  OptionDeclaration text{CONCORD_STRING, "text", "h", -HUGE_VAL, HUGE_VAL, {}, ""};
  OptionDeclaration mode{CONCORD_CHOICE, "mode", "h", -HUGE_VAL, HUGE_VAL, {"fast", "slow"}, "fast"};
  OptionDeclaration list{CONCORD_REALS, "list", "h", 0, HUGE_VAL, {}, "[1, 2]"};
  return {flag, count, tol, text, mode, list};
}

std::vector<std::string> errors_of(const std::vector<Setting>& settings) {
  ErrorList errors;
  [[maybe_unused]] const OptionValues values("decoder/x", sample(), settings, errors);
  std::vector<std::string> sentences;
  for (const Error& error : errors.all()) sentences.emplace_back(error.what());
  return sentences;
}

}  // namespace

TEST_CASE("a name with one letter wrong is misspelt, the name of a plugin is not") {
  const Registry registry({places::plugins()}, {});
  std::set<std::pair<int32_t, std::string>> names;
  for (const PluginCandidate& candidate : registry.candidates())
    names.emplace(candidate.kind, candidate.name);
  REQUIRE(names.size() > 10);
  const auto is_ours = [&](int32_t kind,
                           const std::string& name) {  // or is one of ours that is not built here
    return names.contains({kind, name}) || name == "sdp-csdp" || name == "sdp-dsdp";
  };
  for (const auto& [kind, name] : names) {
    CHECK_FALSE(registry.is_misspelt(kind, name));
    CHECK_FALSE(registry.is_misspelt(kind, std::string(kind_name(kind)) + "/" + name));
    for (size_t at = 0; at < name.size(); ++at) {
      std::string slip = name;
      slip[at] = slip[at] == 'e' ? 'o' : 'e';
      INFO(slip);
      CHECK(registry.is_misspelt(kind, slip) == !is_ours(kind, slip));
      slip = std::string(name).erase(at, 1);
      CHECK(registry.is_misspelt(kind, slip) == !is_ours(kind, slip));
    }
  }
  // The two are near each other, and may not be installed.
  for (const char* other : {"sdp-csdp", "sdp-dsdp", "my-own-decoder", "./decoder-spectal.so", "loss/f-beta"})
    CHECK_FALSE(registry.is_misspelt(CONCORD_DECODER, other));
  CHECK(registry.is_misspelt(CONCORD_DECODER, "f-beta"));  // which is a loss
}

TEST_CASE("a plugin is named by a name, by KIND/NAME or by a path") {
  const auto is = [](const std::string& text, const std::string& name, int32_t kind,
                     const std::string& file) {
    const PluginReference reference(text);
    CHECK(reference.name == name);
    CHECK(reference.kind == kind);
    CHECK(reference.file == file);
  };
  is("modular", "modular", 0, "");
  is("decoder/modular", "modular", CONCORD_DECODER, "");
  is("rounding/top-k", "top-k", CONCORD_ROUNDING, "");
  is("decoder-mine.so", "mine", CONCORD_DECODER, "decoder-mine.so");
  is("./a+b/rounding-mine.so", "mine", CONCORD_ROUNDING, "./a+b/rounding-mine.so");
  is("decoder/decoder-mine.so", "mine", CONCORD_DECODER, "decoder/decoder-mine.so");
  is("./decoder/modular", "modular", 0, "./decoder/modular");
  is("here/mine", "mine", 0, "here/mine");

  const auto parts = [](const std::string& chain) { return chain_parts(chain, "here"); };
  using Parts = std::vector<std::string>;
  CHECK(parts("./a+b/rounding-mine.so") == Parts{"./a+b/rounding-mine.so"});
  CHECK(parts("/c++/x.so+rounding/sign+../d+e/y.so") == Parts{"/c++/x.so", "rounding/sign", "../d+e/y.so"});
  CHECK(parts("sign+./mine.so") == Parts{"sign", "./mine.so"});

  Registry& registry = test::builtin();
  CHECK(registry.find(CONCORD_DECODER, "decoder/modular").id() == "decoder/modular");
  CHECK_THROWS_WITH(registry.find(CONCORD_DECODER, "rounding/sign"),
                    "rounding/sign is a rounding, and a decoder is needed here");
}

TEST_CASE("the answer of a child that ends between two looks is not lost") {
  for (int i = 0; i < 40; ++i) {  // a look is taken about every 20 ms
    const IsolatedResult result = run_isolated(
        [&] {
          ::usleep(static_cast<useconds_t>(19000 + 50 * i));
          return std::string("answer");
        },
        5);
    CAPTURE(i, result.failure);
    CHECK(result.ok);
    CHECK(result.output == "answer");
  }
}

TEST_CASE("option values: defaults, every type, printable") {
  ErrorList errors;
  const OptionValues values(
      "decoder/x", sample(),
      {{"flag", "false", "o"}, {"count", " 7", "o"}, {"list", "0.5, 3", "o"}, {"text", "a=b", "o"}}, errors);
  CHECK(errors.empty());
  const char* expected[] = {"false", "7", "1e-06", "a=b", "fast", "[0.5, 3]"};
  for (size_t i = 0; i < 6; ++i) CHECK(values.text(i) == expected[i]);
  CHECK(values.records()[5].length == 2);
  CHECK(std::string(values.records()[3].name) == "text");
  CHECK(errors_of({{"list", "[]", "o"}}).empty());
}

TEST_CASE("option errors name origin, value and what is right") {
  const auto one = [](const std::string& key, const std::string& value) {
    const auto errors = errors_of({{key, value, "run.toml:3"}});
    REQUIRE(errors.size() == 1);
    CHECK_THAT(errors[0], Contains("run.toml:3") && Contains("decoder/x"));
    return errors[0];
  };
  CHECK_THAT(one("flag", "yes"), Contains("'yes'") && Contains("true or false"));
  CHECK_THAT(one("count", "2.5"), Contains("integer in [1, 10]"));
  CHECK_THAT(one("count", "11"), Contains("integer in [1, 10]"));
  CHECK_THAT(one("count", "99999999999999999999"), Contains("integer in [1, 10]"));
  for (const char* bad : {"nan", "inf", "1e999", "", "0.5x", "-0.1", "1,5"}) one("tol", bad);
  CHECK_THAT(one("mode", "fats"), Contains("did you mean fast?"));
  for (const char* bad : {"1,,2", "[1, 2", "1,", "-1", "a"}) one("list", bad);
  CHECK_THAT(one("colour", "1"), Contains("no option 'colour'") && Contains("flag, count, tol"));
  CHECK(errors_of({{"tol", "2", "a"}, {"count", "0", "b"}, {"x", "y", "c"}}).size() == 3);
}

TEST_CASE("losses that lie are named") {
  Registry fakes({places::fakes()}, {});
  const LabelVector y = LabelVector::Constant(3, 1);
  const auto use = [&](const std::string& name) {
    const Plugin& plugin = fakes.find(CONCORD_LOSS, name);
    ErrorList errors;
    Loss loss(plugin, OptionValues(plugin.id(), plugin.options(), {}, errors), {});
    loss.prepare(3, 1, {0, 0, 0});
    loss.evaluate(y, y);
    loss.describe(y);
  };
  CHECK_THROWS_WITH(use("nan-loss"), Contains("loss/nan-loss failed in evaluate"));
  CHECK_THROWS_WITH(use("negative-loss"), Contains("returned the loss -1"));
  CHECK_THROWS_WITH(use("no-subproblems"), Contains("a family of 0 subproblems"));
  CHECK_THROWS_WITH(use("unfilled-family"), Contains("missing or not finite"));
  CHECK_THROWS_WITH(use("odd-beta"), Contains("1'u = 4, which no labelling of 3 labels has"));
  CHECK_THROWS_WITH(use("throws-in-describe"), Contains("no family for 3 labels"));
}

TEST_CASE("loading plugins leaves the process as it was") {
  const auto directory = std::filesystem::current_path();
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const FloatingPointState before;
  const Plugin plugin(places::fakes() + "/decoder-changes-process.so");
  CHECK(plugin.name() == "changes-process");
  CHECK(std::filesystem::current_path() == directory);
  CHECK(std::setlocale(LC_ALL, nullptr) == locale);
  CHECK_FALSE(before.changed());
  {
    const FloatingPointState guard;
    std::fesetround(FE_UPWARD);
    CHECK(guard.changed());
  }
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("a child process may return, throw, exit, crash and hang") {
  CHECK(run_isolated([] { return std::string("hello"); }, 5).output == "hello");
  const std::string large(300000, 'x');
  CHECK(run_isolated([&] { return large; }, 5).output == large);
  CHECK_FALSE(run_isolated([]() -> std::string { throw std::runtime_error("thrown on purpose"); }, 5).ok);
  CHECK(run_isolated([]() -> std::string { ::_exit(0); }, 5).failure == "ended the process with exit code 0");
  CHECK(run_isolated(
            []() -> std::string {
              ::raise(SIGKILL);
              return "";
            },
            5)
            .failure == "crashed with SIGKILL");
  const auto burn = [](double seconds) {
    while (static_cast<double>(std::clock()) < seconds * CLOCKS_PER_SEC) {
    }
    return std::string("done");
  };
  const auto sleeps = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      {5, 0.3});
  CHECK(sleeps.timed_out);
  CHECK_THAT(sleeps.failure, Contains("did not answer within 0.3 s (0.0 s of CPU time used)"));
  TimeLimits impatient(60);
  impatient.idle_seconds = 0.3;
  const auto idle = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      impatient);
  CHECK(idle.timed_out);
  CHECK(idle.failure == "did not answer within 0.3 s in which it used no CPU time");
  const auto burns = run_isolated([&] { return burn(60); }, {0.3, 60});
  CHECK(burns.timed_out);
  CHECK(burns.failure == "did not answer within 0.3 s of CPU time");
  // What a process has started counts with it.
  const auto by_proxy = run_isolated(
      [&] {
        if (::fork() == 0) ::_exit(burn(60).empty());
        ::wait(nullptr);
        return std::string();
      },
      {0.3, 60});
  CHECK(by_proxy.failure == "did not answer within 0.3 s of CPU time");
  // A clock on the wall that runs far ahead, as on a busy machine, is no reason to end a process.
  const auto waits = run_isolated(
      [] {
        ::usleep(600'000);
        return std::string("done");
      },
      {0.3, 60});
  CHECK(waits.output == "done");
  // A grandchild that keeps the pipe open does not keep us waiting.
  const auto start = std::chrono::steady_clock::now();
  const auto orphan = run_isolated(
      []() -> std::string {
        if (::fork() == 0)
          for (;;) ::pause();
        return "done";
      },
      20);
  CHECK(orphan.output == "done");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

TEST_CASE("decoders are gated by their capabilities, in one sentence") {
  using namespace concord::test;
  kit::Rng rng(6);
  const CanonicalProblem problem = random_problem(rng, 4, PriorSign::any, false);
  CHECK_THROWS_WITH(make_decoder("modular")->prepare(problem.A), Contains("needs A = 0"));
  const CanonicalProblem wide = random_problem(rng, 25, PriorSign::none, false);
  CHECK_THROWS_WITH(make_decoder("exhaustive")->prepare(wide.A),
                    Contains("at most 24 labels") && Contains("has 25"));
  const auto modular = make_decoder("modular");
  modular->prepare(wide.A);
  CHECK_THROWS_WITH(modular->solve(Instance{wide.c, 26}), Contains("0 to 25"));
  CHECK_THROWS_WITH(modular->solve(Instance{problem.c, 2}), Contains("4 entries"));
  // Equality rows cross the border only to plugins that take them.
  const auto family_of = [](const Eigen::VectorXd& e, double beta) {
    return FamilyData{Eigen::MatrixXd::Zero(25, 0), Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Zero(0, 1), e,
                      Eigen::MatrixXd::Constant(1, 1, beta)};
  };
  const auto refuses = [&](const Decoder& decoder, const FamilyData& family, const char* why) {
    CHECK_THROWS_WITH(decoder.solve_family({wide.c}, family), Contains(why));
    CHECK_THROWS_WITH(decoder.solve_family_by_loop({wide.c}, family), Contains(why));
  };
  const FamilyData of_one_label = family_of(Eigen::VectorXd::Unit(25, 0), 1);
  const FamilyData weighted = family_of(2 * Eigen::VectorXd::Unit(25, 0), 2);
  const auto spectral = make_decoder("spectral");
  spectral->prepare(wide.A);
  refuses(*spectral, of_one_label,
          "decoder/spectral cannot solve this problem: it has an equality row of zeros and ones, and the "
          "decoder takes only a cardinality");
  refuses(*modular, weighted,
          "it has general equality rows, and the decoder takes only one equality row of zeros and ones");
  CHECK(modular->solve_family({wide.c}, of_one_label).u()[0] == 1);
  CHECK(modular->solve_family_by_loop({wide.c}, of_one_label).u()[0] == 1);
}

TEST_CASE("losses refuse options that do not fit the data") {
  const auto loss = test::make_loss("weighted-hamming", {{"label_weights", "[1, 2]", "test"}});
  CHECK_THROWS_WITH(loss->prepare(3, 1, {0, 0, 0}), Contains("2") && Contains("3"));
}

}  // namespace concord::registry_test
