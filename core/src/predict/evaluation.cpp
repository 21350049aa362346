// SPDX-License-Identifier: MIT
#include "predict/evaluation.hpp"

#include "predict/prediction.hpp"

namespace concord {

const char* const kMetricConvention =
    "0/0: example F1, Jaccard, precision and recall are 1 where truth and prediction are both empty, "
    "and 0 where exactly one of them is; micro-f1 of nothing is 1; macro-f1 counts a label without "
    "positives and predictions as 1, macro-f1-present skips it";

Evaluation evaluate_labels(const LabelMatrix& predicted, const LabelMatrix& truth, int64_t resamples,
                           uint64_t seed) {
  const LabelCounts counts(predicted, truth);
  Evaluation evaluation{truth.cols(), counts.instance_predicted.mean(), counts.instance_true.mean(), {}, {}};
  for (const Metric& metric : metrics()) evaluation.values.push_back(metric.value(counts));
  if (resamples > 0) evaluation.intervals = bootstrap(metrics(), predicted, truth, resamples, seed);
  return evaluation;
}

Evaluation evaluate_unknown(const LabelMatrix& predicted, const LabelMatrix& truth, const LabelMatrix& known,
                            int64_t resamples, uint64_t seed) {
  const auto unknown = static_cast<double>((known == 0).count());
  if (unknown == 0) fail(Fault::input, "every label is known, so there is nothing to score");
  Evaluation evaluation =
      evaluate_labels(without_known(predicted, known), without_known(truth, known), resamples, seed);
  // Known labels are -1 on both sides: only a share of all labels counts them as right.
  for (size_t m = 0; m < metrics().size(); ++m) {
    if (std::string_view(metrics()[m].name) != "hamming-loss") continue;
    const double factor = static_cast<double>(known.size()) / unknown;
    evaluation.values[m] *= factor;
    if (evaluation.intervals.empty()) continue;
    evaluation.intervals[m].low *= factor;
    evaluation.intervals[m].high *= factor;
  }
  return evaluation;
}

nlohmann::ordered_json metrics_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json, intervals = nlohmann::ordered_json::object();
  for (size_t m = 0; m < evaluation.values.size(); ++m) {
    json[metrics()[m].name] = evaluation.values[m];
    if (!evaluation.intervals.empty())
      intervals[metrics()[m].name] = {evaluation.intervals[m].low, evaluation.intervals[m].high};
  }
  json["intervals"] = intervals;
  json["instances"] = evaluation.instances;
  json["labels-predicted"] = evaluation.labels_predicted;
  json["labels-true"] = evaluation.labels_true;
  return json;
}

PredictionRule::PredictionRule(const Model& model, const SolvePlan& plan)
    : decodes(ModelPredictor::needs_decoder(model)), rounds(model.thresholds.size() == 0) {
  if (decodes) text = fmt::format("decoder {}, ", plan.decoder.plugin->name());
  const ThresholdOn ranking = effective_threshold_on(model.settings, model.has_prior());
  const std::string on = std::string(model.settings.predict.normalise.value_or(false) ? "normalised " : "") +
                         (ranking == ThresholdOn::marginals ? "log-odds" : name_of(ranking));
  if (rounds)
    text += fmt::format("rounding {}", plan.rounding_name());
  else if (model.settings.predict.threshold == ThresholdKind::expected_f1)
    text += fmt::format("largest expected F1 by calibrated {}", on);
  else if (model.thresholds.size() == 1)
    text += fmt::format("threshold {:.6g} on {}", model.thresholds(0), on);
  else
    text += fmt::format("a threshold for each label on {}", on);
  if (const int64_t least = model.settings.predict.min_labels.value_or(0); least > 0)
    text += fmt::format(", at least {} label{}", least, least == 1 ? "" : "s");
}

}  // namespace concord
