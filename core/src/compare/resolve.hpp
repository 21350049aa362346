// SPDX-License-Identifier: MIT
#pragma once
// Everything that determines a cell, found before any work: data, plugins and options. Data are read and plugins
// loaded in child processes, so that a plugin that crashes costs its own cells only.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/run_control.hpp"
#include "compare/plan.hpp"

namespace concord::compare {

struct ResolvedCell {
  std::string key;      ///< SHA-256 of all that determines the result: same key, same result
  std::string failure;  ///< why it cannot run (a plugin is missing or crashes), or empty
  /// Seconds, if asked for; NaN where it cannot be told.
  double estimate = std::numeric_limits<double>::quiet_NaN();
  int64_t fits = 0;  ///< of a training cell: models to be fitted, selection included
};

struct ResolveRun {
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  bool estimate = false;                           ///< try a small part of each cell, and extrapolate
  RunControl control;
};

/// One for each cell. Sizes of the datasets are put into `plan`. Fault::input with all errors of the config that only
/// the data and the plugins can tell.
std::vector<ResolvedCell> resolve_cells(ComparePlan& plan, const ResolveRun& run);

}  // namespace concord::compare
