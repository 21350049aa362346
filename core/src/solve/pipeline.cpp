// SPDX-License-Identifier: MIT
#include "solve/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "solve/verify.hpp"

namespace concord {

Pipeline::Pipeline(const SolvePlan& plan, PriorMatrix A, bool with_cardinality, const RunControl& control)
    : A_(std::move(A)),
      lent_{A_.without_diagonal()},
      decoder_(*plan.decoder.plugin, plan.decoder.options, control),
      rounding_is_default_(plan.rounding_is_default) {
  decoder_.require_supported(A_, with_cardinality);
  for (const BoundPlugin& part : plan.rounding) {
    rounding_.push_back(std::make_unique<Rounding>(*part.plugin, part.options, control));
    rounding_.back()->require_supported(with_cardinality);
  }
  decoder_.prepare(A_);
}

std::vector<RelaxedSolution> Pipeline::decode(std::span<const Instance> batch,
                                              std::optional<int64_t> first) const {
  std::vector<RelaxedSolution> solutions = decoder_.solve(batch);
  const Plugin& plugin = decoder_.plugin();
  for (size_t i = 0; i < batch.size(); ++i) {
    const RelaxedSolution& solution = solutions[i];
    if (!solution.has_point())
      fail(solution.status == CONCORD_FAILED ? Fault::plugin : Fault::unsupported, About{"", plugin.id()},
           "{}: {}{}: {}", plugin.id(),
           first ? fmt::format("instance {} (counted from 0): ", *first + static_cast<int64_t>(i)) : "",
           status_name(solution.status), solution.message.empty() ? "it gave no reason" : solution.message);
    verify_solution(plugin, solution, A_, batch[i].c, batch[i].k);
  }
  return solutions;
}

Pipeline::Labelled Pipeline::round(const Instance& instance, const RelaxedSolution& relaxed) const {
  Labelled result{{}, 0, true};
  if (rounding_is_default_)
    if (auto integral = integral_labels(relaxed.u(), instance.k)) {
      result.labels = std::move(*integral);
      result.is_rounded = false;
    }
  if (result.is_rounded) result.labels = round_by_chain(rounding_, A_, lent_, instance, relaxed);
  const Eigen::VectorXd u = result.labels.cast<double>();
  result.value = u.dot(instance.c) - A_.quadratic(u);
  verify_bound(decoder_.plugin(), relaxed.bound, result.value, value_tolerance(instance.c, A_));
  return result;
}

std::vector<Pipeline::Solved> Pipeline::solve(std::span<const Instance> batch,
                                              std::optional<int64_t> first) const {
  std::vector<RelaxedSolution> relaxed = decode(batch, first);
  std::vector<Solved> solved;
  solved.reserve(batch.size());
  for (size_t i = 0; i < batch.size(); ++i) {
    Labelled labelled = round(batch[i], relaxed[i]);
    // Labels may exceed their bound by rounding: then they are the bound. An optimum meets its bound. NaN stays.
    const bool raise = relaxed[i].bound < labelled.value || relaxed[i].status == CONCORD_OPTIMAL;
    const double bound = raise ? labelled.value : relaxed[i].bound;
    solved.push_back({std::move(relaxed[i]), std::move(labelled), bound});
  }
  return solved;
}

DecodeReport run_decode(const SolvePlan& plan, const CanonicalProblem& problem, uint64_t seed,
                        const RunControl& control) {
  const auto start = std::chrono::steady_clock::now();
  const Pipeline pipeline(plan, problem.A, problem.k.has_value(), control);
  const Instance instance{problem.c, problem.k, seed, nullptr};
  const auto [solution, labelled, bound] = std::move(pipeline.solve({&instance, 1}).front());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  DecodeReport report;
  report.decoder = plan.decoder.plugin->name();
  report.rounding = labelled.is_rounded ? plan.rounding_name() : "";
  report.status = solution.status;
  report.labels = labelled.labels;
  report.objective = problem.file_objective(labelled.value);
  report.objective_bound = problem.file_objective(bound);
  report.value = solution.value;
  report.bound = bound;
  report.gap = (bound - labelled.value) / std::max(1.0, std::abs(bound));
  report.seconds = seconds;
  report.nodes = solution.nodes;
  report.message = solution.message;
  return report;
}

}  // namespace concord
