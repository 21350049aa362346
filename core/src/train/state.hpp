// SPDX-License-Identifier: MIT
#pragma once
// What a training run has found so far, and its bytes in a checkpoint file.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/archive.hpp"
#include "train/convergence.hpp"
#include "train/validation.hpp"

namespace concord {

struct TrainState {
  std::vector<std::optional<CellResult>> cells;      ///< what selection has found so far
  std::vector<std::optional<CellResult>> opponents;  ///< what they are compared with: opponents_of
  int64_t epochs = 0;                                ///< of the refit
  std::string fit;                                   ///< its state, empty before its first checkpoint
  std::vector<GapPoint> gaps;                        ///< of the refit, at its report points
};

/// The run that a state belongs to.
struct RunShape {
  std::string identity;  ///< of settings, data and plugins
  size_t cells = 0;
  int64_t labels = 0, instances = 0;
  int64_t epochs = 1;  ///< the most of a cell; of a method in one pass, that one
};

std::string state_bytes(const TrainState& state, const std::string& identity);

/// Fault::input about the checkpoint if the bytes are damaged or belong to another run. Whatever they are, nothing larger
/// than they are is made of them, and the sizes in the state are those of the run.
TrainState parse_state(std::string_view bytes, const RunShape& run);

}  // namespace concord
