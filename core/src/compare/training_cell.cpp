// SPDX-License-Identifier: MIT
// A training cell: selection and training as `concord train` does it, then the test data, once.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "compare/run_cell.hpp"
#include "predict/evaluation.hpp"
#include "predict/prediction.hpp"
#include "train/trainer.hpp"

namespace concord::compare {
namespace {

constexpr int64_t kResamples = 1000;  // of the intervals
constexpr uint64_t kRevealSeed = 1;
constexpr int64_t kMostShownLabels = 60;  // of a prior
constexpr size_t kMostPairs = 30;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::optional<PriorExcerpt> excerpt_of(const Model& model) {
  if (!model.has_prior()) return std::nullopt;
  const int64_t V = model.labels();
  Eigen::MatrixXd A = model.A;
  A.diagonal().setZero();
  const Eigen::VectorXd weight = A.cwiseAbs().rowwise().sum();
  std::vector<int64_t> shown(static_cast<size_t>(V));
  std::iota(shown.begin(), shown.end(), 0);
  std::stable_sort(shown.begin(), shown.end(), [&](int64_t a, int64_t b) { return weight(a) > weight(b); });
  shown.resize(static_cast<size_t>(std::min(V, kMostShownLabels)));
  std::sort(shown.begin(), shown.end());

  const auto name = [&](int64_t label) { return model.label_names[static_cast<size_t>(label)]; };
  const auto rounded = [](double x) { return std::stod(fmt::format("{:.4g}", x)); };
  PriorExcerpt excerpt;
  excerpt.labels = V;
  for (const int64_t label : shown) excerpt.names.push_back(name(label));
  excerpt.A = model.A(shown, shown).unaryExpr(rounded);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t j = 1; j < V; ++j)
    for (int64_t i = 0; i < j; ++i)
      if (A(i, j) != 0) pairs.emplace_back(i, j);
  const auto stronger = [&](const auto& a, const auto& b) {
    return std::abs(A(a.first, a.second)) > std::abs(A(b.first, b.second));
  };
  std::stable_sort(pairs.begin(), pairs.end(), stronger);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  for (const auto& [i, j] : pairs) excerpt.strongest.push_back({name(i), name(j), rounded(A(i, j))});
  return excerpt;
}

Range range_of(const std::optional<Interval>& interval) {
  return interval ? Range{interval->low, interval->high} : Range{};
}

/// On the test data.
void score(const Prediction& prediction, const LabelMatrix& truth, const LabelMetric& metric,
           TrainingResult& result) {
  Evaluation scores = evaluate(prediction, truth, kResamples, result.seed, {metric});
  for (const MeasuredMetric& measured : scores.metrics)
    result.metrics.push_back({measured.name, measured.value, range_of(measured.interval)});
  if (metric.is_example_mean()) {
    const Eigen::VectorXd losses = metric.example_losses(prediction.labels, truth);
    result.losses.assign(losses.begin(), losses.end());
  }
  result.labels_predicted = scores.labels_predicted;
  result.labels_true = scores.labels_true;
  result.reliability = std::move(scores.reliability);
}

/// The metric of the unknown labels for each share that is revealed. The seed of the draw is that of no method, so that all
/// methods get the same labels.
std::vector<RevealPoint> reveal_curve(ModelPredictor& predictor, const Dataset& test,
                                      const LabelMetric& metric, const std::vector<double>& shares) {
  std::vector<RevealPoint> curve;
  for (const double share : shares) {
    const KnownLabels known = reveal(test.Y, share, kRevealSeed);
    const Prediction prediction{predictor.predict_labels(test.X, known), {}, known, {}};
    const MeasuredMetric found =
        evaluate(prediction, test.Y, kResamples, kRevealSeed, {metric}).metric(metric.name());
    curve.push_back({share, found.value, range_of(found.interval)});
  }
  return curve;
}

/// What the model's own record says of its training.
void take_record(const Json& record, TrainingResult& result) {
  const Json& selection = record.at("selection");
  if (!selection.at("cells").empty()) {
    const Json& winner = selection.at("cells").at(selection.at("winner").get<size_t>());
    result.selected = texts_from_json(winner.at("chosen"));
    result.validation = {selection.at("metric"), number_at(winner, "value"), number_at(winner, "error")};
  }
  if (record.contains("prior")) result.prior_helped = verdict_from_json(record.at("prior"));
  result.objective = number_at(record, "objective");
  result.gap = number_at(record, "gap");
  result.gap_is_estimate = flag_at(record, "estimate");
  result.data_sha256 = record.at("data").at("sha256");
  result.seed = record.at("seed");
  result.plugins = plugins_from_json(record.at("plugins"));
  result.warnings = list_from_json(json_at(record, "warnings"), plain);
}

}  // namespace

TrainingResult run_training_cell(const Cell& cell, const CellRun& run) {
  const TrainingRequest& request = cell.training();
  Registry registry(plugin_dirs_of(cell, run.plugin_dirs), run.control);
  const auto [train, test] = split_of(cell.name, request);
  if (test.instances() == 0)
    fail(Fault::input, About{request.test.file.string()}, "there are no instances to test on");

  const LabelMetric metric(registry, request.metric);
  metric.require(test.Y);

  Config config = request.config;
  for (auto& point : config.cells) {
    point.settings.run.threads = run.threads;
    point.settings.run.seed += static_cast<uint64_t>(cell.name.repeat - 1);
  }
  TrainingResult result;
  TrainRun training;
  training.checkpoint = run.folder / "model.checkpoint";
  training.resume = result.resumed = std::filesystem::exists(training.checkpoint);
  training.event = [&](const Json& event) {
    // A run that was resumed has seen only its end: no time is better than a wrong one.
    if (!result.resumed && event.at("event") == "epoch" && std::isfinite(number_at(event, "objective")))
      result.convergence.push_back(
          {number_at(event, "seconds"), number_at(event, "objective"), number_at(event, "gap")});
    if (event.at("event") == "warning")
      std::fputs(fmt::format("concord: {}\n", event.at("text").get<std::string>()).c_str(), stderr);
  };
  result.started = timestamp();
  const auto begin = std::chrono::steady_clock::now();
  const Trained trained = train_model(registry, config.cells, train, training, run.control);
  if (!result.resumed) result.train_seconds = seconds_since(begin);
  const Model& model = trained.model;
  if (trained.interrupted) fail(Fault::interrupted, "interrupted in the refit");
  save_model(model, run.folder / "model.concord");

  ErrorList errors;
  const SolvePlan plan = plan_prediction(registry, model.settings, errors);
  errors.throw_if_any();
  const auto before_test = std::chrono::steady_clock::now();
  ModelPredictor predictor(model, plan, model.settings.run.seed, run.control, run.threads);
  const Prediction prediction = predictor.predict_all(test.X);
  result.test_seconds = seconds_since(before_test);

  take_record(model.record, result);
  score(prediction, test.Y, metric, result);
  result.reveal = reveal_curve(predictor, test, metric, request.reveal);
  if (model.has_prior() && cell.name.repeat == 1) try {
      result.examples = examples_of(model, plan, test, prediction.labels, run.control);
    } catch (const Error& e) {  // they are no reason to lose the training
      if (e.kind() == Fault::interrupted) throw;
      std::fputs(fmt::format("concord: no examples: {}\n", e.what()).c_str(), stderr);
    }
  result.threads = run.threads;
  result.instances = train.instances();
  result.test_instances = test.instances();
  result.features = train.features();
  result.labels = train.labels();
  result.config = settings_json(model.settings);
  result.host = provenance();
  result.prior = excerpt_of(model);
  std::filesystem::remove(training.checkpoint);
  return result;
}

}  // namespace concord::compare
