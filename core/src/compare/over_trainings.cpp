// SPDX-License-Identifier: MIT
// The repeats of a cell taken together: what varies from training to training.
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "compare/results.hpp"

namespace concord::compare {
namespace {

double ratio_of(const TrainedCell& cell) {
  return static_cast<double>(cell.result.test_instances) / static_cast<double>(cell.result.instances);
}

/// The trainings of a cell that are done, by repeat.
std::vector<const TrainedCell*> done_trainings(const Results& results, const TrainedCell& cell) {
  std::vector<const TrainedCell*> done;
  if (cell.end.done()) done.push_back(&cell);
  for (const TrainedCell& repeat : results.repeats)
    if (repeat.name.row == cell.name.row && repeat.name.column == cell.name.column && repeat.end.done())
      done.push_back(&repeat);
  return done;
}

/// Differences of the comparison's metric, as a loss, on the splits on which both are done.
std::optional<Versus> versus_of(const Results& results, const std::vector<const TrainedCell*>& own,
                                const TrainedCell& baseline) {
  std::vector<double> differences;
  for (const TrainedCell* one : own)
    for (const TrainedCell* other : done_trainings(results, baseline)) {
      if (one->name.repeat != other->name.repeat) continue;
      const MetricValue* mine = one->result.metric(results.outline.metric);
      const MetricValue* theirs = other->result.metric(results.outline.metric);
      if (mine != nullptr && theirs != nullptr)
        differences.push_back((results.metric_is_loss ? 1 : -1) * (mine->value - theirs->value));
    }
  if (differences.size() < 2) return std::nullopt;
  return Versus{baseline.name.column, over_trainings(differences, ratio_of(*own.front()))};
}

}  // namespace

double t_975(int64_t degrees) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(degrees)), 0.975);
}

PairedDifference over_trainings(const std::vector<double>& values, double ratio) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, square = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) square += (value - mean) * (value - mean);
  const double error = std::sqrt((1 / n + ratio) * square / (n - 1));
  const double reach = t_975(static_cast<int64_t>(values.size()) - 1) * error;
  return {mean, error, {mean - reach, mean + reach}, static_cast<int64_t>(values.size())};
}

void take_together(Results& results) {
  if (results.outline.repeats < 2) return;
  for (TrainedCell& cell : results.cells) {
    const std::vector<const TrainedCell*> done = done_trainings(results, cell);
    if (done.size() < 2) continue;
    OverTrainings over{static_cast<int64_t>(done.size()), {}, {}};
    for (const MetricValue& metric : done.front()->result.metrics) {
      std::vector<double> values;
      for (const TrainedCell* one : done)
        if (const MetricValue* found = one->result.metric(metric.name)) values.push_back(found->value);
      if (values.size() < done.size()) continue;
      const PairedDifference mean = over_trainings(values, ratio_of(*done.front()));
      over.metrics.push_back({metric.name, mean.difference, mean.range});
    }
    for (const std::string& baseline : results.outline.baselines)
      for (const TrainedCell& other : results.cells)
        if (other.name.row == cell.name.row && other.name.column == baseline && &other != &cell)
          if (auto versus = versus_of(results, done, other)) over.versus.push_back(std::move(*versus));
    cell.over = std::move(over);
  }
}

}  // namespace concord::compare
