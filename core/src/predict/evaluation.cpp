// SPDX-License-Identifier: MIT
#include "predict/evaluation.hpp"

#include <cmath>
#include <limits>

#include "predict/prediction.hpp"

namespace concord {

const char* const kMetricConvention =
    "0/0: example F1, Jaccard, precision and recall are 1 where truth and prediction are both empty, "
    "and 0 where exactly one of them is; micro-f1 of nothing is 1; macro-f1 counts a label without "
    "positives and predictions as 1, macro-f1-present skips it; an instance without a true label has "
    "ranking-loss, coverage and precision-at-k 0, lrap, recall-at-k and ndcg-at-k 1; of labels that rank "
    "alike a true one comes last in ranking-loss, coverage and lrap, and at k all their orders count alike";

namespace {

/// The metrics of labels; hamming-loss as a share of the unknown ones alone.
void measure_labels(const Prediction& prediction, const LabelMatrix& truth, int64_t resamples, uint64_t seed,
                    const std::vector<LabelMetric>& also, Evaluation& evaluation) {
  const KnownLabels& known = prediction.known;
  const bool some_known = (known != 0).any();
  const LabelMatrix unknown_truth = some_known ? without_known(truth, known) : truth;
  const LabelMatrix predicted = some_known ? without_known(prediction.labels, known) : prediction.labels;
  const LabelCounts counts(predicted, unknown_truth);
  evaluation.labels_predicted = counts.instance_predicted.mean();
  evaluation.labels_true = counts.instance_true.mean();
  std::vector<Interval> intervals;
  if (resamples > 0) intervals = bootstrap(metrics(), predicted, unknown_truth, resamples, seed);
  for (size_t m = 0; m < metrics().size(); ++m) {
    MeasuredMetric measured{metrics()[m].name, metrics()[m].value(counts)};
    if (resamples > 0) measured.interval = intervals[m];
    // Known labels are -1 on both sides: only a share of all labels counts them as right.
    if (some_known && measured.name == "hamming-loss") {
      const double factor = static_cast<double>(known.size()) / static_cast<double>((known == 0).count());
      measured.value *= factor;
      if (measured.interval)
        measured.interval = {measured.interval->low * factor, measured.interval->high * factor};
    }
    evaluation.metrics.push_back(std::move(measured));
  }
  for (const LabelMetric& metric : also) {
    if (metric.is_built_in()) continue;
    const Eigen::VectorXd losses = metric.example_losses(predicted, unknown_truth);
    MeasuredMetric& measured = evaluation.metrics.emplace_back(MeasuredMetric{metric.name(), losses.mean()});
    if (resamples > 0)
      measured.interval =
          bootstrap_means(losses.transpose(), Eigen::VectorXd::Ones(losses.size()), resamples, seed).front();
  }
}

void measure_ranking(const Prediction& prediction, const LabelMatrix& truth, int64_t resamples, uint64_t seed,
                     Evaluation& evaluation) {
  const Eigen::MatrixXd values = rank_values(prediction.ranking, truth, prediction.known);
  std::vector<Interval> intervals;
  if (resamples > 0)
    intervals = bootstrap_means(values, Eigen::VectorXd::Ones(values.cols()), resamples, seed);
  const std::vector<RankMetric> which = rank_metrics(truth.rows());
  for (size_t m = 0; m < which.size(); ++m) {
    MeasuredMetric& measured = evaluation.metrics.emplace_back(
        MeasuredMetric{which[m].name, values.row(static_cast<int64_t>(m)).mean()});
    if (resamples > 0) measured.interval = intervals[m];
  }
}

void measure_probabilities(const Prediction& prediction, const LabelMatrix& truth, int64_t resamples,
                           uint64_t seed, Evaluation& evaluation) {
  Calibration calibration = calibration_of(prediction.probabilities, truth, prediction.known);
  MeasuredMetric& brier =
      evaluation.metrics.emplace_back(MeasuredMetric{"brier-score", calibration.brier_score()});
  if (resamples > 0)
    brier.interval =
        bootstrap_means(calibration.brier.transpose(), calibration.unknown, resamples, seed).front();
  evaluation.metrics.push_back({"calibration-error", calibration.error()});
  evaluation.reliability = std::move(calibration.bins);
}

}  // namespace

const MeasuredMetric& Evaluation::metric(const std::string& name) const {
  for (const MeasuredMetric& measured : metrics)
    if (measured.name == name) return measured;
  fail(Fault::input, "there is no metric {} of this prediction", name);
}

Evaluation evaluate(const Prediction& prediction, const LabelMatrix& truth, int64_t resamples, uint64_t seed,
                    const std::vector<LabelMetric>& also) {
  if (prediction.known.size() > 0 && (prediction.known != 0).all())
    fail(Fault::input, "every label is known, so there is nothing to score");
  const double none = std::numeric_limits<double>::quiet_NaN();
  Evaluation evaluation{truth.cols(), none, none, {}, {}};
  if (prediction.labels.size() > 0) measure_labels(prediction, truth, resamples, seed, also, evaluation);
  if (prediction.ranking.size() > 0) measure_ranking(prediction, truth, resamples, seed, evaluation);
  if (prediction.probabilities.size() > 0)
    measure_probabilities(prediction, truth, resamples, seed, evaluation);
  return evaluation;
}

nlohmann::ordered_json metrics_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json, intervals = nlohmann::ordered_json::object();
  for (const MeasuredMetric& measured : evaluation.metrics) {
    json[measured.name] = measured.value;
    if (measured.interval) intervals[measured.name] = {measured.interval->low, measured.interval->high};
  }
  json["intervals"] = intervals;
  json["instances"] = evaluation.instances;
  if (!std::isnan(evaluation.labels_predicted)) {
    json["labels-predicted"] = evaluation.labels_predicted;
    json["labels-true"] = evaluation.labels_true;
  }
  if (!evaluation.reliability.empty()) json["reliability"] = reliability_json(evaluation.reliability);
  return json;
}

PredictionRule::PredictionRule(const Model& model, const SolvePlan& plan)
    : decodes(ModelPredictor::needs_decoder(model)), rounds(model.rounds()) {
  if (decodes) text = fmt::format("decoder {}, ", plan.decoder.plugin->name());
  const ThresholdOn ranking = effective_threshold_on(model.settings, model.has_prior());
  const std::string on = std::string(model.settings.predict.normalise.value_or(false) ? "normalised " : "") +
                         (ranking == ThresholdOn::marginals ? "log-odds" : name_of(ranking));
  if (rounds)
    text += fmt::format("rounding {}", plan.rounding_name());
  else if (model.settings.predict.threshold == ThresholdKind::direct_f1)
    text += "largest expected F1 by direct regression";
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
