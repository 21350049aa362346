// SPDX-License-Identifier: MIT
// A solver's cell: one decoder and rounding on every problem of a set. A problem that cannot be solved is a row, too.
#include <algorithm>
#include <cmath>
#include <ctime>

#include "compare/cell.hpp"
#include "compare/problem_sets.hpp"
#include "config/plugin_setting.hpp"
#include "plugin/records.hpp"
#include "predict/predictor.hpp"
#include "process/provenance.hpp"

namespace concord {
namespace {

Json finite_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

}  // namespace

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

SolvePlan plan_of_request(Registry& registry, const Json& request, bool with_cardinality) {
  const std::string place = "solver " + request.at("solver").get<std::string>();
  const PluginSpec decoder = read_plugin(value_from_json(request.at("decoder"), place + ": decoder"));
  std::vector<PluginSpec> rounding;  // empty: the default
  if (const Json& chain = request.at("rounding"); !chain.is_null())
    rounding = read_chain(value_from_json(chain, place + ": rounding"));
  ErrorList errors;
  SolvePlan plan = plan_solve(registry, decoder, rounding, with_cardinality, errors);
  errors.throw_if_any();
  return plan;
}

Json run_solver_cell(const Json& request, const CellRun& run) {
  std::vector<std::filesystem::path> directories = run.plugin_dirs;
  for (const std::string directory : request.at("plugin_dirs")) directories.emplace_back(directory);
  Registry registry(directories, run.control);
  const std::string started = timestamp();
  const SolvePlan free = plan_of_request(registry, request, false);
  const SolvePlan with_cardinality = plan_of_request(registry, request, true);
  Json results = Json::array();
  for_problems(request, run.model_of_cell, [&](const std::string& name, const CanonicalProblem& problem) {
    if (run.control.stop_requested()) fail(Fault::interrupted, "interrupted");
    try {
      const DecodeReport r =
          run_decode(problem.k ? with_cardinality : free, problem, request.at("seed"), run.control);
      // Canonical: a relaxation is judged in the terms in which it maximises.
      const double value = problem.objective_sign * (r.objective - problem.objective_offset);
      results.push_back({{"problem", name},
                         {"labels", problem.labels()},
                         {"status", status_name(r.status)},
                         {"bound", finite_or_null(r.bound)},
                         {"value", finite_or_null(value)},
                         {"gap", finite_or_null(r.gap)},
                         {"seconds", r.seconds},
                         {"message", r.message}});
    } catch (const Error& e) {
      if (e.kind() == Fault::interrupted) throw;
      results.push_back({{"problem", name},
                         {"labels", problem.labels()},
                         {"status", e.kind() == Fault::unsupported ? "unsupported" : "failed"},
                         {"bound", nullptr},
                         {"value", nullptr},
                         {"gap", nullptr},
                         {"seconds", nullptr},
                         {"message", e.what()}});
    }
  });
  Json plugins = Json::array({kept_plugin_record(free.decoder)});
  for (const SolvePlan* plan : {&free, &with_cardinality})
    for (const BoundPlugin& part : plan->rounding) {
      const Json record = kept_plugin_record(part);
      if (std::find(plugins.begin(), plugins.end(), record) == plugins.end()) plugins.push_back(record);
    }
  return {{"results", results},
          {"seed", request.at("seed")},
          {"plugins", plugins},
          {"host", results_host_record()},
          {"started", started}};
}

Json run_cell(const Json& request, const CellRun& run) {
  return request.at("kind") == "train" ? run_training_cell(request, run) : run_solver_cell(request, run);
}

}  // namespace concord
