// SPDX-License-Identifier: MIT
#pragma once
// Scores of predicted labels, of rankings of labels and of probabilities (math: metrics).
//
// Labels: where truth and prediction are both empty, example F1, Jaccard, precision and recall are 1; where exactly one is
// empty they are 0. Micro-F1 of nothing is 1. Macro-F1 counts a label without positives and predictions as 1.
//
// Rankings: all scores are means over instances, and only unknown labels are ranked. Ties: in ranking loss, coverage and
// LRAP a label stands below all that rank as high; at k every order of equals counts alike, so that the value is a mean
// over them. An instance without a true label has ranking loss and coverage 0 and precision at k 0; its LRAP, recall at k
// and nDCG at k are 1, as no order could be better.
//
// Probabilities: labels of all instances are pooled; known ones are left out.
#include <Eigen/Core>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

/// Fault::input unless both have as many labels and instances.
void require_same_size(const LabelMatrix& predicted, const LabelMatrix& truth);

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

struct RankMetric {
  std::string name;  ///< "ndcg-at-3"
  bool is_loss;      ///< smaller is better
};
/// Those for V labels, at k = 1, 3 and 5 as far as there are k labels:
/// ranking-loss    the share of pairs of a true and a false label in the wrong order
/// coverage        how many labels from the best on hold all true ones
/// lrap            the mean over true labels of the share of true ones among those that rank as high
/// precision-at-k  the share of true ones of the k best
/// recall-at-k     the share of the true labels that are among the k best
/// ndcg-at-k       the sum of 1/log2(1 + place) over the true ones of the k best, by that of the best order
std::vector<RankMetric> rank_metrics(int64_t V);
/// Nothing if no number of labels has a metric of this name.
const RankMetric* find_rank_metric(const std::string& name);

/// A row for each of rank_metrics(V), a column for each instance. Labels that are not 0 in `known` are left out; of an
/// instance with fewer than k unknown labels all are looked at. An empty `known` knows none. Fault::input if the
/// sizes differ, or an unknown label ranks as NaN.
Eigen::MatrixXd rank_values(const Eigen::MatrixXd& ranking, const LabelMatrix& truth,
                            const LabelMatrix& known);

/// The labels whose probability lies in one bin.
struct CalibrationBin {
  int64_t count = 0;
  double probability = 0;  ///< their mean; 0 if there is none
  double share = 0;        ///< of those that are true
};

/// How far probabilities of labels can be believed.
struct Calibration {
  /// Of each instance: the mean over its unknown labels of (p - y)^2, y being 0 or 1, and how many there are.
  Eigen::VectorXd brier, unknown;
  /// 15 of equal width. Most labels of most instances are absent: bins of equal mass would all lie near 0, but for one that
  /// holds every label that is in doubt.
  std::vector<CalibrationBin> bins;

  /// Over all unknown labels.
  double brier_score() const { return brier.dot(unknown) / unknown.sum(); }
  /// The expected calibration error: the mean of |probability - share| over bins, weighted by their counts.
  double error() const;
};

/// V x n each; an empty `known` knows no label. Fault::input if sizes differ, a probability is not in [0, 1], or every
/// label is known.
Calibration calibration_of(const Eigen::ArrayXXd& probabilities, const LabelMatrix& truth,
                           const LabelMatrix& known);

/// [{"count", "probability", "share"}, ...]
nlohmann::ordered_json reliability_json(const std::vector<CalibrationBin>& bins);

}  // namespace concord
