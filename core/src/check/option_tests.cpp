// SPDX-License-Identifier: MIT
// Does it run at all: with its defaults, and with every option at the ends of its range.
#include <cmath>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "check/raw.hpp"

namespace concord::check {
namespace {

constexpr int64_t kSecondsPerValue = 1;

/// Small problems with these settings; `thorough` also holds the answers to what they claim.
void run_decoder(Subject& subject, const std::vector<Setting>& settings, const RunControl& control,
                 bool thorough) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("small"));
  for (const bool with_k : {false, true}) {
    if (with_k && !scope.cardinality) continue;
    const CanonicalProblem problem = problem_in(scope, rng, scope.labels(settings.empty() ? 5 : 3), with_k);
    const auto doing = [&](const char* what) {
      if (settings.empty()) subject.note(what);  // else the setting is what matters
    };
    if (settings.empty()) subject.note_problem(problem);  // it is replayed with the defaults
    doing("creating");
    const auto decoder = make_decoder(subject, settings, control);
    doing("preparing");
    decoder->prepare(problem.A);
    doing("solving");
    const RelaxedSolution answer = decoder->solve(instance_of(problem, subject));
    if (!answer.has_point())
      throw Failure(fmt::format("answered '{}' to a small problem: {}", status_name(answer.status),
                                answer.message.empty() ? "it gave no reason" : answer.message));
    if (!thorough) continue;
    if (const auto fault = fault_of(subject.plugin(), answer, problem, optimum(problem)))
      throw Failure(fmt::format("{} ({})", *fault, size_of(problem)));
  }
}

void run_small(Subject& subject, const std::vector<Setting>& settings, const RunControl& control,
               bool thorough) {
  switch (subject.plugin().kind()) {
    case CONCORD_DECODER:
      return run_decoder(subject, settings, control, thorough);
    case CONCORD_LOSS:
      return run_loss(subject, settings, control, thorough);
    default:
      return run_rounding(subject, settings, control);
  }
}

std::string defaults(Subject& subject) {
  run_small(subject, {}, {}, false);
  return "";
}

std::string destroy(Subject& subject) {
  subject.note("creating and destroying");
  try {
    create_and_destroy(subject);
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& e) {
    throw Failure(fmt::format("an exception escapes from create, prepare or destroy: {}", e.what()));
  } catch (...) {
    throw Failure("an exception escapes from create, prepare or destroy");
  }
  return "";
}

/// The values at the ends of what an option may be, as a user would write them. An open end has none, and
/// neither have free text and lists, whose right length nobody declares.
std::vector<std::string> extremes(const OptionDeclaration& option) {
  switch (option.type) {
    case CONCORD_BOOL:
      return {"false", "true"};
    case CONCORD_CHOICE:
      return option.choices;
    case CONCORD_INT:
    case CONCORD_REAL: {
      std::vector<std::string> values;
      const bool integer = option.type == CONCORD_INT;
      for (const double end : {option.minimum, option.maximum})
        if (std::isfinite(end) && (!integer || std::abs(end) < 9e15))
          values.push_back(integer ? fmt::format("{:.0f}", end) : fmt::format("{}", end));
      return values;
    }
    default:
      return {};
  }
}

/// An end of a range may just mean more work. So every value has a deadline, at which the plugin returns the best so far;
/// one that does not look at the deadline must end within the time limit of the test.
std::string option_bounds(Subject& subject) {
  int64_t tried = 0, left_out = 0;
  for (const auto& option : subject.plugin().options())
    for (const auto& value : extremes(option)) {
      if (subject.time_is_short()) {
        ++left_out;
        continue;
      }
      const std::string setting = option.name + " = " + value;
      subject.note(("running with " + setting).c_str());
      try {
        run_small(subject, {{option.name, value, setting}}, deadline_in(kSecondsPerValue), true);
      } catch (const Error& e) {
        // A value may be good for other problems, or need what this machine has not: then it says so.
        if (e.kind() != Fault::unsupported)
          throw Failure(fmt::format("with {}: {}", setting, complaint(e, subject.plugin().id())));
      } catch (const Failure& e) {
        throw Failure(fmt::format("with {}: {}", setting, e.what()));
      }
      ++tried;
    }
  if (tried == 0) throw Skip("it has no options with ends");
  return fmt::format("{} values{}", tried,
                     left_out > 0 ? fmt::format("; slow, so {} others are left out", left_out) : "");
}

}  // namespace

std::vector<Test> option_tests() {
  return {
      {"defaults", "With its default options it can be created, prepared and run.", defaults, true},
      {"destroy", "Objects can be destroyed before they were used, and nothing is thrown then.", destroy},
      {"option-bounds",
       "It runs truthfully with every option at both ends of its range, and with every choice.",
       option_bounds},
  };
}

}  // namespace concord::check
