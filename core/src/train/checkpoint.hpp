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
#include "train/archive.hpp"
#include "train/plan.hpp"
#include "train/validation.hpp"

namespace concord {

/// What a training run has found so far.
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

/// The bytes of a checkpoint file.
std::string state_bytes(const TrainState& state, const std::string& identity);

/// Fault::input about the checkpoint if the bytes are damaged or belong to another run. Whatever they are, nothing larger
/// than they are is made of them, and the sizes in the state are those of the run.
TrainState parse_state(std::string_view bytes, const RunShape& run);

class Checkpoint {
 public:
  /// `file` empty: nothing is kept. The identity is that of settings and data: a checkpoint of another run is
  /// refused.
  Checkpoint(std::filesystem::path file, const std::vector<CellPlan>& cells, const Dataset& train);

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
