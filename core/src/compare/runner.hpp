// SPDX-License-Identifier: MIT
#pragma once
// The cells of a comparison at work. First everything that determines a cell is found: data, plugins and options. Then
// the cells that are not finished run, each in a process of its own. Data are read and plugins loaded in child
// processes, so that a plugin that crashes costs its own cells only.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "compare/folder.hpp"
#include "compare/result.hpp"

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
  /// Whether cell i of the plan is wanted. Of others neither data nor plugins are read, and the key is empty.
  std::function<bool(size_t)> wants = [](size_t) { return true; };
};

/// One for each cell. Sizes of the datasets are put into `plan`. Fault::input with all errors of the config that only
/// the data and the plugins can tell.
std::vector<ResolvedCell> resolve_cells(ComparePlan& plan, const ResolveRun& run);

/// A cell has started, or ended with a result.
struct CellEvent {
  const CellName& cell;
  const CellResult* result;  ///< null: it has started
  size_t done, count;        ///< of the cells of this run
  std::vector<std::string> running;
};

struct CompareRun {
  /// The program and its arguments that call answer_cell() for the folder of a cell.
  std::function<std::vector<std::string>(const std::filesystem::path& folder)> command;
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  int jobs = 1;
  int shard = 0, shards = 1;
  bool retry = false;  ///< run cells that failed again
  RunControl control;
  std::function<void(const CellEvent&)> event;
};

/// The plan with the keys of its cells.
PlanRecord record_of(const ComparePlan& plan, const std::vector<ResolvedCell>& resolved);

/// Does this run take the cell?
bool is_in_shard(const ComparePlan& plan, size_t cell, const CompareRun& run);
/// Is the result of the cell there, made by what would make it now?
bool is_finished(const CompareFolder& folder, const Cell& cell, const ResolvedCell& resolved,
                 const ProcessLimits& limits, bool retry);

/// Fault::interrupted when stopped: finished cells are kept, and a training cell leaves its checkpoint.
void run_cells(const CompareFolder& folder, const ComparePlan& plan,
               const std::vector<ResolvedCell>& resolved, const CompareRun& run);

}  // namespace concord::compare
