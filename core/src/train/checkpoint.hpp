// SPDX-License-Identifier: MIT
#pragma once
// What is kept of a training run. Its state is on disk, replaced atomically: killed at any moment, the run continues from
// the last one to the same bits. Its record goes into the model file.
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "train/plan.hpp"
#include "train/state.hpp"

namespace concord {

/// Neither threads nor checkpoints change the model, and count as no difference.
RunShape shape_of(const std::vector<CellPlan>& cells, const Dataset& train);

class Checkpoint {
 public:
  /// `file` empty: nothing is kept. A checkpoint of another run is refused.
  Checkpoint(std::filesystem::path file, RunShape run);

  bool exists() const;
  /// Fault::input if it is damaged or belongs to another run.
  TrainState load() const;
  void save(const TrainState& state);
  /// Whether `seconds` have passed since the last save.
  bool is_due(double seconds) const;
  void remove() const;

 private:
  std::filesystem::path file_;
  RunShape run_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The grid's values of a cell: {"train.lambda_w": "0.1"}.
nlohmann::ordered_json chosen_json(const CellPlan& cell);
/// What a model file keeps of how the model came about: data, plugins, objective and gap, selection, host.
nlohmann::ordered_json training_record(const std::vector<CellPlan>& cells, size_t winner,
                                       const TrainState& state, const Dataset& train, const FitReport& report,
                                       bool interrupted);

/// SHA-256 of the numbers and names, in hexadecimal.
std::string dataset_digest(const Dataset& dataset);

}  // namespace concord
