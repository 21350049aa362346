// SPDX-License-Identifier: MIT
#pragma once
// How far probabilities of labels can be believed. Labels of all instances are pooled; known ones are left out.
#include <Eigen/Core>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

/// The labels whose probability lies in one bin.
struct CalibrationBin {
  int64_t count = 0;
  double probability = 0;  ///< their mean; 0 if there is none
  double share = 0;        ///< of those that are true
};

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
