// SPDX-License-Identifier: MIT
#pragma once
// Scores of predicted labels (math: metrics). Convention: where truth and prediction are both empty, example F1,
// Jaccard, precision and recall are 1; where exactly one is empty they are 0. Micro-F1 of nothing is 1. Macro-F1
// counts a label without positives and predictions as 1.
#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

/// What every metric is computed from, kept per instance and per label so that one flipped label is O(1).
struct LabelCounts {
  Eigen::ArrayXd instance_hits, instance_predicted, instance_true;  ///< N each
  Eigen::ArrayXd label_hits, label_predicted, label_true;           ///< V each

  LabelCounts(int64_t labels, int64_t instances);  ///< all zero
  LabelCounts(const LabelMatrix& predicted, const LabelMatrix& truth);

  /// Counts label v of instance i as predicted (amount 1), or no longer (amount -1).
  void predict(int64_t v, int64_t i, bool is_true, double amount);
};

struct Metric {
  const char* name;     ///< "example-f1-loss"
  const char* summary;  ///< one line, with its 0/0 convention
  bool is_loss;         ///< smaller is better
  double (*value)(const LabelCounts&);
  bool example_mean;  ///< a mean over instances

  double loss(const LabelCounts& counts) const { return is_loss ? value(counts) : 1 - value(counts); }
};
const std::vector<Metric>& metrics();
/// Fault::input with the names there are, and "did you mean"; also for the metrics of a ranking, which are none of labels.
const Metric& find_metric(const std::string& name);

/// Example F1 loss of each instance: what paired differences are made of.
Eigen::VectorXd example_f1_losses(const LabelMatrix& predicted, const LabelMatrix& truth);
/// As a loss (1 - value for gains), each instance's part of a metric that is a mean over instances; Fault::input
/// for micro and macro metrics, which are none.
bool is_example_mean(const Metric& metric);
Eigen::VectorXd example_losses(const Metric& metric, const LabelMatrix& predicted, const LabelMatrix& truth);

/// Between the two nearest of the sorted values; `share` in [0, 1].
double percentile(const std::vector<double>& sorted, double share);

struct Interval {
  double low, high;
};
/// Percentile bootstrap over instances, seeded; one interval for each metric, 95 %. Needs an instance and a
/// resample.
std::vector<Interval> bootstrap(const std::vector<Metric>& which, const LabelMatrix& predicted,
                                const LabelMatrix& truth, int64_t resamples, uint64_t seed);
/// The same of weighted means over instances: a row of `values` for each metric, a column and a weight for each instance.
/// The resamples of a seed are those of bootstrap(); one whose weights are all 0 is left out.
std::vector<Interval> bootstrap_means(const Eigen::MatrixXd& values, const Eigen::VectorXd& weights,
                                      int64_t resamples, uint64_t seed);

}  // namespace concord
