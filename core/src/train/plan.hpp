// SPDX-License-Identifier: MIT
#pragma once
// Everything that the cells of a config need, resolved before any work.
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "metrics/label_metric.hpp"
#include "plugin/registry.hpp"
#include "predict/predictor.hpp"
#include "train/facts.hpp"
#include "train/fit.hpp"

namespace concord {

struct CellPlan {
  Settings settings;  ///< with the defaults that depend on plugins filled in
  std::vector<std::pair<std::string, std::string>> chosen;
  TrainPlan train;
  std::shared_ptr<const SolvePlan> predict;
  ThresholdOn threshold_on = ThresholdOn::scores;
  std::shared_ptr<const LabelMetric> metric = nullptr;

  /// Those that train, if any does, those that predict, and the loss that is the metric.
  std::vector<const BoundPlugin*> plugins() const;
};

/// Appends the scores of scores.file to the training data, and says in all cells how many bases these are.
void join_scores(std::vector<GridPoint>& cells, Dataset& train);

/// All errors of all cells at once; the same sentence once only. Cells with A = 0 that differ in lambda_a alone are one cell.
std::vector<CellPlan> plan_cells(Registry& registry, const std::vector<GridPoint>& cells);

/// Fills in preprocess.scale by the data, and returns what was chosen where a cell leaves it open.
std::optional<ChosenScale> choose_scale(std::vector<CellPlan>& cells, const Dataset& train);

/// What only the data can tell: Fault::input for nothing to train on, for more labels than a plugin takes, and for losses
/// whose equality rows the decoder does not take. Fills in predict.min_labels.
void require_data(std::vector<CellPlan>& cells, const Dataset& train, const RunControl& control);

/// The widest class of rows (CONCORD_CONSTRAINTS_...) in the families of these truths.
int32_t widest_rows(const BoundPlugin& loss, const LabelMatrix& Y, const RunControl& control);

/// Fault::input with decoder, loss and the property, unless the decoder takes rows of that class.
void require_rows(const Plugin& decoder, const Plugin& loss, int32_t needed);

/// What the cell comes to: its settings without those that have no effect. Equal texts, equal cells.
std::string identity_of(const CellPlan& plan);

}  // namespace concord
