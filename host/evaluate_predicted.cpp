// SPDX-License-Identifier: MIT
// concord evaluate without a model: labels that somebody predicted, against those of the data. And what both ways share.
#include <algorithm>

#include "base/text.hpp"
#include "config/readers.hpp"
#include "evaluate.hpp"
#include "plugin/records.hpp"
#include "prediction_setup.hpp"
#include "process/state.hpp"

namespace concord {
namespace {

/// 0 or 1 for every label of every instance.
LabelMatrix read_predicted(const std::string& file, const Dataset& data) {
  std::ifstream in = open_file(file);
  KnownReader reader(in, file, data.label_names, "the data have", "predicted labels");
  LabelMatrix labels(data.labels(), data.instances());
  for (int64_t i = 0; i < data.instances(); ++i) {
    labels.col(i) = reader.read(1);
    for (int64_t v = 0; v < data.labels(); ++v)
      if (labels(v, i) == 0)
        fail(Fault::input, About{reader.place(), file},
             "there is no prediction for the label {}: each label of the data needs a column of 0 and 1",
             quote(data.label_names[static_cast<size_t>(v)]));
  }
  reader.require_end();
  return labels;
}

}  // namespace

int64_t resamples_given(const Arguments& arguments, ErrorList& errors) {
  const auto resamples = arguments.get<int64_t>("bootstrap");
  if (resamples < 0 || resamples > 1'000'000)
    errors.add(Fault::input, "expected an integer from 0 to 1000000",
               {fmt::format("--bootstrap {}", resamples)});
  return resamples;
}

DataSource data_given(const Arguments& arguments, ErrorList& errors) {
  DataSource source{arguments.required("data"), "", DataFormat::detect};
  if (arguments.has("labels")) source.labels = arguments.get<std::string>("labels");
  errors.attempt([&] { source.format = parse_data_format(arguments.get<std::string>("format")); });
  return source;
}

std::vector<LabelMetric> metrics_given(const Arguments& arguments, Registry& registry, ErrorList& errors) {
  std::vector<LabelMetric> metrics;
  for (const std::string& text : arguments.list("metric"))
    errors.attempt([&] {
      const std::string place = "--metric " + text;
      LabelMetric metric(registry, read_metric(parse_toml_value(text, place)));
      if (arguments.has("against") && !metric.is_example_mean())
        fail(Fault::input, About{place}, "{} is no mean over instances: it has no paired difference",
             metric.name());
      const bool is_new = std::none_of(metrics.begin(), metrics.end(), [&](const LabelMetric& other) {
        return other.name() == metric.name();
      });
      if (is_new) metrics.push_back(std::move(metric));
    });
  return metrics;
}

std::string metrics_text(const Evaluation& scores, int64_t resamples, uint64_t seed) {
  size_t width = 19;
  for (const MeasuredMetric& metric : scores.metrics) width = std::max(width, metric.name.size() + 2);
  std::string text = fmt::format("{:<{}}{:>7}", "metric", width, "value");
  text += resamples == 0 ? "\n" : "   95 % interval\n";
  for (const MeasuredMetric& metric : scores.metrics) {
    text += fmt::format("{:<{}}{:>7.4f}", metric.name, width, metric.value);
    if (metric.interval)
      text += fmt::format("   {:.4f} .. {:.4f}", metric.interval->low, metric.interval->high);
    text += "\n";
  }
  text += fmt::format("labels for each instance: {:.4g} predicted, {:.4g} true\n\n", scores.labels_predicted,
                      scores.labels_true);
  std::string convention = kMetricConvention;
  for (size_t at = 0; (at = convention.find("; ", at)) != std::string::npos; at += 2)
    convention.replace(at, 2, ";\n     ");
  text += convention + ".\n";
  if (resamples > 0)
    text += fmt::format("Intervals: percentiles of {} bootstrap resamples of the instances, seed {}.\n",
                        resamples, seed);
  return text;
}

Exit evaluate_predicted(const Arguments& arguments, Context& context) {
  ErrorList errors;
  for (const char* other :
       {"model", "decoder", "rounding", "set", "scores", "known", "reveal", "against", "trust-model-plugins"})
    if (arguments.has(other))
      errors.add(Fault::input, "has no use with --predicted, which needs no model",
                 {fmt::format("--{}", other)});
  const DataSource source = data_given(arguments, errors);
  const int64_t resamples = resamples_given(arguments, errors);
  uint64_t seed = RunSettings().seed;
  if (arguments.has("seed")) errors.attempt([&] { seed = parse_seed(arguments.get<std::string>("seed")); });
  std::optional<Registry> registry;
  std::vector<LabelMetric> also;
  errors.attempt([&] {
    registry.emplace(registry_for(arguments, context));
    also = metrics_given(arguments, *registry, errors);
  });
  errors.throw_if_any();

  const Dataset dataset = read_dataset(source);
  const auto file = arguments.get<std::string>("predicted");
  if (dataset.instances() == 0)
    fail(Fault::input, About{source.file.string()}, "there are no instances, so there is nothing to score");
  for (const LabelMetric& metric : also) metric.require(dataset.Y);
  const Evaluation scores =
      evaluate({read_predicted(file, dataset), {}, {}, {}}, dataset.Y, resamples, seed, also);
  if (!arguments.has("json")) {
    context.out.write(fmt::format("{} on {}: {} instances, {} labels\n\n", file, source.file.string(),
                                  scores.instances, dataset.labels()) +
                      metrics_text(scores, resamples, seed));
    return Exit::done;
  }
  Json json = metrics_json(scores);
  json["predicted"] = file;
  json["data"] = source.file.string();
  json["convention"] = kMetricConvention;
  json["bootstrap"] = resamples;
  json["seed"] = seed;
  json["plugins"] = Json::array();
  for (const LabelMetric& metric : also)
    if (metric.plugin() != nullptr) json["plugins"].push_back(plugin_record(*metric.plugin()));
  json["host"] = host_record();
  context.out.write(to_line(json));
  return Exit::done;
}

}  // namespace concord
