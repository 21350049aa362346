// SPDX-License-Identifier: MIT
#pragma once
// Rules that make labels of scores: thresholds, a least number of labels, and the set with the largest expected F1.
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "metrics/label_metric.hpp"
#include "model/bases.hpp"

namespace concord {

/// Label v of instance i is +1 iff scores(v, i) > thresholds(v) (or thresholds(0) if there is one for all).
LabelMatrix apply_thresholds(const Eigen::MatrixXd& scores, const Eigen::VectorXd& thresholds);

/// Adds labels by score, ties to the lowest index, until every instance has `min_labels` (or V).
void fill_min_labels(LabelMatrix& labels, const Eigen::MatrixXd& scores, int64_t min_labels);

/// The threshold for all labels with the best metric. Scores must be finite, and so is the threshold.
///
/// Candidates: no label, all labels, and between them the cuts right below the score of a true label, at the
/// midpoint to the next lower score. A cut anywhere else predicts more and hits no more, so no metric prefers
/// it. Of more than 256 candidates 256 are taken, spread evenly over the order of the true labels' scores.
/// Among equal metrics (to 1e-12) the highest threshold wins, the one with the fewest labels. Labels that
/// min_labels adds are counted.
double tune_threshold(const Eigen::MatrixXd& scores, const LabelMatrix& truth, const LabelMetric& metric,
                      int64_t min_labels);
/// Tunes a threshold for each label. All begin at the global one. Label by label, each goes to the best of
/// its own candidates, for at most 5 passes or until a pass gains nothing. The candidates of a label are
/// those of tune_threshold, from the scores of this label.
Eigen::VectorXd tune_label_thresholds(const Eigen::MatrixXd& scores, const LabelMatrix& truth,
                                      const LabelMetric& metric, int64_t min_labels);

/// Scores (or u, or log-odds) as the rule of `predict` sees them. With predict.normalise those of each instance are divided
/// by their root mean square, so that their norm is sqrt(V), that of the sphere on which a spectral decoder's u lies. Ranks
/// of known labels stay and do not count; scores that are all zero stay.
Eigen::MatrixXd as_the_rule_sees(const PredictSettings& predict, Eigen::MatrixXd scores);

/// The numbers of the rule that `predict` asks for, from scores (or u) and the truth: thresholds by `metric`, or the
/// calibration of expected F1. Not for rules without numbers (none), nor for a fixed one.
Eigen::VectorXd tune_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                          const LabelMatrix& truth, const LabelMetric& metric);
/// Labels by the rule and its numbers, then min_labels.
LabelMatrix apply_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                       const Eigen::VectorXd& numbers);

/// 1 / (1 + exp(-x)) without overflow.
inline double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

/// P(label v of instance i) = 1 / (1 + exp(-(slope * score + offset))), by maximum likelihood on all scores
/// at once. The targets (N+ + 1)/(N+ + 2) and 1/(N- + 2) of Platt (1999) stand in the place of 1 and 0, so
/// that separable data have a finite answer. Returns (slope, offset), slope >= 0: a falling sigmoid would
/// contradict the scores.
Eigen::VectorXd fit_calibration(const Eigen::MatrixXd& scores, const LabelMatrix& truth);

/// What rules rank a label by that is known: it comes last, and the rule decides about the others alone.
inline constexpr double kRankOfKnown = -1e300;

/// (slope, an offset for each label): that of fit_calibration for all of them, moved for each label by b_v, the minimum of
/// its logistic loss + b_v^2 / 2. Ranks of known labels are left out.
Eigen::VectorXd fit_label_calibration(const Eigen::MatrixXd& scores, const LabelMatrix& truth);

/// The log-odds of an instance's labels: slope * score + offset. `calibration` holds the slope and one offset, or one for each
/// label.
Eigen::VectorXd calibrated(const Eigen::VectorXd& scores, const Eigen::VectorXd& calibration);

/// The expected F1 of the k labels with the largest probabilities, for k = 0, ..., V. `falling` holds the probabilities
/// of independent labels, the largest first. Some top k has the largest expected F1 of all sets (Lewis 1995). The F1 of
/// two empty sets is 1. O(V^2), exact: with B_k the number of labels present beyond the first k,
/// s_k(a) = E 1/(a + B_k) obeys s_{k-1}(a) = p_k s_k(a + 1) + (1 - p_k) s_k(a), and s_V(a) = 1/a
/// (Ye, Chai, Lee, Chieu 2012).
std::vector<double> expected_f1(const std::vector<double>& falling);

/// The labels of an instance, the likeliest first, and the expected F1 of the first k of them, k = 0, ..., V.
struct RankedByF1 {
  std::vector<int64_t> order;
  std::vector<double> expected;
};
RankedByF1 rank_by_expected_f1(const Eigen::VectorXd& scores, const Eigen::VectorXd& calibration);

/// For each instance the k >= least(i) with the largest expected F1 (of equals the smallest) and its k most likely labels.
LabelMatrix label_by_expected_f1(const Eigen::MatrixXd& scores, const Eigen::VectorXd& calibration,
                                 const Eigen::Array<int64_t, Eigen::Dynamic, 1>& least);

/// For each instance the k >= `least` with the largest h(k) (of equals the smallest) and its k labels. h(k) is the sum of the k
/// largest Delta_vk = sum_s 2/(s + k) P(z_v = 1, |z| = s), h(0) = P(|z| = 0), all as `estimates` have them: a row for each
/// target, a column for each instance. Estimates need be no probabilities, and no joint stands behind them.
LabelMatrix label_by_direct_f1(const std::vector<SizedLabel>& targets, const Eigen::MatrixXd& estimates,
                               int64_t V, int64_t least);

}  // namespace concord
