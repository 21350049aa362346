// SPDX-License-Identifier: MIT
// concord evaluate: every metric of a model on labelled data, with bootstrap intervals.
#include "metrics/metrics.hpp"
#include "predict/prediction.hpp"
#include "prediction_setup.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

constexpr const char* kConvention =
    "0/0: example F1, Jaccard, precision and recall are 1 where truth and prediction are both empty, "
    "and 0 where exactly one of them is; micro-f1 of nothing is 1; macro-f1 counts a label without "
    "positives and predictions as 1, macro-f1-present skips it";

struct Scores {
  int64_t instances;
  double labels_predicted, labels_true;  // for each instance
  std::vector<double> values;
  std::vector<Interval> intervals;  // empty: not asked for
};

Scores score(const LabelMatrix& predicted, const LabelMatrix& truth, int64_t resamples, uint64_t seed) {
  const LabelCounts counts(predicted, truth);
  Scores scores{truth.cols(), counts.instance_predicted.mean(), counts.instance_true.mean(), {}, {}};
  for (const Metric& metric : metrics()) scores.values.push_back(metric.value(counts));
  if (resamples > 0) scores.intervals = bootstrap(metrics(), predicted, truth, resamples, seed);
  return scores;
}

struct Rule {
  bool decodes, rounds;
  std::string text;  // "decoder spectral, rounding a+b, at least 1 label"
};

Rule rule_of(const PredictionSetup& setup) {
  const Model& model = setup.model;
  Rule rule{ModelPredictor::needs_decoder(model), model.thresholds.size() == 0, ""};
  if (rule.decodes) rule.text = fmt::format("decoder {}, ", setup.plan->decoder.plugin->name());
  const bool on_u = effective_threshold_on(model.settings, model.has_prior()) == ThresholdOn::u;
  if (rule.rounds)
    rule.text += fmt::format("rounding {}", setup.plan->rounding_name);
  else if (model.settings.predict.threshold == ThresholdKind::expected_f1)
    rule.text += fmt::format("largest expected F1 by calibrated {}", on_u ? "u" : "scores");
  else if (model.thresholds.size() == 1)
    rule.text += fmt::format("threshold {:.6g} on {}", model.thresholds(0), on_u ? "u" : "scores");
  else
    rule.text += fmt::format("a threshold for each label on {}", on_u ? "u" : "scores");
  if (const int64_t least = model.settings.predict.min_labels; least > 0)
    rule.text += fmt::format(", at least {} label{}", least, least == 1 ? "" : "s");
  return rule;
}

Json scores_json(const PredictionSetup& setup, const std::string& data, const Scores& scores,
                 int64_t resamples) {
  Json json, intervals = Json::object();
  for (size_t m = 0; m < scores.values.size(); ++m) {
    json[metrics()[m].name] = scores.values[m];
    if (!scores.intervals.empty())
      intervals[metrics()[m].name] = {scores.intervals[m].low, scores.intervals[m].high};
  }
  const Rule rule = rule_of(setup);
  Json used = Json::array();
  if (rule.decodes) used.push_back(plugin_json(setup.plan->decoder));
  if (rule.rounds)
    for (const auto& part : setup.plan->rounding) used.push_back(plugin_json(part));
  json["intervals"] = intervals;
  json["instances"] = scores.instances;
  json["labels-predicted"] = scores.labels_predicted;
  json["labels-true"] = scores.labels_true;
  json["model"] = setup.model_file;
  json["data"] = data;
  json["rule"] = rule.text;
  json["convention"] = kConvention;
  json["bootstrap"] = resamples;
  json["seed"] = setup.seed;
  json["plugins"] = used;
  json["host"] = provenance_json();
  return json;
}

std::string scores_text(const PredictionSetup& setup, const std::string& data, const Scores& scores,
                        int64_t resamples) {
  std::string text = fmt::format("{} on {}: {} instances, {} labels\n{}\n\n", setup.model_file, data,
                                 scores.instances, setup.model.labels(), rule_of(setup).text);
  text += fmt::format("{:<19}{:>7}", "metric", "value");
  text += scores.intervals.empty() ? "\n" : "   95 % interval\n";
  for (size_t m = 0; m < scores.values.size(); ++m) {
    text += fmt::format("{:<19}{:>7.4f}", metrics()[m].name, scores.values[m]);
    if (!scores.intervals.empty())
      text += fmt::format("   {:.4f} .. {:.4f}", scores.intervals[m].low, scores.intervals[m].high);
    text += "\n";
  }
  text += fmt::format("labels for each instance: {:.4g} predicted, {:.4g} true\n\n", scores.labels_predicted,
                      scores.labels_true);
  std::string convention = kConvention;
  for (size_t at = 0; (at = convention.find("; ", at)) != std::string::npos; at += 2)
    convention.replace(at, 2, ";\n     ");
  text += convention + ".\n";
  if (!scores.intervals.empty())
    text += fmt::format("Intervals: percentiles of {} bootstrap resamples of the instances, seed {}.\n",
                        resamples, setup.seed);
  return text;
}

}  // namespace

Exit run_evaluate(const Strings& words, Context& context) {
  Arguments arguments("evaluate --model FILE --data FILE [OPTIONS]",
                      "Predicts labelled data with a model and prints every metric with a 95 % interval.");
  add_prediction_options(arguments);
  arguments.add()("labels", po::value<std::string>()->value_name("FILE"),
                  "Mulan's XML of an ARFF file; default: found beside the data")(
      "bootstrap", po::value<int64_t>()->default_value(1000)->value_name("N"),
      "resamples for the intervals; 0: no intervals")("json", "one JSON object on standard output");
  if (!arguments.parse(words, context.out)) return Exit::done;

  ErrorList errors;
  const std::string data = arguments.required("data");
  const PredictionSetup setup = set_up_prediction(arguments, context, errors);
  const auto resamples = arguments.get<int64_t>("bootstrap");
  if (resamples < 0 || resamples > 1'000'000)
    errors.add(Fault::input, fmt::format("--bootstrap {}: expected an integer from 0 to 1000000", resamples));
  DataSource source{data, "", DataFormat::detect};
  if (arguments.has("labels")) source.labels = arguments.get<std::string>("labels");
  errors.attempt([&] { source.format = parse_data_format(arguments.get<std::string>("format")); });
  errors.throw_if_any();

  const ExpectedColumns columns = columns_of(setup.model);
  const Dataset dataset = read_dataset(source, &columns);
  if (dataset.instances() == 0)
    fail(Fault::input, "{}: there are no instances, so there is nothing to score", data);
  ModelPredictor predictor(setup.model, *setup.plan, setup.seed, context.control, setup.threads);
  const Scores scores = score(predictor.predict_labels(dataset.X), dataset.Y, resamples, setup.seed);
  context.out.write(arguments.has("json") ? to_line(scores_json(setup, data, scores, resamples))
                                          : scores_text(setup, data, scores, resamples));
  return Exit::done;
}

}  // namespace concord
