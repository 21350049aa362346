// SPDX-License-Identifier: MIT
#pragma once
// What missing features (NaN) are filled with, column by column, by statistics of the training rows.
#include <Eigen/Core>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "data/dataset.hpp"

namespace concord {

struct Imputation {
  Eigen::VectorXd fill;  ///< of each column; 0 where every training row lacks it
  /// Columns with an indicator: a column more, after all others, that is 1 where the value is missing. Columns that are missing
  /// in the same training rows, as those of one text are, share the indicator of the first.
  Eigen::VectorXd indicators;

  static Imputation fit(Missing missing, const Features& train);
  /// No NaN is left.
  Features apply(const Features& X) const;
  /// What is wrong with one for so many columns, or nothing.
  std::string fault(std::optional<Missing> missing, int64_t columns) const;
};

/// The first column with a missing feature and how many rows lack it; count 0: none.
struct MissingColumn {
  int64_t column = 0, count = 0, columns = 0;  ///< `columns` have missing features in all
};
MissingColumn first_missing(const Features& X);

}  // namespace concord
