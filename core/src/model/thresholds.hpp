// SPDX-License-Identifier: MIT
#pragma once
// From scores to labels by thresholds, and thresholds chosen on validation data.
#include <Eigen/Core>

#include "data/dataset.hpp"
#include "model/metrics.hpp"

namespace concord {

/// Label v of instance i is +1 iff scores(v, i) > thresholds(v) (or thresholds(0) if there is one for all).
LabelMatrix apply_thresholds(const Eigen::MatrixXd& scores, const Eigen::VectorXd& thresholds);

/// Adds labels by score, ties to the lowest index, until every instance has `min_labels` (or V).
void fill_min_labels(LabelMatrix& labels, const Eigen::MatrixXd& scores, int64_t min_labels);

/// The best threshold for all labels: the midpoint between two neighbouring scores, of at most 256 candidates
/// spread evenly over the scores' order (the same for equal input).
double tune_threshold(const Eigen::MatrixXd& scores, const LabelMatrix& truth, const Metric& metric,
                      int64_t min_labels);
/// One for each label: from the global one on, label by label, while the metric improves.
Eigen::VectorXd tune_label_thresholds(const Eigen::MatrixXd& scores, const LabelMatrix& truth,
                                      const Metric& metric, int64_t min_labels);

}  // namespace concord
