// SPDX-License-Identifier: MIT
#pragma once
// Every metric of predicted labels, with bootstrap intervals, and the rule by which a model predicts in words.
#include <string>
#include <vector>

#include "metrics/metrics.hpp"
#include "model/model.hpp"
#include "solve/plan.hpp"

namespace concord {

/// What the metrics make of 0/0.
extern const char* const kMetricConvention;

struct Evaluation {
  int64_t instances;
  double labels_predicted, labels_true;  ///< for each instance
  std::vector<double> values;            ///< of metrics()
  std::vector<Interval> intervals;       ///< empty: no resamples
};
Evaluation evaluate_labels(const LabelMatrix& predicted, const LabelMatrix& truth, int64_t resamples,
                           uint64_t seed);

/// The same of the labels that are not known.
Evaluation evaluate_unknown(const LabelMatrix& predicted, const LabelMatrix& truth, const LabelMatrix& known,
                            int64_t resamples, uint64_t seed);
/// {"example-f1-loss": ..., "intervals": {"example-f1-loss": [low, high]}, "instances", "labels-predicted", "labels-true"}
nlohmann::ordered_json metrics_json(const Evaluation& evaluation);

/// How a model makes labels, with the plugins of the plan.
struct PredictionRule {
  bool decodes, rounds;
  std::string text;  ///< "decoder spectral, rounding a+b, at least 1 label"

  PredictionRule(const Model& model, const SolvePlan& plan);
};

}  // namespace concord
