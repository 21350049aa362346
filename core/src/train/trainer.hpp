// SPDX-License-Identifier: MIT
#pragma once
// From a config's cells and a training set to a model: selection on train only, then a refit on all of it.
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "data/dataset.hpp"
#include "model/model.hpp"
#include "plugin/registry.hpp"
#include "train/ranks.hpp"
#include "train/state.hpp"

namespace concord {

struct TrainRun {
  /// Where the state is kept until the model is there, or empty: nowhere.
  std::filesystem::path checkpoint;
  bool resume = false;
  bool restart = false;                      ///< discard a checkpoint that is there
  std::vector<std::filesystem::path> merge;  ///< files of shards, which have done the selection
  Ranks* ranks = nullptr;                    ///< the processes that train together; null: this one alone
  /// Hears what happens: {"event": "split" | "cell" | "winner" | "epoch" | "prior" | "scale" | "warning", ...}. Never
  /// called by two threads at once.
  std::function<void(const nlohmann::ordered_json&)> event;
};

struct Trained {
  Model model;
  bool interrupted = false;                     ///< the refit was stopped; the model is what it had reached
  bool cut_off = false;                         ///< it was stopped by RunControl::cut_off
  int64_t resumable_epochs = 0;                 ///< of the refit in the checkpoint
  std::vector<nlohmann::ordered_json> plugins;  ///< of the chosen cell: plugin_record of each
};

/// Fault::interrupted if stopped before the refit had parameters: there is no model then, and a checkpoint if one was
/// asked for. The checkpoint stays until the caller has saved the model and removes it.
Trained train_model(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train,
                    const TrainRun& run, const RunControl& control);

/// A share of the selection, which is left in `file` until all shares are merged. Returns how many cells it has tried, the
/// opponents of the prior among them. The checkpoint is as that of train_model.
size_t train_shard(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train,
                   const TrainRun& run, const Shard& shard, const std::filesystem::path& file,
                   const RunControl& control);

}  // namespace concord
