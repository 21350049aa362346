// SPDX-License-Identifier: MIT
#include "check/evidence.hpp"

#include "check/examine.hpp"
#include "check/problems.hpp"
#include "check/shrink.hpp"
#include "error.hpp"
#include "files.hpp"
#include "isolate.hpp"

namespace concord::check {
namespace {

constexpr double kSecondsToShrink = 10;
constexpr int kAttempts = 2000;       // in one child
constexpr int kAttemptsOfCrash = 60;  // a child each
constexpr int64_t kMostLabels = 16;   // to replay a problem means to enumerate it

struct Shrunk {
  CanonicalProblem problem;
  std::string reason;  ///< empty: it does not fail on its own
};

/// For a wrong answer: one child asks again and again, and leaves the best in the recorder at every step.
Shrunk shrink_wrong(const CanonicalProblem& problem, const std::filesystem::path& file,
                    const RunOptions& options, const RunControl& control) {
  Recorder recorder;
  recorder.clear();
  const IsolatedResult answer = run_isolated(
      [&] {
        silence_standard_output();
        Recorder unused;
        auto* subject = new Subject(file, options.seed, kSecondsToShrink, unused);
        std::optional<std::string> reason = replay(*subject, problem);
        if (!reason) return std::string();
        recorder.note_problem(problem);
        const auto fails = [&](const CanonicalProblem& candidate) {
          if (subject->time_is_short()) return false;
          const auto fault = replay(*subject, candidate);
          if (!fault) return false;
          reason = fault;
          recorder.note_problem(candidate);
          return true;
        };
        shrink(problem, fails, kAttempts);
        return *reason;
      },
      kSecondsToShrink, control);
  return {recorder.problem().value_or(problem), answer.ok ? answer.output : ""};
}

/// For a crash: a child for every attempt.
Shrunk shrink_crash(const CanonicalProblem& problem, const std::filesystem::path& file,
                    const RunOptions& options, const RunControl& control) {
  std::string reason;
  const auto fails = [&](const CanonicalProblem& candidate) {
    const IsolatedResult answer = run_isolated(
        [&] {
          silence_standard_output();
          Recorder unused;
          Subject subject(file, options.seed, kSecondsToShrink, unused);
          replay(subject, candidate);
          return std::string();
        },
        kSecondsToShrink, control);
    if (answer.ok || answer.timed_out) return false;
    reason = answer.failure;
    return true;
  };
  if (!fails(problem)) return {problem, ""};
  return {shrink(problem, fails, kAttemptsOfCrash), reason};
}

std::string quoted(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=:@") ==
      std::string::npos;
  return plain ? word : "'" + word + "'";
}

}  // namespace

std::string with_evidence(const Report& report, const CanonicalProblem& problem,
                          const std::filesystem::path& file, const RunOptions& options,
                          const RunControl& control) {
  Shrunk shrunk{problem, report.reason};
  const bool small = problem.labels() <= kMostLabels;
  if (report.verdict == Verdict::fail && small) shrunk = shrink_wrong(problem, file, options, control);
  if (report.verdict == Verdict::crash && small) shrunk = shrink_crash(problem, file, options, control);
  if (shrunk.reason.empty())
    return report.reason + "; on its own the problem does not fail: the answer depends on earlier calls";
  const std::string reason =
      report.verdict == Verdict::fail && small
          ? fmt::format("{} ({}, shrunk from {}; test {}, seed {})", shrunk.reason, size_of(shrunk.problem),
                        size_of(problem), report.id, options.seed)
          : fmt::format("{} (seed {})", report.reason, options.seed);
  const std::filesystem::path path =
      (options.out / fmt::format("check-{}-{}.json", file.stem().string(), report.id)).lexically_normal();
  try {
    write_file_atomically(path, problem_text(shrunk.problem));
  } catch (const Error& e) {
    return fmt::format("{}; its problem could not be written: {}", reason, e.what());
  }
  // Beside the truth, where there is one: a false bound shows only there.
  const bool compare = report.verdict == Verdict::fail && small && file.stem() != "decoder-exhaustive";
  return fmt::format("{}; replay: concord decode --problem {} {} {} --seed {}", reason, quoted(path.string()),
                     compare ? "--compare" : "--decoder",
                     quoted(compare ? "exhaustive," + options.shown_file : options.shown_file), options.seed);
}

}  // namespace concord::check
