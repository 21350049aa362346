// SPDX-License-Identifier: MIT
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "check/runner.hpp"
#include "plugin/foreign.hpp"
#include "problem/random.hpp"
#include "process/fork.hpp"

namespace concord::check {
namespace {

constexpr double kSecondsToShrink = 10;
constexpr int kAttempts = 2000;        // in one child
constexpr int kAttemptsOfCrash = 60;   // a child each
constexpr int64_t kMostReplayed = 16;  // to replay a problem means to enumerate it

std::optional<std::string> replay(Subject& subject, const CanonicalProblem& problem) {
  return subject.plugin().kind() == CONCORD_ROUNDING ? replay_rounding(subject, problem)
                                                     : replay_decoder(subject, problem);
}

struct Shrunk {
  CanonicalProblem problem;
  std::string reason;  ///< empty: it does not fail on its own
};

class Evidence {
 public:
  Evidence(const std::filesystem::path& file, const RunOptions& options, const RunControl& control)
      : file_(file), options_(options), control_(control) {}

  /// For a wrong answer: one child tries problem after problem, and leaves the best in the recorder.
  Shrunk shrink_wrong(const CanonicalProblem& problem) const {
    Recorder recorder;
    recorder.clear();
    const IsolatedResult answer = run_isolated(
        [&] {
          silence_standard_output();
          Recorder unused;
          Subject subject(file_, options_.seed, kSecondsToShrink, unused, options_.settings);
          std::string reason;
          const auto fails = [&](const CanonicalProblem& candidate) {
            if (subject.time_is_short()) return false;
            const auto fault = replay(subject, candidate);
            if (!fault) return false;
            reason = *fault;
            recorder.note_problem(candidate);
            return true;
          };
          if (fails(problem)) shrink(problem, fails, kAttempts);
          return reason;
        },
        kSecondsToShrink, control_);
    return {recorder.problem().value_or(problem), answer.ok ? foreign_line(answer.output.c_str()) : ""};
  }

  /// For a crash: a child for every attempt.
  Shrunk shrink_crash(const CanonicalProblem& problem) const {
    std::string reason;
    const auto fails = [&](const CanonicalProblem& candidate) {
      const IsolatedResult answer = run_isolated(
          [&] {
            silence_standard_output();
            Recorder unused;
            Subject subject(file_, options_.seed, kSecondsToShrink, unused, options_.settings);
            replay(subject, candidate);
            return std::string();
          },
          kSecondsToShrink, control_);
      if (answer.ok || answer.timed_out) return false;
      reason = answer.failure;
      return true;
    };
    if (!fails(problem)) return {problem, ""};
    CanonicalProblem smallest = shrink(problem, fails, kAttemptsOfCrash);
    return {std::move(smallest), reason};
  }

 private:
  const std::filesystem::path& file_;
  const RunOptions& options_;
  const RunControl& control_;
};

/// Beside the truth, where there is one: a false bound shows only there. What crashes is shown alone.
std::string arguments(const Report& report, bool small, const std::filesystem::path& file,
                      const RunOptions& options) {
  std::string settings;
  const std::string kind = kind_name(options.kind);
  for (const Setting& setting : options.settings)
    settings += " --set " + for_shell(fmt::format("{}.{}={}", kind, setting.key, setting.value));
  if (options.kind == CONCORD_ROUNDING)
    return "--decoder spectral --rounding " + for_shell(options.shown_file) + settings;
  // Settings of one decoder among several cannot be told apart.
  const bool compare =
      report.verdict == Verdict::fail && small && settings.empty() && file.stem() != "decoder-exhaustive";
  return compare ? "--compare " + for_shell("exhaustive," + options.shown_file)
                 : "--decoder " + for_shell(options.shown_file) + settings;
}

}  // namespace

void add_evidence(Report& report, const CanonicalProblem& problem, const std::filesystem::path& file,
                  const RunOptions& options, const RunControl& control) {
  const Evidence evidence(file, options, control);
  const bool small = problem.labels() <= kMostReplayed;
  Shrunk shrunk{problem, report.reason};
  if (small && report.verdict == Verdict::fail) shrunk = evidence.shrink_wrong(problem);
  if (small && report.verdict == Verdict::crash) shrunk = evidence.shrink_crash(problem);
  if (shrunk.reason.empty()) {
    if (options.kind == CONCORD_DECODER)
      report.reason += "; a new object solves the problem rightly, so the answer depends on earlier calls";
    return;
  }
  report.on_a_problem = true;
  // The sentence of the small problem has the small numbers; a crash is described better by where it happened.
  const std::string size = size_of(shrunk.problem);
  const std::string what = small && report.verdict == Verdict::fail ? shrunk.reason : report.reason;
  const std::string from = size == size_of(problem) ? "" : fmt::format(", shrunk from {}", size_of(problem));
  report.reason =
      one_line(fmt::format("{} ({}{}; test {}, seed {})", what, size, from, report.id, options.seed));
  if (options.out.empty()) return;
  const std::filesystem::path path =
      (options.out / fmt::format("check-{}-{}.json", file.stem().string(), report.id)).lexically_normal();
  try {
    write_file_atomically(path, problem_text(shrunk.problem));
    report.reason +=
        one_line(fmt::format("; replay: concord decode --problem {} {} --seed {}", for_shell(path.string()),
                             arguments(report, small, file, options), options.seed));
  } catch (const Error& e) {
    report.reason += one_line(fmt::format("; the problem could not be written: {}", e.what()));
  }
}

}  // namespace concord::check
