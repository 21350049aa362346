// SPDX-License-Identifier: MIT
// A solver's cell: one decoder and rounding on every problem of a set. A problem that cannot be solved is a row, too.
#include <algorithm>

#include "compare/problem_sets.hpp"
#include "compare/run_cell.hpp"
#include "predict/predictor.hpp"

namespace concord::compare {
namespace {

ProblemResult solve(const std::string& name, const CanonicalProblem& problem, const SolvePlan& plan,
                    uint64_t seed, const RunControl& control) {
  ProblemResult result{name, problem.labels(), "", unknown, unknown, unknown, unknown, ""};
  try {
    const DecodeReport r = run_decode(plan, problem, seed, control);
    result.status = status_name(r.status);
    result.bound = r.bound;
    // Canonical: a relaxation is judged in the terms in which it maximises.
    result.value = problem.objective_sign * (r.objective - problem.objective_offset);
    result.gap = r.gap;
    result.seconds = r.seconds;
    result.message = r.message;
  } catch (const Error& e) {
    if (e.kind() == Fault::interrupted) throw;
    result.status = e.kind() == Fault::unsupported ? "unsupported" : "failed";
    result.message = e.what();
  }
  return result;
}

}  // namespace

SolvePlan plan_of(Registry& registry, const SolverRequest& request, bool with_cardinality) {
  ErrorList errors;
  SolvePlan plan = plan_solve(registry, request.decoder, request.rounding, with_cardinality, errors);
  errors.throw_if_any();
  return plan;
}

SolverResult run_solver_cell(const Cell& cell, const CellRun& run) {
  const SolverRequest& request = cell.solver();
  Registry registry(plugin_dirs_of(cell, run.plugin_dirs), run.control);
  SolverResult result{{}, request.seed, {}, provenance(), timestamp()};
  const SolvePlan free = plan_of(registry, request, false);
  const SolvePlan with_cardinality = plan_of(registry, request, true);
  for_problems(cell, run.model_of_cell, [&](const std::string& name, const CanonicalProblem& problem) {
    if (run.control.stop_requested()) fail(Fault::interrupted, "interrupted");
    result.results.push_back(
        solve(name, problem, problem.k ? with_cardinality : free, request.seed, run.control));
  });
  result.plugins.push_back(record_of(free.decoder));
  for (const SolvePlan* plan : {&free, &with_cardinality})
    for (const BoundPlugin& part : plan->rounding) {
      PluginRecord record = record_of(part);
      if (std::find(result.plugins.begin(), result.plugins.end(), record) == result.plugins.end())
        result.plugins.push_back(std::move(record));
    }
  return result;
}

}  // namespace concord::compare
