// SPDX-License-Identifier: MIT
// concord evaluate: every metric of a model on labelled data, with bootstrap intervals.
#include "evaluate.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "plugin/records.hpp"
#include "predict/prediction.hpp"
#include "prediction_setup.hpp"
#include "process/state.hpp"
#include "train/validation.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

Json scores_json(const PredictionSetup& setup, const std::string& data, const Evaluation& scores,
                 const std::vector<LabelMetric>& also, int64_t resamples) {
  Json json = metrics_json(scores);
  const PredictionRule rule(setup.model, setup.plan);
  Json used = Json::array();
  if (rule.decodes) used.push_back(plugin_record(setup.plan.decoder));
  if (rule.rounds)
    for (const auto& part : setup.plan.rounding) used.push_back(plugin_record(part));
  for (const LabelMetric& metric : also)
    if (metric.plugin() != nullptr) used.push_back(plugin_record(*metric.plugin()));
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
  return text + metrics_text(scores, resamples, setup.seed);
}

/// The shares of --reveal 0,0.5,0.9.
std::vector<double> parse_shares(const std::string& text) {
  std::vector<double> shares;
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    from = comma + 1;
    const auto share = number_in<double>(part);
    if (!share || *share < 0 || *share >= 1)
      fail(Fault::input, About{"--reveal " + text},
           "{} is no share of the labels: from 0 to below 1, as in 0.5 or 0,0.5,0.9", quote(part));
    shares.push_back(*share);
  }
  return shares;
}

/// What is known of the data by a file, which must not contradict their labels.
KnownLabels read_known(const std::string& file, const Dataset& data) {
  std::ifstream in = open_file(file);
  KnownReader reader(in, file, data.label_names);
  KnownLabels known(data.labels(), data.instances());
  for (int64_t i = 0; i < data.instances(); ++i) {
    known.col(i) = reader.read(1);
    for (int64_t v = 0; v < data.labels(); ++v)
      if (known(v, i) != 0 && known(v, i) != data.Y(v, i))
        fail(Fault::input, About{reader.place(), file}, "the label {} is {} here, and {} in the data",
             quote(data.label_names[static_cast<size_t>(v)]), known(v, i) > 0 ? 1 : 0,
             data.Y(v, i) > 0 ? 1 : 0);
  }
  reader.require_end();
  return known;
}

/// Another model on the same instances, with the same labels known.
class Rival {
 public:
  Rival(const std::string& file, const PredictionSetup& setup, const Dataset& data, const Prediction& ours,
        const std::vector<LabelMetric>& metrics, const Context& context)
      : file_(file) {
    ErrorList errors;
    const ReadyModel other = load_for_prediction(file, setup.none, *setup.registry, errors);
    errors.throw_if_any();
    if (other.model.label_names != setup.model.label_names ||
        other.model.preprocess.features() != setup.model.preprocess.features() ||
        (other.model.preprocess.given > 0 && other.model.preprocess.given != setup.model.preprocess.given))
      fail(Fault::input, About{"--against " + file, file},
           "the models have other labels or features, so they cannot be compared");
    ModelPredictor predictor(other.model, other.plan, setup.seed, context.control, setup.threads);
    const LabelMatrix truth = without_known(data.Y, ours.known);
    const Features X =
        data.X.middle_columns(0, other.model.preprocess.inputs);  // it may know nothing of scores
    const LabelMatrix its = without_known(predictor.predict_labels(X, ours.known), ours.known);
    const LabelMatrix mine = without_known(ours.labels, ours.known);
    for (const LabelMetric& metric : metrics) {
      const Eigen::VectorXd losses = metric.example_losses(its, truth);
      const MeanWithError paired = mean_with_error(metric.example_losses(mine, truth) - losses);
      const double mean = losses.mean();
      found_.push_back({metric.name(), metric.is_loss() ? mean : 1 - mean,
                        metric.is_loss() ? paired.mean : -paired.mean, paired.error});
    }
  }

  /// {"model", "example-f1-loss", "difference", "error"}, and each metric of --metric under "metrics".
  Json json() const {
    Json json = {{"model", file_}};
    for (size_t m = 0; m < found_.size(); ++m) {
      const auto& [name, value, difference, error] = found_[m];
      if (m == 0)
        json.update(Json{{name, value}, {"difference", difference}, {"error", error}});
      else
        json["metrics"][name] = {{"value", value}, {"difference", difference}, {"error", error}};
    }
    return json;
  }
  std::string text() const {
    std::string text = "\n";
    for (const auto& [name, value, difference, error] : found_)
      text += fmt::format("against {}: {} {:.4f}, paired difference {:+.4f} +- {:.4f}\n", file_, name, value,
                          difference, error);
    return text;
  }

 private:
  struct Found {
    std::string metric;
    double value, difference, error;  ///< the other model's value, and ours minus that
  };
  std::string file_;
  std::vector<Found> found_;
};

/// One line for each share that was revealed.
std::string curve_text(const std::vector<double>& shares, const std::vector<Evaluation>& all,
                       const std::vector<LabelMetric>& also) {
  std::vector<std::vector<std::string>> rows = {{"known"}};
  std::vector<std::string> shown = {"example-f1-loss", "hamming-loss", "micro-f1"};
  for (const LabelMetric& metric : also)
    if (std::find(shown.begin(), shown.end(), metric.name()) == shown.end()) shown.push_back(metric.name());
  for (const auto& name : shown) {
    rows[0].push_back(name);
    if (all.front().metric(name).interval) rows[0].push_back("95 % interval");
  }
  for (size_t s = 0; s < shares.size(); ++s) {
    rows.push_back({fmt::format("{:g} %", 100 * shares[s])});
    for (const auto& name : shown) {
      const MeasuredMetric& metric = all[s].metric(name);
      rows.back().push_back(fmt::format("{:.4f}", metric.value));
      if (metric.interval)
        rows.back().push_back(fmt::format("{:.4f} .. {:.4f}", metric.interval->low, metric.interval->high));
    }
  }
  return table(rows, 0);
}

}  // namespace

Exit run_evaluate(const Strings& words, Context& context) {
  Arguments arguments(
      "evaluate --model FILE --data FILE [OPTIONS]\n       concord evaluate --predicted FILE --data FILE [OPTIONS]",
      "Predicts labelled data with a model, or takes labels that somebody predicted, and prints every metric "
      "with a 95 % interval.");
  add_prediction_options(arguments);
  arguments.add()("predicted", po::value<std::string>()->value_name("FILE"),
                  "instead of a model: predicted labels, as predict --output labels --as csv writes them")(
      "labels", po::value<std::string>()->value_name("FILE"),
      "Mulan's XML of an ARFF file; default: found beside the data")(
      "bootstrap", po::value<int64_t>()->default_value(1000)->value_name("N"),
      "resamples for the intervals; 0: no intervals")(
      "known", po::value<std::string>()->value_name("FILE"),
      "labels that are known, as for predict; the metrics are of the others")(
      "reveal", po::value<std::string>()->value_name("SHARES"),
      "instead: reveals this share of each instance's labels, drawn by the seed. Several, as in 0,0.5,0.9, "
      "give "
      "a table")("against", po::value<std::string>()->value_name("FILE"),
                 "another model: its example F1 loss on the same instances, and the paired difference")(
      "metric", po::value<Strings>()->composing()->value_name("METRIC"),
      "also the mean of a loss plugin: loss/NAME, or '{ name = \"loss/NAME\", option = value }'. With "
      "--against also the paired difference of this metric (may be given several times)")(
      "json", "one JSON object on standard output");
  if (!arguments.parse(words, context)) return Exit::done;
  if (arguments.has("predicted")) return evaluate_predicted(arguments, context);

  ErrorList errors;
  const std::string data = arguments.required("data");
  const PredictionSetup setup = set_up_prediction(arguments, context, errors);
  const int64_t resamples = resamples_given(arguments, errors);
  const DataSource source = data_given(arguments, errors);
  std::vector<double> shares = {0};
  if (arguments.has("reveal"))
    errors.attempt([&] { shares = parse_shares(arguments.get<std::string>("reveal")); });
  if (arguments.has("reveal") && arguments.has("known"))
    errors.add(Fault::input,
               "--known names the labels that are known and --reveal draws them: give one of them");
  std::vector<LabelMetric> also;
  if (setup.registry) also = metrics_given(arguments, *setup.registry, errors);
  if (arguments.has("against") && shares.size() > 1)
    errors.add(Fault::input, "--against compares at one share: give --reveal one of them");
  errors.throw_if_any();

  const ExpectedColumns columns = setup.columns();
  Dataset dataset = read_dataset(source, &columns);
  if (setup.scores) {
    append_scores(dataset, *setup.scores);
    setup.scores->require_end();
  }
  if (dataset.instances() == 0)
    fail(Fault::input, About{data, data}, "there are no instances, so there is nothing to score");
  for (const LabelMetric& metric : also) metric.require(dataset.Y);
  ModelPredictor predictor(setup.model, setup.plan, setup.seed, context.control, setup.threads);
  std::vector<Evaluation> all;
  Prediction last;
  const auto score = [&](const KnownLabels& known) {
    last = predictor.predict_all(dataset.X, known);
    all.push_back(evaluate(last, dataset.Y, resamples, setup.seed, also));
  };
  if (arguments.has("known"))
    score(read_known(arguments.get<std::string>("known"), dataset));
  else
    for (const double share : shares) score(reveal(dataset.Y, share, setup.seed));

  const bool json = arguments.has("json");
  if (all.size() == 1) {
    Json scores = json ? scores_json(setup, data, all.front(), also, resamples) : Json();
    std::string text = json ? "" : scores_text(setup, data, all.front(), resamples);
    if (arguments.has("against")) {
      std::vector<LabelMetric> paired = {find_metric("example-f1-loss")};
      for (const LabelMetric& metric : also)
        if (metric.name() != paired.front().name()) paired.push_back(metric);
      const Rival rival(arguments.get<std::string>("against"), setup, dataset, last, paired, context);
      scores["against"] = rival.json();
      text += rival.text();
    }
    context.out.write(json ? to_line(scores) : text);
    return Exit::done;
  }
  Json curve = Json::array();
  for (size_t s = 0; s < shares.size(); ++s) {
    Json point = {{"share", shares[s]}};
    point.update(metrics_json(all[s]));
    curve.push_back(std::move(point));
  }
  context.out.write(
      json ? to_line({{"reveal", curve}, {"model", setup.model_file}, {"data", data}, {"seed", setup.seed}})
           : curve_text(shares, all, also));
  return Exit::done;
}

}  // namespace concord
