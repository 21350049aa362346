// SPDX-License-Identifier: MIT
#pragma once
// Labels that maximise the expected F1: probabilities from scores by a fitted sigmoid, then for each instance the
// best set of labels, as if labels were independent given x.
#include <Eigen/Core>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

/// P(label v of instance i) = 1 / (1 + exp(-(slope * score + offset))), by maximum likelihood on all scores at
/// once, with the targets of Platt (1999), (N+ + 1)/(N+ + 2) and 1/(N- + 2) in place of 1 and 0, so that separable
/// data have a finite answer. Returns (slope, offset), slope >= 0: a falling sigmoid would contradict the scores.
Eigen::VectorXd fit_calibration(const Eigen::MatrixXd& scores, const LabelMatrix& truth);

/// The expected F1 of the k labels with the largest probabilities, for k = 0, ..., V. `falling` holds the probabilities
/// of independent labels, the largest first. Some top k has the largest expected F1 of all sets (Lewis 1995). The F1 of
/// two empty sets is 1. O(V^2), exact: with B_k the number of labels present beyond the first k,
/// s_k(a) = E 1/(a + B_k) obeys s_{k-1}(a) = p_k s_k(a + 1) + (1 - p_k) s_k(a), and s_V(a) = 1/a
/// (Ye, Chai, Lee, Chieu 2012).
std::vector<double> expected_f1(const std::vector<double>& falling);

/// For each instance the k with the largest expected F1 (of equals the smallest) and its k best labels.
LabelMatrix label_by_expected_f1(const Eigen::MatrixXd& scores, const Eigen::VectorXd& calibration);

}  // namespace concord
