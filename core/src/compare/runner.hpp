// SPDX-License-Identifier: MIT
#pragma once
// Runs the cells of a comparison that are not finished, each in a process of its own.
#include <functional>
#include <vector>

#include "compare/folder.hpp"

namespace concord {

struct CompareRun {
  std::filesystem::path program;                   ///< runs one cell as: program compare --cell FOLDER ...
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  int jobs = 1;
  int threads = 1;  ///< of each cell
  int shard = 0, shards = 1;
  bool retry = false;  ///< run cells that failed again
  RunControl control;
  /// {"event": "start" | "end", "id", "done", "of", ...}
  std::function<void(const Json&)> event;
};

/// Does this run take the cell?
bool is_in_shard(const Comparison& comparison, size_t cell, const CompareRun& run);
/// Is the result of the cell there, made by what would make it now?
bool is_finished(const CompareFolder& folder, const CompareCell& cell, const ResolvedCell& resolved,
                 const ProcessLimits& limits, bool retry);

/// Fault::interrupted when stopped: finished cells are kept, and a training cell leaves its checkpoint.
void run_cells(const CompareFolder& folder, const Comparison& comparison,
               const std::vector<ResolvedCell>& resolved, const CompareRun& run);

}  // namespace concord
