// SPDX-License-Identifier: MIT
#pragma once
// Predicting otherwise than a model was meant to: another decoder, rounding, threshold or option.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"
#include "solve/plan.hpp"

namespace concord {

struct PredictionOverrides {
  std::optional<PluginSpec> decoder;
  std::vector<PluginSpec> rounding;  ///< takes the place of thresholds, if there is one
  /// --set: a key of [predict], read as in a config, or SCOPE.OPTION of a plugin; SCOPE is decoder, rounding, or the name
  /// of a plugin.
  std::vector<std::string> settings;
  /// Whether a plugin that a model file names by its path may be loaded: whoever wrote the file then chooses the code that
  /// runs. Without it names are looked for where plugins are installed, and a path is refused with this remedy.
  bool trusts_paths = false;
  std::string how_to_trust = {};
};

/// A model from its file and the plugins that it predicts with.
struct ReadyModel {
  Model model;
  SolvePlan plan;
  std::vector<std::string> notes;  ///< what the user should know, a sentence each
};
/// Every error goes to `errors`; after one the plan is not to be used.
ReadyModel load_for_prediction(const std::string& file, const PredictionOverrides& overrides,
                               Registry& registry, ErrorList& errors);

/// The same of a model in memory, which is copied.
ReadyModel ready_for_prediction(const Model& model, const PredictionOverrides& overrides, Registry& registry,
                                ErrorList& errors);

/// Changes the model's settings and thresholds. Everything that is wrong goes to `errors`, also settings that
/// nobody consumes. Returns what the user should know: for each note a sentence.
std::vector<std::string> override_prediction(const PredictionOverrides& overrides, Registry& registry,
                                             Model& model, ErrorList& errors);

}  // namespace concord
