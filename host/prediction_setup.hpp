// SPDX-License-Identifier: MIT
#pragma once
// What `predict` and `evaluate` share: a model, and how it is to predict.
#include <fstream>
#include <memory>

#include "cli.hpp"
#include "data/files.hpp"
#include "data/known.hpp"
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
/// The instances to predict, as they come: --data, '-' for standard input, and --known.
class PredictionInput {
 public:
  /// Opens both; what is wrong goes to `errors`.
  PredictionInput(const Arguments& arguments, ErrorList& errors);

  /// With the scores of `setup`, if it has some. Each is asked for once.
  std::unique_ptr<InstanceReader> instances(const PredictionSetup& setup);
  std::optional<KnownReader> known(const PredictionSetup& setup);

 private:
  std::string data_, known_;
  DataFormat format_{};
  std::ifstream file_, known_file_;
};

/// A data file to read; Fault::io.
std::ifstream open_file(const std::string& name);

/// Resolves them: errors go to `errors`, notes to standard error. After an error the plan is not to be used.
PredictionSetup set_up_prediction(const Arguments& arguments, const Context& context, ErrorList& errors);

}  // namespace concord
