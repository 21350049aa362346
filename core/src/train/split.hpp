// SPDX-License-Identifier: MIT
#pragma once
// Parts of a training set for validation, stratified for labels.
#include <cstdint>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"

namespace concord {

/// Part p gets about proportions[p] of the instances, and of the positives of each label (iterative
/// stratification: rare labels first, each instance to the part that lacks the label most). Returns the part of
/// each instance.
std::vector<int> stratified_parts(const LabelMatrix& Y, const std::vector<double>& proportions,
                                  uint64_t seed);

/// Fit on one, validate on the other; both increasing.
struct Split {
  std::vector<int64_t> fit, validation;
};

/// By select.folds and repeats, or select.holdout (none if both are 0). Fault::input when there are fewer instances
/// than parts.
std::vector<Split> make_splits(const LabelMatrix& Y, const SelectSettings& select, uint64_t seed);

}  // namespace concord
