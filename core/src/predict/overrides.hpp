// SPDX-License-Identifier: MIT
#pragma once
// Predicting otherwise than a model was meant to: another decoder, rounding, threshold or option.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"
#include "plugin/registry.hpp"
#include "solve/decode.hpp"

namespace concord {

struct PredictionOverrides {
  std::optional<std::string> decoder;   ///< --decoder NAME
  std::optional<std::string> rounding;  ///< --rounding a+b; it takes the place of thresholds
  /// Of scope predict (threshold, threshold_on, min_labels), decoder, rounding, or the name of a plugin.
  std::vector<ScopedSetting> settings;
};

/// Changes the model's settings and thresholds. Everything that is wrong goes to `errors`, also settings that
/// nobody consumes. Returns what the user should know: for each note a sentence.
std::vector<std::string> override_prediction(const PredictionOverrides& overrides, Registry& registry,
                                             Model& model, ErrorList& errors);

}  // namespace concord
