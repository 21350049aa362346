// SPDX-License-Identifier: MIT
#pragma once
// What a look at the data decides: settings that a config leaves open, and settings that contradict the data.
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"

namespace concord {

struct DataFacts {
  int64_t N = 0, d = 0, V = 0;
  double stored = 0;        ///< features that are not 0, of all rows
  bool is_sparse = false;   ///< few features are not 0, however they are stored
  int64_t missing = 0;      ///< features that some row lacks
  int64_t empty = 0;        ///< rows without labels
  double cardinality = 0;   ///< labels of a row
  double scale_spread = 1;  ///< the largest deviation of a column over the smallest that is not 0

  double empty_share() const { return N > 0 ? static_cast<double>(empty) / static_cast<double>(N) : 0; }
};

/// `given`: so many of the last columns are scores by somebody else, and no features.
DataFacts facts_of(const Dataset& train, int64_t given = 0);

/// A larger share of training rows without labels says that a row may be empty.
inline constexpr double kManyEmpty = 0.05;

/// The scale of features for which a config names none, and why.
struct ChosenScale {
  Scale scale = Scale::none;
  std::string reason;
};
ChosenScale scale_for(const DataFacts& facts);

/// Settings that contradict the data, a sentence each: at least one label where many rows have none, features of very different
/// scales that nobody scales, more rows and labels than block-coordinate Frank-Wolfe can be expected to converge on.
std::vector<std::string> contradictions_of(const Settings& settings, const DataFacts& facts);

}  // namespace concord
