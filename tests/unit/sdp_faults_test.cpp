// SPDX-License-Identifier: MIT
// An SDP solver or its worker that fails: one decode has its sentence as status, and the next one works.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "data_support.hpp"
#include "solve/verify.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::sdp_faults_test {

using namespace concord::test;
using Catch::Contains;
using Catch::EndsWith;
namespace fs = std::filesystem;

namespace {

CanonicalProblem small_problem() {
  kit::Rng rng(7);
  return random_problem(rng, 6, PriorSign::any, false);
}

std::unique_ptr<Decoder> decoder_of(const Plugin& plugin, const std::vector<Setting>& settings,
                                    const RunControl& control = {}) {
  ErrorList errors;
  const OptionValues values(plugin.id(), plugin.options(), settings, errors);
  REQUIRE(errors.empty());
  return std::make_unique<Decoder>(plugin, values, control);
}

/// A copy of the plugin sdp-csdp with a worker of its own, which is replaced as the tests like.
class Installation {
 public:
  explicit Installation(const std::string& name = "sdp-csdp",
                        const std::string& worker = "concord-csdp-worker")
      : worker_(root() / "libexec" / worker),
        registry_((prepare(name), std::vector{root() / "plugins"}), {}) {}

  Registry& registry() { return registry_; }
  fs::path root() const { return scratch_ / "here"; }
  /// The fake with a fault, or with none the real one. What runs already goes on running.
  void install(const std::string& fault) {
    remove();
    fs::copy_file(fault.empty() ? fs::path(places::plugins()).parent_path() / "libexec" / worker_.filename()
                                : fs::path(places::fakes()).parent_path() / "fake-worker",
                  worker_);
    std::ofstream(worker_.parent_path() / "fault") << fault;
  }
  void remove() { fs::remove(worker_); }

 private:
  void prepare(const std::string& name) {
    fs::create_directories(root() / "plugins");
    fs::create_directories(root() / "libexec");
    const std::string file = "decoder-" + name + ".so";
    fs::copy_file(fs::path(places::plugins()) / file, root() / "plugins" / file);
    install("");
  }
  Folder scratch_;
  fs::path worker_;
  Registry registry_;
};

}  // namespace

TEST_CASE("a worker that fails is one failed decode, with its own sentence") {
  const CanonicalProblem problem = small_problem();
  struct Case {
    const char* fault;
    const char* sentence;
    bool ends = true;  ///< the worker, which is replaced; one that only lies is kept
  };
  const Case cases[] = {
      {"exit", "the worker exited with code 206 while it solved, without an answer"},
      {"segfault",
       "the worker was ended by signal 11 (Segmentation fault) while it solved, without an answer"},
      {"killed", "the worker was ended by signal 9 (Killed) while it solved, without an answer"},
      {"hang", "the worker gave no answer within 1 s (option time_limit) and was ended"},
      {"cut-short", "the worker exited with code 0 in the middle of its answer"},
      {"garbage", "what the worker sent while it solved is not an answer"},
      {"exit-0", "the worker exited with code 0 while it solved, without an answer"},
      {"chatter",
       "without an answer; it said: reading the licence | \xef\xbf\xbd[31mno licence\xef\xbf\xbd[0m for \"fake\""},
      {"flood", "iteration 199998 of very many | iteration 199999 of very many"},
      {"first-wire",
       "without an answer; it speaks version 1 of the wire, and the plugin version 2: install both from one "
       "build"},
      {"throw", "the library says no"},
      {"tell", "tol 1e-06 and 1e-06, lifted, time_limit 1, 1 thread, less than 1 s"},
      {"unknown-option",
       "the worker asks for an option 'iterations' that its plugin does not declare (it declares tol, "
       "cardinality, time_limit)"},
      {"missing", "cannot be started: No such file or directory"},
      {"nan", "the solver's answer is wrong: M has an entry that is not finite", false},
      {"indefinite", "the solver's answer is wrong: M is not positive semidefinite, it has the eigenvalue -2",
       false},
      {"objective", "the solver's answer is wrong: it reports the objective 1000, and <C,M> is 0", false}};
  for (const Case& one : cases) {
    Installation here;  // workers belong to the loaded plugin: a copy for each fault
    const auto decoder =
        decoder_of(here.registry().find(CONCORD_DECODER, "sdp-csdp"), {{"time_limit", "1", "test"}});
    decoder->prepare(problem.A);
    here.install(one.fault);
    if (std::string(one.fault) == "missing") here.remove();
    const RelaxedSolution s = decoder->solve({problem.c});
    CHECK(s.status == CONCORD_FAILED);
    CHECK_THAT(s.message, EndsWith(one.sentence));
    CHECK(s.message.size() < 511);  // all of it fits
    if (!one.ends) continue;
    here.install("");
    CHECK(decoder->solve({problem.c}).status == CONCORD_RELAXED);
  }
}

TEST_CASE("a worker that hangs is left at the deadline or a stop request, with a valid point") {
  Installation here;
  here.install("hang");
  const Plugin& plugin = here.registry().find(CONCORD_DECODER, "sdp-csdp");
  const CanonicalProblem problem = small_problem();
  RunControl control;
  control.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  auto decoder = decoder_of(plugin, {}, control);
  decoder->prepare(problem.A);
  for (const std::optional<int64_t> k : {std::optional<int64_t>{}, std::optional<int64_t>{2}}) {
    const RelaxedSolution s = decoder->solve({problem.c, k});
    CHECK(s.status == CONCORD_LIMIT);
    CHECK_THAT(s.message, Contains("interrupted before the solver had an answer"));
    verify_solution(plugin, s, problem.A, problem.c, k);
  }
  std::atomic<bool> stop = false;
  control = {};
  control.stop = &stop;
  decoder = decoder_of(plugin, {}, control);
  decoder->prepare(problem.A);
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  CHECK(decoder->solve({problem.c}).status == CONCORD_STOPPED);
}

TEST_CASE("what a worker logs reaches the host's log, cleaned and bounded, and what it prints does not") {
  Installation here;
  here.install("logs");
  RunControl control;
  std::vector<std::pair<int, std::string>> lines;
  control.log = [&](const std::string& plugin, int level, const std::string& text) {
    CHECK(plugin == "decoder/sdp-csdp");
    lines.emplace_back(level, text);
  };
  const auto decoder = decoder_of(here.registry().find(CONCORD_DECODER, "sdp-csdp"), {}, control);
  const CanonicalProblem problem = small_problem();
  decoder->prepare(problem.A);
  const RelaxedSolution s = decoder->solve({problem.c});
  CHECK(s.status == CONCORD_LIMIT);
  CHECK_THAT(s.message, !Contains("noise"));
  REQUIRE(lines.size() == 1001);
  CHECK(lines[0] == std::pair<int, std::string>(CONCORD_LOG_INFO, "phase 1 \xef\xbf\xbd[1mdone"));
  CHECK(lines[1] == std::pair<int, std::string>(CONCORD_LOG_WARNING, "nearly singular"));
  CHECK(lines[2] == std::pair<int, std::string>(CONCORD_LOG_DEBUG, "step"));
  CHECK(lines[1000].second == "the worker logs more lines than are shown of one solve");
}

TEST_CASE("the deadline passes to the worker, and a log without end does not outlast it") {
  Installation here;
  here.install("tell");
  const Plugin& plugin = here.registry().find(CONCORD_DECODER, "sdp-csdp");
  const CanonicalProblem problem = small_problem();
  RunControl control;
  control.deadline = seconds_from_now(50);
  const auto decoder = decoder_of(plugin, {}, control);
  decoder->prepare(problem.A);
  CHECK_THAT(decoder->solve({problem.c}).message, EndsWith("time_limit 3600, 1 thread, less than 45 s"));
  Installation other;
  other.install("logs-on");
  control.deadline = seconds_from_now(0.1);
  const auto endless = decoder_of(other.registry().find(CONCORD_DECODER, "sdp-csdp"), {}, control);
  endless->prepare(problem.A);
  CHECK(endless->solve({problem.c}).status == CONCORD_LIMIT);
}

TEST_CASE("a worker that has y alone gives a bound") {
  Installation here;
  here.install("dual-alone");
  const Plugin& plugin = here.registry().find(CONCORD_DECODER, "sdp-csdp");
  const CanonicalProblem problem = small_problem();
  const auto decoder = decoder_of(plugin, {});
  decoder->prepare(problem.A);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const RelaxedSolution s = decoder->solve({problem.c});
    CHECK(s.status == CONCORD_LIMIT);
    CHECK(s.message ==
          "out of time; the solver was cut short, and its y is a bound: these are the labels of c alone");
    verify_solution(plugin, s, problem.A, problem.c, {});
    CHECK(s.bound >= naive_optimum(problem));
  }
}

TEST_CASE("a plugin names the solver of its worker; a worker of another version makes it unusable") {
  Installation here;
  here.install("none");
  CHECK(here.registry().find(CONCORD_DECODER, "sdp-csdp").solver({}) == "fake solver 7.1");
  Installation other;
  other.install("first-wire");
  CHECK_THROWS_WITH(other.registry().find(CONCORD_DECODER, "sdp-csdp"),
                    Contains("speaks version 1 of the wire, and the plugin version 2"));
  CHECK(builtin().find(CONCORD_DECODER, "sdp-csdp").solver({}) == "CSDP");
  CHECK(builtin().find(CONCORD_DECODER, "spectral").solver({}).empty());
}

TEST_CASE("a missing worker, or one that does not start, makes the plugin unusable") {
  Installation here;
  here.remove();
  CHECK_THROWS_WITH(
      here.registry().find(CONCORD_DECODER, "sdp-csdp"),
      Contains("its worker " + (here.root() / "libexec/concord-csdp-worker").string() + " is missing"));
  std::ofstream(here.root() / "libexec/concord-csdp-worker")
      << "#!/bin/sh\necho libsdp.so: not found >&2\nexit 127\n";
  fs::permissions(here.root() / "libexec/concord-csdp-worker", fs::perms::owner_all);
  CHECK_THROWS_WITH(here.registry().find(CONCORD_DECODER, "sdp-csdp"),
                    Contains("does not find its libraries") && EndsWith("; it said: libsdp.so: not found"));
}

TEST_CASE("a stray param.csdp changes nothing") {
  const CanonicalProblem problem = small_problem();
  const auto solve = [&] {
    const auto decoder = make_decoder("sdp-csdp");
    decoder->prepare(problem.A);
    return decoder->solve({problem.c});
  };
  const RelaxedSolution before = solve();
  const Folder scratch;
  const fs::path home = fs::current_path();
  fs::current_path(scratch / "");
  std::ofstream("param.csdp") << "axtol=1.0e-1\natytol=1.0e-1\nobjtol=1.0e-1\npinftol=1.0e8\ndinftol=1.0e8\n"
                                 "maxiter=2\nminstepfrac=0.90\nmaxstepfrac=0.97\nminstepp=1.0e-8\n"
                                 "minstepd=1.0e-8\nusexzgap=1\ntweakgap=0\naffine=0\nprintlevel=3\n"
                                 "perturbobj=1\nfastmode=0\n";
  const RelaxedSolution after = solve();
  fs::current_path(home);
  CHECK(after.status == CONCORD_RELAXED);
  CHECK(after.value == before.value);
  CHECK(after.bound == before.bound);
  CHECK(after.F == before.F);
}

TEST_CASE("what a solver returns is verified, each fault with its own sentence") {
  Registry registry({places::fakes()}, {});
  const Plugin& plugin = registry.find(CONCORD_DECODER, "sdp-fake");
  const CanonicalProblem problem = small_problem();
  struct Case {
    const char* fault;
    std::optional<int64_t> k;
    const char* form;
    const char* sentence;
  };
  const std::string wrong = "the solver's answer is wrong: ";
  const Case cases[] = {
      {"empty", {}, "lifted", "the solver returned no M"},
      {"throws", {}, "lifted", "the licence server is away"},
      {"shape", {}, "lifted", "M is 6 x 6, not 7 x 7"},
      {"columns", {}, "lifted", "the factor of M has 6 columns, not 7"},
      {"dual-size", {}, "lifted", "y has 6 entries, not 7"},
      {"nan", {}, "lifted", "M has an entry that is not finite"},
      {"dual-nan", {}, "lifted", "the dual variables are not finite"},
      {"asymmetric", {}, "lifted", "M is not symmetric, entries (1,0) and (0,1) differ by 0.001"},
      {"diagonal", {}, "lifted", "the diagonal of M is not 1, entry 2 is 0.9"},
      {"cardinality", 2, "row", "M breaks the cardinality, its u sums to 0 and not to -2"},
      {"lifted", 2, "lifted", "M breaks the lifted cardinality, |Ma|/|a| is "},
      {"indefinite", {}, "lifted", "M is not positive semidefinite, it has the eigenvalue "},
      {"objective", {}, "lifted", "it reports the objective 1000, and <C,M> is "}};
  for (const Case& one : cases) {
    const auto decoder =
        decoder_of(plugin, {{"fault", one.fault, "test"}, {"cardinality", one.form, "test"}});
    decoder->prepare(problem.A);
    const RelaxedSolution s = decoder->solve({problem.c, one.k});
    CHECK(s.status == CONCORD_FAILED);
    CHECK_THAT(s.message, Contains(one.sentence));
  }
  // Feasible but far from optimal, also after rounding errors and as a factor: a valid bound, no more.
  for (const char* fine : {"none", "rounding", "factor"})
    for (const char* form : {"lifted", "row"})
      for (const std::optional<int64_t> k : {std::optional<int64_t>{}, std::optional<int64_t>{2}}) {
        const auto decoder = decoder_of(plugin, {{"fault", fine, "test"}, {"cardinality", form, "test"}});
        decoder->prepare(problem.A);
        const RelaxedSolution s = decoder->solve({problem.c, k});
        INFO(fine << " " << form << " " << s.message);
        CHECK(s.status == CONCORD_LIMIT);
        CHECK_THAT(s.message, Contains("the certified relative gap is"));
        verify_solution(plugin, s, problem.A, problem.c, k);
        CHECK((s.F.rowwise().squaredNorm().array() - 1).abs().maxCoeff() < 1e-12);
        CHECK(s.bound >= s.value);
      }
}

TEST_CASE("sdp-mosek tells 'not built', 'no runtime' and 'no licence' apart") {
  CHECK_THROWS_WITH(builtin().find(CONCORD_DECODER, "sdp-mosek"),
                    Contains("not built: CMake found no MOSEK Fusion"));
  // Built against a stand-in, with a runtime, then without; the real library has never been tried.
  const Folder scratch;
  const fs::path here = scratch / "here";
  fs::copy(fs::path(places::fakes()).parent_path() / "mosek", here, fs::copy_options::recursive);
  Registry registry({here / "plugins"}, {});
  const char* home = std::getenv("HOME");
  const std::string old_home = home != nullptr ? home : "";
  ::unsetenv("MOSEKLM_LICENSE_FILE");
  ::setenv("HOME", here.c_str(), 1);
  CHECK_THROWS_WITH(registry.find(CONCORD_DECODER, "sdp-mosek"),
                    Contains("no licence: MOSEKLM_LICENSE_FILE"));
  ::setenv("MOSEKLM_LICENSE_FILE", (here / "mosek.lic").c_str(), 1);
  const CanonicalProblem problem = small_problem();
  const auto solve = [&](std::optional<int64_t> k, const char* form) {
    const auto decoder =
        decoder_of(registry.find(CONCORD_DECODER, "sdp-mosek"), {{"cardinality", form, "test"}});
    decoder->prepare(problem.A);
    return decoder->solve({problem.c, k});
  };
  // What looks like a licence to the probe may be none: then the solve says so.
  RelaxedSolution s = solve({}, "lifted");
  CHECK(s.status == CONCORD_FAILED);
  CHECK(s.message == "MOSEK has no licence: License file(s) not found.");
  std::ofstream(here / "mosek.lic") << "a licence";
  s = solve({}, "lifted");  // Z = I: feasible, and far from optimal
  CHECK(s.status == CONCORD_LIMIT);
  CHECK(solve(3, "row").status == CONCORD_LIMIT);
  CHECK_THAT(solve(3, "lifted").message, Contains("the diagonal of M is not 1"));  // b'Ib is not 1
  fs::remove(here / "libexec" / "libfusion64.so");
  CHECK_THROWS_WITH(registry.find(CONCORD_DECODER, "sdp-mosek"),
                    Contains("no runtime: its worker does not find its libraries"));
  ::unsetenv("MOSEKLM_LICENSE_FILE");
  if (old_home.empty()) {
    ::unsetenv("HOME");
  } else {
    ::setenv("HOME", old_home.c_str(), 1);
  }
}

}  // namespace concord::sdp_faults_test
