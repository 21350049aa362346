// SPDX-License-Identifier: MIT
#pragma once
// Every metric of a prediction, with bootstrap intervals, and the rule by which a model predicts in words.
#include <optional>
#include <string>
#include <vector>

#include "metrics/label_metric.hpp"
#include "model/model.hpp"
#include "predict/text.hpp"
#include "solve/plan.hpp"

namespace concord {

/// What the metrics make of 0/0 and of ties.
extern const char* const kMetricConvention;

/// A metric on some data.
struct MeasuredMetric {
  std::string name;
  double value;
  std::optional<Interval> interval = {};  ///< 95 %, by a bootstrap over instances
};

struct Evaluation {
  int64_t instances;
  double labels_predicted, labels_true;  ///< for each instance; NaN if labels were not measured
  std::vector<MeasuredMetric>
      metrics;  ///< of labels; then those of the ranking and of probabilities, if there are any
  std::vector<CalibrationBin> reliability;  ///< of the probabilities; empty if there are none

  /// Fault::input if it has no metric of this name.
  const MeasuredMetric& metric(const std::string& name) const;
};
/// Every metric of the labels that are not known; what the prediction leaves empty is not measured. The calibration error has no interval: it is larger on resamples, on
/// average, than on what they are drawn from. No resamples: no intervals. Fault::input if every label is known. `also` names
/// metrics to measure: loss plugins stand behind metrics(), which are measured in any case.
Evaluation evaluate(const Prediction& prediction, const LabelMatrix& truth, int64_t resamples, uint64_t seed,
                    const std::vector<LabelMetric>& also = {});
/// {"example-f1-loss": ..., "intervals": {"example-f1-loss": [low, high]}, "instances", "labels-predicted", "labels-true"},
/// and "reliability" where there are probabilities.
nlohmann::ordered_json metrics_json(const Evaluation& evaluation);

/// How a model makes labels, with the plugins of the plan.
struct PredictionRule {
  bool decodes, rounds;
  std::string text;  ///< "decoder spectral, rounding a+b, at least 1 label"

  PredictionRule(const Model& model, const SolvePlan& plan);
};

}  // namespace concord
