// SPDX-License-Identifier: MIT
#pragma once
// Everything that the cells of a config need, resolved before any work.
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "plugin/registry.hpp"
#include "predict/predictor.hpp"
#include "train/fit.hpp"

namespace concord {

struct CellPlan {
  Settings settings;  ///< with the defaults that depend on plugins filled in
  std::vector<std::pair<std::string, std::string>> chosen;
  TrainPlan train;
  std::shared_ptr<const SolvePlan> predict;
  ThresholdOn threshold_on = ThresholdOn::scores;
  int32_t rows = CONCORD_CONSTRAINTS_NONE;  ///< of the loss's families, once the data are known
};

/// All errors of all cells at once; the same sentence once only.
std::vector<CellPlan> plan_cells(Registry& registry, const std::vector<GridPoint>& cells);

/// The same model with A = 0: by `modular`, which is exact there, thresholds on the scores. If modular does not
/// take the rows of the loss, the cell's own decoder is trained.
CellPlan without_prior(Registry& registry, const CellPlan& plan);

}  // namespace concord
