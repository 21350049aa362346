// SPDX-License-Identifier: MIT
#pragma once
// From scores to labels by thresholds, and thresholds chosen on validation data.
#include <Eigen/Core>

#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "metrics/metrics.hpp"

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
double tune_threshold(const Eigen::MatrixXd& scores, const LabelMatrix& truth, const Metric& metric,
                      int64_t min_labels);
/// One for each label: from the global one on, label by label, each to the best of its own candidates (as
/// above, with its own scores), for at most 5 passes or until one gains nothing.
Eigen::VectorXd tune_label_thresholds(const Eigen::MatrixXd& scores, const LabelMatrix& truth,
                                      const Metric& metric, int64_t min_labels);

/// The numbers of the rule that `predict` asks for, from scores (or u) and the truth: thresholds by `metric`, or the
/// calibration of expected F1. Not for rules without numbers (none), nor for a fixed one.
Eigen::VectorXd tune_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                          const LabelMatrix& truth, const Metric& metric);
/// Labels by the rule and its numbers, then min_labels.
LabelMatrix apply_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                       const Eigen::VectorXd& numbers);

}  // namespace concord
