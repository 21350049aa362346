// SPDX-License-Identifier: MIT
#pragma once
// Cells of a grid tried on all splits: by the threads of a rank, by the ranks of a run, or by the shards of several runs.
#include <functional>
#include <string>
#include <vector>

#include "train/ranks.hpp"
#include "train/state.hpp"

namespace concord {

/// The subject of an error about a shard that is not there.
inline constexpr const char* kShardSubject = "shard";

struct SelectionRun {
  const Dataset& train;
  const std::vector<Split>& splits;
  bool has_verdict;  ///< whether cells also answer with other labels known
  uint64_t seed;
  ThreadPool& pool;
  Ranks& ranks;
  const RunControl& control;  ///< of this rank alone
  Shard shard;
  /// Hears of every fit: {"event": "split", ...}.
  std::function<void(const nlohmann::ordered_json&)> say;
};

/// Tries the cells of the shard that lack a result. `found` hears of those that share a fit when they have their results,
/// never from two threads at once. Stopped early it leaves results out; all ranks have the same ones in the end.
void try_cells(const SelectionRun& run, const char* stage, const std::vector<CellPlan>& cells,
               CellResults& results, const std::function<void(const std::vector<size_t>&)>& found);

/// Ranks that have read other data, or are other builds, would go apart without a word: Fault::input names the difference.
void require_same_run(Ranks& ranks, const RunShape& run);

/// The results of all shards of a run, in files of their own. Fault::input with all errors: a file that is damaged or belongs
/// to a run with other data, another config or other plugins; a shard that is missing or given twice.
TrainState merge_shards(const std::vector<std::filesystem::path>& files, const RunShape& run);

}  // namespace concord
