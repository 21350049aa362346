// SPDX-License-Identifier: MIT
// concord evaluate: every metric of a model on labelled data, with bootstrap intervals.
#include "plugin/records.hpp"
#include "predict/evaluation.hpp"
#include "predict/prediction.hpp"
#include "prediction_setup.hpp"
#include "process/state.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

Json scores_json(const PredictionSetup& setup, const std::string& data, const Evaluation& scores,
                 int64_t resamples) {
  Json json = metrics_json(scores);
  const PredictionRule rule(setup.model, setup.plan);
  Json used = Json::array();
  if (rule.decodes) used.push_back(plugin_record(setup.plan.decoder));
  if (rule.rounds)
    for (const auto& part : setup.plan.rounding) used.push_back(plugin_record(part));
  json["model"] = setup.model_file;
  json["data"] = data;
  json["rule"] = rule.text;
  json["convention"] = kMetricConvention;
  json["bootstrap"] = resamples;
  json["seed"] = setup.seed;
  json["plugins"] = used;
  json["host"] = host_record();
  return json;
}

std::string scores_text(const PredictionSetup& setup, const std::string& data, const Evaluation& scores,
                        int64_t resamples) {
  std::string text =
      fmt::format("{} on {}: {} instances, {} labels\n{}\n\n", setup.model_file, data, scores.instances,
                  setup.model.labels(), PredictionRule(setup.model, setup.plan).text);
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
  std::string convention = kMetricConvention;
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
    errors.add(Fault::input, "expected an integer from 0 to 1000000",
               {fmt::format("--bootstrap {}", resamples)});
  DataSource source{data, "", DataFormat::detect};
  if (arguments.has("labels")) source.labels = arguments.get<std::string>("labels");
  errors.attempt([&] { source.format = parse_data_format(arguments.get<std::string>("format")); });
  errors.throw_if_any();

  const ExpectedColumns columns = columns_of(setup.model);
  const Dataset dataset = read_dataset(source, &columns);
  if (dataset.instances() == 0)
    fail(Fault::input, About{data, data}, "there are no instances, so there is nothing to score");
  ModelPredictor predictor(setup.model, setup.plan, setup.seed, context.control, setup.threads);
  const Evaluation scores =
      evaluate_labels(predictor.predict_labels(dataset.X), dataset.Y, resamples, setup.seed);
  context.out.write(arguments.has("json") ? to_line(scores_json(setup, data, scores, resamples))
                                          : scores_text(setup, data, scores, resamples));
  return Exit::done;
}

}  // namespace concord
