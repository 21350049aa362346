// SPDX-License-Identifier: MIT
#pragma once
// A config for data of which nothing is said: what it should be follows from the data and from a budget of seconds, by
// measured costs and without a look at the clock. The same data and the same budget give the same config.
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/files.hpp"
#include "train/facts.hpp"

namespace concord {

struct AutomaticConfig {
  std::string toml;                  ///< as `concord train` reads it
  std::vector<std::string> reasons;  ///< what was chosen and why, in six lines
  double seconds = 0;                ///< what it will take by the model of costs, on one core
};
/// `source` is named in the config, with absolute paths. Fault::input if the budget is too small for any method.
AutomaticConfig choose_config(const Dataset& train, const DataSource& source, double budget);

}  // namespace concord
