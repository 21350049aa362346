// SPDX-License-Identifier: MIT
// Prediction and metrics.
#include <algorithm>
#include <limits>

#include "api/handles.hpp"
#include "config/value.hpp"
#include "predict/evaluation.hpp"
#include "predict/overrides.hpp"
#include "predict/prediction.hpp"

namespace concord::api {
namespace {

/// {"decoder": ..., "rounding": ..., "SCOPE.KEY": VALUE}
PredictionOverrides read_overrides(const char* settings) {
  PredictionOverrides overrides;
  if (settings == nullptr) return overrides;
  const Json json = parse_json(settings, "settings");
  if (!json.is_object()) fail(Fault::input, About{"", "settings"}, "settings is not a JSON object");
  for (const auto& [key, value] : json.items()) {
    const bool names_plugin = key == "decoder" || key == "rounding";
    if (names_plugin && !value.is_string())
      fail(Fault::input, About{"settings." + key, key}, "found {}; expected the name of a plugin",
           value.dump());
    if (key == "decoder")
      overrides.decoder = PluginSpec{value.get<std::string>(), {}, "settings.decoder"};
    else if (key == "rounding")
      overrides.rounding = chain_of(value.get<std::string>(), "settings.rounding");
    else
      overrides.settings.push_back(key + "=" + value_from_json(value, "settings." + key).text());
  }
  return overrides;
}

void require_columns(const Model& model, const concord_features& features) {
  if (features.columns != model.preprocess.inputs)
    fail(Fault::input, About{"", "features"}, "the data have {} features, and the model {}", features.columns,
         model.preprocess.inputs);
}

void require_sizes(int64_t rows, int64_t labels, int64_t resamples) {
  if (rows < 1 || labels < 1)
    fail(Fault::input, About{"", "truth"}, "there are {} rows of {} labels; at least one of each is needed",
         rows, labels);
  if (resamples < 0 || resamples > 1'000'000)
    fail(Fault::input, About{"", "resamples"}, "resamples is {}; it is 0 to 1000000", resamples);
}

}  // namespace
}  // namespace concord::api

using namespace concord;
using namespace concord::api;

extern "C" {

int32_t concord_predict(concord_session* session, const concord_model* model, const concord_query* query,
                        const concord_run* run, concord_predictions* predictions) {
  return guarded([&] {
    require(session, "the session");
    require(model, "the model");
    const concord_query asked = read_struct(query, "concord_query");
    const concord_features given = read_struct(asked.features, "the features");
    const concord_predictions places = read_struct(predictions, "concord_predictions");
    const Run how(run);
    require_columns(model->model, given);
    ErrorList errors;
    const ReadyModel ready =
        ready_for_prediction(model->model, read_overrides(asked.settings), session->registry(), errors);
    errors.throw_if_any();
    for (const std::string& note : ready.notes) how.log(CONCORD_LOG_INFO, "predict", note);
    const int64_t V = ready.model.labels();
    ModelPredictor predictor(ready.model, ready.plan, ready.model.settings.run.seed, how.control(),
                             how.threads());
    double error = 0;
    for (int64_t first = 0; first < given.rows; first += ModelPredictor::kBlock) {
      const Features X = read_features(given, first, std::min(ModelPredictor::kBlock, given.rows - first));
      const auto at = [&](auto* rows) { return rows == nullptr ? rows : rows + first * V; };
      const KnownLabels known = asked.known == nullptr ? KnownLabels(KnownLabels::Zero(V, X.rows()))
                                                       : read_known(at(asked.known), X.rows(), V, first);
      if (places.labels != nullptr || places.ranking != nullptr) {
        const Prediction found =
            asked.known == nullptr ? predictor.predict(X, first) : predictor.predict(X, known, first);
        write_rows(found.labels, at(places.labels));
        const double none = std::numeric_limits<double>::quiet_NaN();
        write_rows((known == 0).select(found.ranking.array(), Eigen::ArrayXXd::Constant(V, X.rows(), none)),
                   at(places.ranking));
      }
      if (places.scores != nullptr) write_rows(problem_scores(ready.model, X), at(places.scores));
      if (places.probabilities == nullptr) continue;
      const Probabilities likely = predictor.probabilities(X, known, first);
      write_rows(likely.p, at(places.probabilities));
      error = std::max(error, likely.error);
    }
    if (places.error != nullptr) *places.error = error;
  });
}

int32_t concord_evaluate(const int8_t* predicted, const int8_t* truth, int64_t rows, int64_t labels,
                         int64_t resamples, uint64_t seed, char** json) {
  return guarded([&] {
    require(json, "the place for the text");
    require_sizes(rows, labels, resamples);
    const Prediction prediction{read_labels(predicted, rows, labels, "predicted"), {}};
    const Evaluation scores =
        evaluate(prediction, read_labels(truth, rows, labels, "truth"), resamples, seed);
    *json = text_for_caller(metrics_json(scores).dump());
  });
}

int32_t concord_evaluate_ranking(const double* ranking, const double* probabilities, const int8_t* truth,
                                 int64_t rows, int64_t labels, int64_t resamples, uint64_t seed,
                                 char** json) {
  return guarded([&] {
    require(json, "the place for the text");
    require_sizes(rows, labels, resamples);
    if (ranking == nullptr && probabilities == nullptr)
      fail(Fault::input, About{"", "ranking"}, "there is neither a ranking nor are there probabilities");
    const LabelMatrix Y = read_labels(truth, rows, labels, "truth");
    Prediction prediction{{}, {}, LabelMatrix::Zero(labels, rows), {}};
    const auto take = [&](const double* numbers, auto& into) {
      if (numbers == nullptr) return;
      into = Eigen::Map<const Eigen::ArrayXXd>(numbers, labels, rows);
      prediction.known = into.array().isNaN().select(Y, prediction.known);
    };
    take(ranking, prediction.ranking);
    take(probabilities, prediction.probabilities);
    *json = text_for_caller(metrics_json(evaluate(prediction, Y, resamples, seed)).dump());
  });
}
}
