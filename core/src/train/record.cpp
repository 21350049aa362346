// SPDX-License-Identifier: MIT
#include "base/text.hpp"
#include "plugin/records.hpp"
#include "process/state.hpp"
#include "train/checkpoint.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

Json entry_of(const CellPlan& cell, const CellResult& result) {
  Json entry = {{"chosen", chosen_json(cell)},
                {"value", number_or_null(result.value)},
                {"error", number_or_null(result.error)}};
  if (result.thresholds.size() > 0)
    entry["thresholds"] = std::vector<double>(result.thresholds.begin(), result.thresholds.end());
  if (result.lambdas.size() > 0)
    entry["lambda_w_per_label"] = std::vector<double>(result.lambdas.begin(), result.lambdas.end());
  return entry;
}

}  // namespace

Json chosen_json(const CellPlan& cell) {
  Json json = Json::object();
  for (const auto& [key, value] : cell.chosen) json[key] = value;
  return json;
}

Json training_record(const std::vector<CellPlan>& cells, size_t winner, const TrainState& state,
                     const Dataset& train, const FitReport& report, bool interrupted) {
  const Settings& settings = cells.front().settings;
  Json plugins = Json::array();
  for (const BoundPlugin* bound : cells[winner].plugins()) plugins.push_back(kept_plugin_record(*bound));
  Json tried = Json::array();  // empty if nothing was held out
  for (size_t c = 0; c < cells.size(); ++c)
    if (state.cells[c]) tried.push_back(entry_of(cells[c], *state.cells[c]));
  const double gap = report.relative_gap();
  const bool is_open = gap > kOpenGap;
  return {
      {"data",
       {{"name", train.name},
        {"instances", train.instances()},
        {"features", train.features()},
        {"labels", train.labels()},
        {"sha256", dataset_digest(train)}}},
      {"seed", settings.run.seed},
      {"plugins", plugins},
      {"objective", number_or_null(report.objective)},
      {"dual", number_or_null(report.dual)},
      {"gap", number_or_null(gap)},
      {"estimate", report.estimate},
      {"epochs", is_one_pass(cells[winner].settings.train.method) ? Json() : Json(report.epochs)},
      {"converged", std::isnan(gap) ? Json() : Json(!is_open)},
      {"try_epochs", is_open && !state.gaps.empty() ? Json(epochs_for(state.gaps)) : Json()},
      {"subproblems", {{"solved", number_or_null(report.solved)}, {"pruned", number_or_null(report.pruned)}}},
      {"interrupted", interrupted},
      {"selection", {{"metric", cells.front().metric->name()}, {"winner", winner}, {"cells", tried}}},
      {"host", host_record()}};
}

}  // namespace concord
