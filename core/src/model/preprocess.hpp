// SPDX-License-Identifier: MIT
#pragma once
// From the features of a file to x: scaled as the training data demand, and the bias appended.
#include <Eigen/Core>

#include "config/settings.hpp"
#include "data/dataset.hpp"

namespace concord {

/// scale: none; l2 (rows to norm 1); standardise (columns to variance 1, and to mean 0 where features are
/// dense: centring sparse ones would fill them); idf (column j times 1 + log((1+N)/(1+N_j)), then rows to
/// norm 1). With `fourier` = n the scaled x is replaced by n random Fourier features
/// sqrt(2/n) cos(omega_j'x + phase_j), omega_j normal with deviation 1/fourier_width, phase_j uniform: their
/// inner products approach the Gaussian kernel exp(-|x-z|^2 / (2 fourier_width^2)) (Rahimi, Recht 2007).
/// A constant feature of value `bias` comes last unless bias = 0.
struct Preprocessor {
  PreprocessSettings settings;
  int64_t inputs = 0;      ///< features of the data
  Eigen::VectorXd centre;  ///< empty, or subtracted from the columns
  Eigen::VectorXd factor;  ///< empty, or what the columns are multiplied by
  RowMatrix frequencies;   ///< inputs x n, or empty
  Eigen::VectorXd phases;  ///< n of them, or empty

  /// `seed` draws the frequencies: the same ones for every part of the training data.
  static Preprocessor fit(const PreprocessSettings& settings, const Features& train, uint64_t seed);

  int64_t outputs() const { return settings.fourier.value_or(inputs) + (settings.bias != 0 ? 1 : 0); }
  Features apply(const Features& X) const;

 private:
  void draw_frequencies(uint64_t seed);
  Features scale(const Features& X) const;
  Features fourier(const Features& scaled) const;
  Features with_bias(Features features) const;
};

}  // namespace concord
