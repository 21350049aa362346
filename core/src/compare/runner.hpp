// SPDX-License-Identifier: MIT
#pragma once
// Runs the cells of a comparison that are not finished, each in a process of its own.
#include <functional>
#include <vector>

#include "compare/folder.hpp"
#include "compare/resolve.hpp"
#include "compare/result.hpp"

namespace concord::compare {

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
