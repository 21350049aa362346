// SPDX-License-Identifier: MIT
#pragma once
// What a training run has found so far, and its bytes in a checkpoint file or in the file of a shard.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/archive.hpp"
#include "train/fit.hpp"
#include "train/validation.hpp"

namespace concord {

/// One for each cell that has been tried.
using CellResults = std::vector<std::optional<CellResult>>;

struct TrainState {
  CellResults cells;           ///< what selection has found so far
  CellResults opponents;       ///< what they are compared with: opponents_of
  int64_t epochs = 0;          ///< of the refit
  std::string fit;             ///< its state, empty before its first checkpoint
  std::vector<GapPoint> gaps;  ///< of the refit, at its report points
};

/// The run that a state belongs to.
struct RunShape {
  std::string identity;  ///< of settings, data and plugins
  size_t cells = 0;
  int64_t labels = 0, instances = 0;
  int64_t epochs = 1;  ///< the most of a cell; of a method in one pass, that one
  std::string data = {}, settings = {}, plugins = {};  ///< digests of each of them
};

std::string state_bytes(const TrainState& state, const std::string& identity);

/// Fault::input about the checkpoint if the bytes are damaged or belong to another run. Whatever they are, nothing larger
/// than they are is made of them, and the sizes in the state are those of the run.
TrainState parse_state(std::string_view bytes, const RunShape& run);

/// A share of the selection: number `index`, from 1 on, of `count`.
struct Shard {
  static constexpr int kMost = 100'000;
  int index = 1, count = 1;
  bool takes(size_t group) const {
    return group % static_cast<size_t>(count) == static_cast<size_t>(index) - 1;
  }
};

/// The file of a shard: what it has found.
std::string shard_bytes(const Shard& shard, const TrainState& state, const RunShape& run);
struct ShardContent {
  Shard shard;
  TrainState state;
};
/// Fault::input if the bytes are damaged, or belong to a run with other data, another config or other plugins, and which of
/// these. Takes no more memory than the bytes do.
ShardContent parse_shard(std::string_view bytes, const RunShape& run);

/// Results between processes of one run.
std::string results_bytes(const CellResults& results);
CellResults parse_results(std::string_view bytes);

}  // namespace concord
