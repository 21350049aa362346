// SPDX-License-Identifier: MIT
#pragma once
// A config for data of which nothing is said: what it should be follows from the data and from a budget of seconds, by
// measured costs and without a look at the clock. The same data and the same budget give the same config.
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "data/files.hpp"

namespace concord {

/// What decides about a config.
struct DataFacts {
  int64_t N = 0, d = 0, V = 0;
  double stored = 0;        ///< features that are not 0, of all rows
  bool is_sparse = false;   ///< few features are not 0, however they are stored
  int64_t missing = 0;      ///< features that some row lacks
  int64_t empty = 0;        ///< rows without labels
  double cardinality = 0;   ///< labels of a row
  double scale_spread = 1;  ///< the largest deviation of a column over the smallest that is not 0
};
DataFacts facts_of(const Dataset& train);

struct AutomaticConfig {
  std::string toml;                  ///< as `concord train` reads it
  std::vector<std::string> reasons;  ///< what was chosen and why, in six lines
  double seconds = 0;                ///< what it will take by the model of costs, on one core
};
/// `source` is named in the config, with absolute paths. Fault::input if the budget is too small for any method.
AutomaticConfig choose_config(const Dataset& train, const DataSource& source, double budget);

/// Settings that contradict the data, a sentence each: at least one label where many rows have none, features of very different
/// scales that nobody scales, more rows and labels than block-coordinate Frank-Wolfe can be expected to converge on.
std::vector<std::string> contradictions_of(const Settings& settings, const DataFacts& facts);

}  // namespace concord
