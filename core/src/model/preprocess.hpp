// SPDX-License-Identifier: MIT
#pragma once
// From the features of a file to x: scaled as the training data demand, and the bias appended.
#include <Eigen/Core>

#include "data/dataset.hpp"
#include "model/settings.hpp"

namespace concord {

/// scale: none; l2 (rows to norm 1); standardise (columns to variance 1, and to mean 0 where features are
/// dense: centring sparse ones would fill them); idf (column j times 1 + log((1+N)/(1+N_j)), then rows to
/// norm 1). A constant feature of value `bias` comes last unless bias = 0.
struct Preprocessor {
  PreprocessSettings settings;
  int64_t inputs = 0;      ///< features of the data
  Eigen::VectorXd centre;  ///< empty, or subtracted from the columns
  Eigen::VectorXd factor;  ///< empty, or what the columns are multiplied by

  static Preprocessor fit(const PreprocessSettings& settings, const Features& train);

  int64_t outputs() const { return inputs + (settings.bias != 0 ? 1 : 0); }
  Features apply(const Features& X) const;
};

}  // namespace concord
