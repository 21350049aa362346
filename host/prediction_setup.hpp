// SPDX-License-Identifier: MIT
#pragma once
// What `predict` and `evaluate` share: a model, and how it is to predict.
#include <fstream>
#include <memory>

#include "cli.hpp"
#include "data/scores.hpp"
#include "predict/overrides.hpp"

namespace concord {

struct PredictionSetup : ReadyModel {
  std::string model_file;
  std::unique_ptr<Registry> registry;
  uint64_t seed = 0;
  int threads = 1;
  std::unique_ptr<ScoreReader> scores;  ///< of --scores, or null
  PredictionOverrides none;             ///< for other models, which are trusted as this one is

  /// What the data have to have beside the scores.
  ExpectedColumns columns() const;
};

/// Adds --model, --data, --format, --decoder, --rounding, --set, --seed, --threads,
/// --trust-model-plugins and --plugin-dir.
void add_prediction_options(Arguments& arguments);
/// A data file to read; Fault::io.
std::ifstream open_file(const std::string& name);

/// Resolves them: errors go to `errors`, notes to standard error. After an error the plan is not to be used.
PredictionSetup set_up_prediction(const Arguments& arguments, const Context& context, ErrorList& errors);

}  // namespace concord
