// SPDX-License-Identifier: MIT
#include "decode_report.hpp"

#include <algorithm>
#include <cmath>

#include "plugin/records.hpp"
#include "process/state.hpp"

namespace concord {
namespace {

/// Labels as the file counts them: -1 and +1, or 0 and 1 for binary variables.
std::vector<int> file_labels(const CanonicalProblem& problem, const LabelVector& labels) {
  const bool binary = problem.objective == Objective::qubo || problem.objective == Objective::binary_energy;
  std::vector<int> out;
  for (const int8_t label : labels) out.push_back(binary && label < 0 ? 0 : label);
  return out;
}

const char* objective_name(Objective objective) {
  switch (objective) {
    case Objective::cut:
      return "cut weight (maximise)";
    case Objective::qubo:
      return "x'Qx (minimise)";
    case Objective::binary_energy:
    case Objective::spin_energy:
      return "energy (minimise)";
    default:
      return "u'b - u'Au (maximise)";
  }
}

}  // namespace

Json report_json(const DecodeJob& job, const SolvePlan& plan, const DecodeReport& r) {
  Json used = Json::array({plugin_record(plan.decoder)});
  if (!r.rounding.empty())
    for (const auto& part : plan.rounding) used.push_back(plugin_record(part));
  return {{"decoder", r.decoder},
          {"chosen_because", job.chosen_because.empty() ? Json(nullptr) : Json(job.chosen_because)},
          {"rounding", r.rounding.empty() ? Json(nullptr) : Json(r.rounding)},
          {"status", status_name(r.status)},
          {"labels", file_labels(job.problem, r.labels)},
          {"objective", number_or_null(r.objective)},
          {"objective_bound", number_or_null(r.objective_bound)},
          {"value", number_or_null(r.value)},
          {"bound", number_or_null(r.bound)},
          {"gap", number_or_null(r.gap)},
          {"cardinality", job.problem.k ? Json(*job.problem.k) : Json(nullptr)},
          {"seed", job.seed},
          {"seconds", r.seconds},
          {"plugin_version", plan.decoder.plugin->version()},
          {"message", r.message},
          {"nodes", r.nodes},
          {"reproducible",
           r.status != CONCORD_STOPPED && !(r.status == CONCORD_LIMIT && job.time_limit.has_value())},
          {"problem", job.problem_name},
          {"plugins", used},
          {"host", host_record()}};
}

std::string bound_text(double bound) {
  return std::isnan(bound) ? "none" : fmt::format("{:.10g}", bound);
}
std::string gap_text(double gap) {
  return std::isnan(gap) ? "-" : fmt::format("{:.3g} %", 100 * gap);
}

std::string headline(const DecodeJob& job) {
  return fmt::format("{}: {} labels, {}; objective {}\n", job.problem_name, job.problem.labels(),
                     job.problem.k ? fmt::format("cardinality {}", *job.problem.k) : "no cardinality",
                     objective_name(job.problem.objective));
}

std::string report_text(const DecodeJob& job, const SolvePlan& plan, const DecodeReport& r) {
  std::string text = headline(job);
  if (!job.chosen_because.empty()) text += fmt::format("chosen     {}\n", job.chosen_because);
  text += fmt::format("decoder    {} {}\n", r.decoder, plan.decoder.plugin->version());
  for (size_t i = 0; i < plan.decoder.options.records().size(); ++i)
    text += fmt::format("           {} = {}\n", plan.decoder.options.records()[i].name,
                        plan.decoder.options.text(i));
  text += fmt::format("rounding   {}\n", r.rounding.empty() ? "not needed" : r.rounding);
  text += fmt::format("status     {}{}\n", status_name(r.status), r.message.empty() ? "" : ": " + r.message);
  text += fmt::format("objective  {:.10g}\nbound      {}\ngap        {}\n", r.objective,
                      bound_text(r.objective_bound), gap_text(r.gap));
  constexpr size_t kMostShown = 200;  // of a whole graph they would fill the terminal
  Strings positive;
  for (int64_t v = 0; v < r.labels.size(); ++v)
    if (r.labels(v) > 0) positive.push_back(std::to_string(v));
  const size_t count = positive.size();
  positive.resize(std::min(count, kMostShown));
  text += fmt::format("positive   {} of {}: {}{}\n", count, r.labels.size(), fmt::join(positive, " "),
                      count > kMostShown ? " ... (--json has all)" : "");
  text += fmt::format("seconds    {:.3g}\n", r.seconds);
  return text;
}

Json failure_json(const DecodeJob& job, const SolvePlan& plan, const char* status,
                  const std::string& message) {
  Json row = {{"decoder", plan.decoder.plugin->name()}, {"status", status}, {"message", message}};
  for (const char* key :
       {"rounding", "labels", "objective", "objective_bound", "value", "bound", "gap", "seconds"})
    row[key] = nullptr;
  row["cardinality"] = job.problem.k ? Json(*job.problem.k) : Json(nullptr);
  row["seed"] = job.seed;
  row["plugin_version"] = plan.decoder.plugin->version();
  return row;
}

}  // namespace concord
