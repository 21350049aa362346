// SPDX-License-Identifier: MIT
// Percentile bootstrap of metrics: how they would vary over other test sets of the same size.
#include <algorithm>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "metrics/metrics.hpp"

namespace concord {
namespace {

/// The labels of each instance that are true or predicted: few, so that a resample costs little.
struct SparseLabels {
  struct Label {
    int64_t v;
    bool predicted, truly;
  };
  std::vector<Label> labels;
  std::vector<size_t> start{0};

  SparseLabels(const LabelMatrix& predicted, const LabelMatrix& truth) {
    for (int64_t i = 0; i < truth.cols(); ++i) {
      for (int64_t v = 0; v < truth.rows(); ++v)
        if (predicted(v, i) > 0 || truth(v, i) > 0)
          labels.push_back({v, predicted(v, i) > 0, truth(v, i) > 0});
      start.push_back(labels.size());
    }
  }
};

/// The counts of N instances drawn with replacement.
void resample(const LabelCounts& all, const SparseLabels& sparse, kit::Rng& rng, LabelCounts& drawn) {
  const int64_t N = all.instance_true.size();
  drawn.label_hits.setZero();
  drawn.label_predicted.setZero();
  drawn.label_true.setZero();
  for (int64_t i = 0; i < N; ++i) {
    const auto from = static_cast<int64_t>(rng.below(static_cast<uint64_t>(N)));
    drawn.instance_hits(i) = all.instance_hits(from);
    drawn.instance_predicted(i) = all.instance_predicted(from);
    drawn.instance_true(i) = all.instance_true(from);
    for (size_t at = sparse.start[static_cast<size_t>(from)];
         at < sparse.start[static_cast<size_t>(from) + 1]; ++at) {
      const auto& [v, predicted, truly] = sparse.labels[at];
      drawn.label_predicted(v) += predicted ? 1 : 0;
      drawn.label_true(v) += truly ? 1 : 0;
      drawn.label_hits(v) += predicted && truly ? 1 : 0;
    }
  }
}

}  // namespace

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

namespace {

void require_resamples(int64_t instances, int64_t resamples) {
  if (instances == 0) fail(Fault::input, "there are no instances to resample");
  if (resamples < 1) fail(Fault::input, "the number of resamples is {}: it must be at least 1", resamples);
}

/// One for each list of values; NaN for an empty one.
std::vector<Interval> intervals_of(std::vector<std::vector<double>> values) {
  std::vector<Interval> intervals;
  for (auto& one : values) {
    if (one.empty()) one.push_back(std::nan(""));
    std::sort(one.begin(), one.end());
    intervals.push_back({percentile(one, 0.025), percentile(one, 0.975)});
  }
  return intervals;
}

}  // namespace

std::vector<Interval> bootstrap(const std::vector<Metric>& which, const LabelMatrix& predicted,
                                const LabelMatrix& truth, int64_t resamples, uint64_t seed) {
  require_resamples(truth.cols(), resamples);
  const LabelCounts all(predicted, truth);
  const SparseLabels sparse(predicted, truth);
  LabelCounts drawn = all;
  std::vector<std::vector<double>> values(which.size());
  for (int64_t r = 0; r < resamples; ++r) {
    kit::Rng rng(kit::derive(seed, static_cast<uint64_t>(r)));
    resample(all, sparse, rng, drawn);
    for (size_t m = 0; m < which.size(); ++m) values[m].push_back(which[m].value(drawn));
  }
  return intervals_of(std::move(values));
}

std::vector<Interval> bootstrap_means(const Eigen::MatrixXd& values, const Eigen::VectorXd& weights,
                                      int64_t resamples, uint64_t seed) {
  const int64_t N = values.cols();
  require_resamples(N, resamples);
  const Eigen::MatrixXd weighted = values * weights.asDiagonal();
  std::vector<std::vector<double>> means(static_cast<size_t>(values.rows()));
  for (int64_t r = 0; r < resamples; ++r) {
    kit::Rng rng(kit::derive(seed, static_cast<uint64_t>(r)));
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(values.rows());
    double weight = 0;
    for (int64_t i = 0; i < N; ++i) {
      const auto from = static_cast<int64_t>(rng.below(static_cast<uint64_t>(N)));
      sums += weighted.col(from);
      weight += weights(from);
    }
    if (weight == 0) continue;
    for (size_t m = 0; m < means.size(); ++m) means[m].push_back(sums(static_cast<int64_t>(m)) / weight);
  }
  return intervals_of(std::move(means));
}

}  // namespace concord
