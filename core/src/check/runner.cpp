// SPDX-License-Identifier: MIT
#include "check/runner.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "plugin/foreign.hpp"
#include "process/fork.hpp"

namespace concord::check {
namespace {

using Json = nlohmann::json;

/// A test that uses no CPU time for so long waits in vain: on the busiest machine a process that can run gets some.
constexpr double kIdleSeconds = 10;

/// What a test came to, and the problem on which a decoder erred.
struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string reason;
  std::optional<CanonicalProblem> problem;
};

Outcome attempt(const Test& test, Subject& subject) {
  try {
    return {Verdict::pass, test.run(subject), std::nullopt};
  } catch (const Skip& e) {
    return {Verdict::skip, e.what(), std::nullopt};
  } catch (const Failure& e) {
    return {Verdict::fail, e.what(), e.problem};
  } catch (const Error& e) {
    return {Verdict::fail, complaint(e, subject.name()), std::nullopt};
  } catch (const std::exception& e) {
    return {Verdict::fail, fmt::format("an exception escapes: {}", e.what()), std::nullopt};
  } catch (...) {
    return {Verdict::fail, "an exception escapes that is not a std::exception", std::nullopt};
  }
}

/// The problem travels in the shared memory of the recorder.
std::string pack(const Outcome& outcome, Recorder& recorder) {
  recorder.clear();
  if (outcome.problem) recorder.note_problem(*outcome.problem);
  return Json{{"verdict", verdict_name(outcome.verdict)}, {"reason", outcome.reason}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

/// What the child says that a test came to. The code of the plugin ran there, and may have written anything instead: the
/// worst that it can do is a wrong verdict about itself.
std::optional<Outcome> unpack(const std::string& answer) {
  const auto json = json_in(answer);
  if (!json || !json->is_object()) return std::nullopt;
  const auto verdict = json->find("verdict"), reason = json->find("reason");
  if (verdict == json->end() || reason == json->end() || !reason->is_string()) return std::nullopt;
  for (const Verdict one : {Verdict::pass, Verdict::fail, Verdict::skip})
    if (*verdict == verdict_name(one)) return Outcome{one, reason->get<std::string>(), std::nullopt};
  return std::nullopt;
}

Outcome isolated(const Test& test, const std::filesystem::path& file, const RunOptions& options,
                 const RunControl& control, Recorder& recorder) {
  recorder.clear();
  TimeLimits limits(options.time_limit);
  limits.idle_seconds = kIdleSeconds;
  const IsolatedResult answer = run_isolated(
      [&] {
        silence_standard_output();
        // Never destroyed: a thread of the plugin may still run, and the process ends now anyway.
        auto* subject = new Subject(file, options.seed, options.time_limit, recorder, options.settings);
        return pack(attempt(test, *subject), recorder);
      },
      limits, control);
  Outcome outcome;
  outcome.problem = recorder.problem();
  if (answer.ok) {
    const auto said = unpack(answer.output);
    if (!said) return {Verdict::fail, "the child process answered nonsense", std::nullopt};
    outcome.verdict = said->verdict;
    outcome.reason = said->reason;
    return outcome;
  }
  outcome.verdict = answer.timed_out ? Verdict::timeout : Verdict::crash;
  const std::string doing = recorder.doing();
  outcome.reason = answer.failure + (doing.empty() ? "" : " while " + doing);
  return outcome;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  static constexpr const char* names[] = {"pass", "fail", "crash", "timeout", "skip"};
  return names[static_cast<size_t>(verdict)];
}

Identity identify(const std::filesystem::path& file, const std::vector<Setting>& settings, double seconds,
                  const RunControl& control) {
  Identity identity;
  const IsolatedResult answer = run_isolated(
      [&] {
        silence_standard_output();
        try {
          const Plugin plugin(file);
          ErrorList errors;
          const OptionValues values(plugin.id(), plugin.options(), settings, errors);
          return Json{{"id", plugin.id()},
                      {"version", plugin.version()},
                      {"settings", errors.empty() ? "" : errors.all().front().what()}}
              .dump(-1, ' ', false, Json::error_handler_t::replace);
        } catch (const Error&) {
          return std::string();  // the tests say why
        }
      },
      seconds, control);
  if (const auto json = answer.ok ? json_in(answer.output) : std::nullopt; json && json->is_object()) {
    const auto text = [&](const char* key) {
      const auto found = json->find(key);
      return found != json->end() && found->is_string()
                 ? foreign_line(found->get_ref<const std::string&>().c_str())
                 : std::string();
    };
    if (!text("id").empty()) {
      identity.id = text("id");
      identity.version = text("version");
      identity.fault_of_settings = text("settings");
      identity.kind = kind_from_name(identity.id.substr(0, identity.id.find('/')));
      if (identity.kind != 0) return identity;
    }
  }
  std::string stem = file.stem().string();
  const size_t dash = std::min(stem.find('-'), stem.size());
  identity.kind = kind_from_name(stem.substr(0, dash));
  identity.id = identity.kind == 0 ? file.string() : stem.replace(dash, 1, "/");
  return identity;
}

std::vector<Report> run_tests(const std::filesystem::path& file, const std::vector<Test>& tests,
                              const RunOptions& options, const RunControl& control,
                              const std::function<void(const Report&)>& each) {
  std::vector<Report> reports;
  Recorder recorder;
  std::string closed;  // the gate that did not open
  for (const Test& test : tests) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    Report report;
    report.id = test.id;
    if (!closed.empty()) {
      report.reason = fmt::format("left out, as '{}' did not pass", closed);
    } else {
      Outcome outcome;
      if (options.in_process) {
        Subject subject(file, options.seed, 1e9, recorder, options.settings);
        outcome = attempt(test, subject);
      } else {
        outcome = isolated(test, file, options, control, recorder);
      }
      if (control.stop_requested()) break;
      report.verdict = outcome.verdict;
      report.reason = foreign_line(outcome.reason.c_str());
      if (is_failure(report.verdict) && outcome.problem && !options.in_process &&
          options.kind != CONCORD_LOSS)
        add_evidence(report, *outcome.problem, file, options, control);
      if (options.gates && test.gate && report.verdict != Verdict::pass) closed = test.id;
    }
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    each(report);
    reports.push_back(std::move(report));
    if (options.fail_fast && is_failure(reports.back().verdict)) break;
  }
  return reports;
}

namespace {

/// The reason up to its problem, without digits: what two failures of one fault share.
std::string shape(const Report& report) {
  std::string text = report.reason.substr(0, report.reason.find(" ("));
  std::erase_if(
      text, [](unsigned char ch) { return std::isdigit(ch) != 0 || ch == '.' || ch == '-' || ch == '+'; });
  return verdict_name(report.verdict) + text;
}

}  // namespace

Beginning where_to_begin(const std::vector<Report>& reports) {
  Beginning beginning;
  for (const Report& report : reports) {
    if (!is_failure(report.verdict)) continue;
    if (beginning.report == nullptr) beginning.report = &report;
    if (shape(report) == shape(*beginning.report)) ++beginning.alike;
  }
  return beginning;
}

}  // namespace concord::check
