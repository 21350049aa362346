// SPDX-License-Identifier: MIT
// From the folder of a comparison to its results: every cell beside the baselines and the best solver.
#include <algorithm>

#include <concord/kit/rng.hpp>

#include "base/text.hpp"
#include "compare/results.hpp"
#include "compare/run_cell.hpp"
#include "metrics/label_metric.hpp"

namespace concord::compare {
namespace {

constexpr int kPairedResamples = 2000;
constexpr const char* kConvention =
    "Where truth and prediction are both empty, example F1, Jaccard, precision and recall count as 1; where "
    "exactly one "
    "of them is empty, as 0.";

double median(std::vector<double> values) {
  if (values.empty()) return unknown;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? unknown : sum / static_cast<double>(values.size());
}

SolveSummary summary_of(const std::vector<ProblemResult>& results,
                        const std::map<std::string, double>& best) {
  std::vector<double> excess, shortfall, gaps, seconds;
  SolveSummary summary;
  for (const ProblemResult& r : results) {
    if (!std::isfinite(r.value)) continue;
    const double known = best.at(r.problem), scale = std::max(1.0, std::abs(known));
    shortfall.push_back(std::max(0.0, (known - r.value) / scale));
    summary.best += known - r.value <= 1e-9 * scale;
    summary.optimal += r.status == "optimal";
    seconds.push_back(r.seconds);
    if (std::isfinite(r.bound)) excess.push_back(std::max(0.0, (r.bound - known) / scale));
    if (std::isfinite(r.gap)) gaps.push_back(r.gap);
  }
  summary.bound_excess = mean(excess);
  summary.value_shortfall = mean(shortfall);
  summary.gap = mean(gaps);
  summary.seconds = median(seconds);
  summary.solved = static_cast<int64_t>(shortfall.size());
  return summary;
}

/// How many labels the problems have: "14", or "6 to 20".
std::string labels_text(const std::vector<ProblemResult>& results) {
  if (results.empty()) return "";
  const auto [least, most] =
      std::minmax_element(results.begin(), results.end(),
                          [](const ProblemResult& a, const ProblemResult& b) { return a.labels < b.labels; });
  return least->labels == most->labels ? fmt::format("{}", least->labels)
                                       : fmt::format("{} to {}", least->labels, most->labels);
}

void compare_with_baselines(std::vector<TrainedCell>& cells, const std::vector<std::string>& baselines) {
  for (TrainedCell& cell : cells) {
    if (!cell.end.done()) continue;
    const std::vector<double>& own = cell.result.losses;
    for (const std::string& baseline : baselines)
      for (const TrainedCell& other : cells) {
        if (other.name.row != cell.name.row || other.name.column != baseline ||
            other.name.repeat != cell.name.repeat || &other == &cell || !other.end.done())
          continue;
        const std::vector<double>& theirs = other.result.losses;
        if (own.size() > 1 && own.size() == theirs.size())  // one instance tells nothing of the error
          cell.versus.push_back({baseline, paired_difference(own, theirs, cell.result.seed)});
      }
  }
}

void summarise_solves(Results& results) {
  for (SolvedCell& solve : results.solves) {
    if (!solve.end.done()) continue;
    solve.summary = summary_of(solve.result.results, best_values(results.solves, solve.name.row));
    for (ProblemSetRecord& set : results.outline.problem_sets)
      if (set.name == solve.name.row) {
        set.problems = static_cast<int64_t>(solve.result.results.size());
        set.labels = labels_text(solve.result.results);
      }
  }
}

}  // namespace

PairedDifference paired_difference(const std::vector<double>& losses, const std::vector<double>& baseline,
                                   uint64_t seed) {
  const size_t n = losses.size();
  std::vector<double> differences(n);
  double mean = 0, square = 0;
  for (size_t i = 0; i < n; ++i) mean += differences[i] = losses[i] - baseline[i];
  mean /= static_cast<double>(n);
  for (const double difference : differences) square += (difference - mean) * (difference - mean);
  const double error = n > 1 ? std::sqrt(square / static_cast<double>(n - 1) / static_cast<double>(n)) : 0;
  std::vector<double> means(kPairedResamples);
  kit::Rng rng(kit::derive(seed, 21));
  for (double& resampled : means) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += differences[rng.below(n)];
    resampled = sum / static_cast<double>(n);
  }
  std::sort(means.begin(), means.end());
  return {mean,
          error,
          {means[kPairedResamples / 40], means[kPairedResamples - 1 - kPairedResamples / 40]},
          static_cast<int64_t>(n)};
}

std::map<std::string, double> best_values(const std::vector<SolvedCell>& solves,
                                          const std::string& problem_set) {
  std::map<std::string, double> best;
  for (const SolvedCell& solve : solves)
    if (solve.name.row == problem_set)
      for (const ProblemResult& result : solve.result.results) {
        if (!std::isfinite(result.value)) continue;
        const auto [known, is_new] = best.try_emplace(result.problem, result.value);
        if (!is_new) known->second = std::max(known->second, result.value);
      }
  return best;
}

Results gather_results(const CompareFolder& folder, const PlanRecord& plan) {
  const bool is_loss = MetricReference({plan.outline.metric, {}, ""}).is_loss();
  Results results{plan.outline, is_loss, kConvention, timestamp(), provenance(), {}, {}, {}};
  for (const auto& [name, key] : plan.cells) {
    CellResult found = read_result(folder.of_cell(name), name.kind).value_or(CellResult{});
    if (found.end.key != key) found = {{Status::pending, "", key, {}}, {}};
    if (name.kind == CellKind::training) {
      TrainedCell& cell = (name.repeat > 1 ? results.repeats : results.cells)
                              .emplace_back(TrainedCell{name, found.end, {}, {}});
      if (found.end.done()) cell.result = std::get<TrainingResult>(std::move(found.answer));
    } else {
      SolvedCell& cell = results.solves.emplace_back(SolvedCell{name, found.end, {}, {}});
      if (found.end.done()) cell.result = std::get<SolverResult>(std::move(found.answer));
    }
  }
  compare_with_baselines(results.cells, plan.outline.baselines);
  compare_with_baselines(results.repeats, plan.outline.baselines);
  take_together(results);
  summarise_solves(results);
  return results;
}

}  // namespace concord::compare
