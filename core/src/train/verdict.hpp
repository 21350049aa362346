// SPDX-License-Identifier: MIT
#pragma once
// Did the prior help? The cells with a prior, those with A = 0, and one-versus-rest: each of the three chooses for itself,
// and is measured on the same held-out instances.
#include <nlohmann/json.hpp>
#include <vector>

#include "train/plan.hpp"
#include "train/validation.hpp"

namespace concord {

/// Every cell that has a prior with A = 0 in its place, and everything else as it is: decoders, loss, rule, thresholds. Each
/// once, and none that the grid has itself.
std::vector<CellPlan> twins_of(const std::vector<CellPlan>& cells);

/// What the grid is compared with, beside its own cells with A = 0. Nothing if no cell has a prior, or nothing is held out.
struct Opponents {
  std::vector<CellPlan>
      cells;         ///< twins_of, then one-versus-rest with grids of its own and the rules of the cells
  size_t twins = 0;  ///< so many of the former
};
Opponents opponents_of(Registry& registry, const std::vector<CellPlan>& cells);

/// What the model file keeps: {"measured": true, "better": "with" | "without" | "neither", ...}; docs/model-file.md. A
/// result for each cell of the grid and for each opponent.
nlohmann::ordered_json prior_verdict(const std::vector<CellPlan>& cells,
                                     const std::vector<std::optional<CellResult>>& results,
                                     const Opponents& opponents,
                                     const std::vector<std::optional<CellResult>>& opposed, size_t winner);

/// For each held-out instance the candidate with the smallest mean loss over other instances: every tenth one is measured
/// by the choice of the rest, so that no instance takes part in a choice that it measures. -1 where nothing was held out.
/// `losses` has a vector over instances for each candidate, NaN where nothing was held out.
std::vector<int> choose_across(const std::vector<const Eigen::VectorXd*>& losses);

}  // namespace concord
