// SPDX-License-Identifier: MIT
#pragma once
// What `predict` and `evaluate` share: a model, and how it is to predict.
#include <memory>
#include <optional>

#include "cli.hpp"
#include "model/model.hpp"
#include "predict/predictor.hpp"

namespace concord {

struct PredictionSetup {
  std::string model_file;
  Model model;
  std::unique_ptr<Registry> registry;
  std::optional<PredictPlan> plan;
  uint64_t seed = 0;
  int threads = 1;
};

/// Adds --model, --data, --format, --decoder, --rounding, --set, --seed, --threads and --plugin-dir.
void add_prediction_options(Arguments& arguments);
/// Resolves them: errors go to `errors`, notes to standard error. Without errors there is a plan.
PredictionSetup set_up_prediction(const Arguments& arguments, const Context& context, ErrorList& errors);

}  // namespace concord
