// SPDX-License-Identifier: MIT
// A training cell: selection and training as `concord train` does it, then the test data, once.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "compare/cell.hpp"
#include "config/entries.hpp"
#include "metrics/metrics.hpp"
#include "predict/prediction.hpp"
#include "process/provenance.hpp"
#include "train/trainer.hpp"

namespace concord {
namespace {

constexpr int64_t kResamples = 1000;      // of the intervals
constexpr int64_t kMostShownLabels = 60;  // of a prior
constexpr size_t kMostPairs = 30;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What a report shows of the prior: the labels that it says most about, and the strongest pairs.
Json prior_json(const Model& model) {
  if (!model.has_prior()) return nullptr;
  const int64_t V = model.labels();
  Eigen::MatrixXd A = model.A;
  A.diagonal().setZero();
  const Eigen::VectorXd weight = A.cwiseAbs().rowwise().sum();
  std::vector<int64_t> shown(static_cast<size_t>(V));
  std::iota(shown.begin(), shown.end(), 0);
  std::stable_sort(shown.begin(), shown.end(), [&](int64_t a, int64_t b) { return weight(a) > weight(b); });
  shown.resize(static_cast<size_t>(std::min(V, kMostShownLabels)));
  std::sort(shown.begin(), shown.end());

  Json names = Json::array(), matrix = Json::array();
  const auto rounded = [](double x) { return std::stod(fmt::format("{:.4g}", x)); };
  for (size_t a = 0; a < shown.size(); ++a) {
    names.push_back(model.label_names[static_cast<size_t>(shown[a])]);
    Json row = Json::array();
    for (size_t b = 0; b <= a; ++b) row.push_back(rounded(model.A(shown[a], shown[b])));
    matrix.push_back(std::move(row));
  }
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t j = 1; j < V; ++j)
    for (int64_t i = 0; i < j; ++i)
      if (A(i, j) != 0) pairs.emplace_back(i, j);
  const auto stronger = [&](const auto& a, const auto& b) {
    return std::abs(A(a.first, a.second)) > std::abs(A(b.first, b.second));
  };
  std::stable_sort(pairs.begin(), pairs.end(), stronger);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  Json strongest = Json::array();
  for (const auto& [i, j] : pairs)
    strongest.push_back({{"a", model.label_names[static_cast<size_t>(i)]},
                         {"b", model.label_names[static_cast<size_t>(j)]},
                         {"value", rounded(A(i, j))}});
  return {{"names", names}, {"matrix", matrix}, {"labels", V}, {"strongest", strongest}};
}

struct TestScores {
  Json metrics = Json::object(), intervals = Json::object(), losses;
  double predicted = 0, truth = 0;
};

TestScores score(const LabelMatrix& predicted, const LabelMatrix& truth, const std::string& metric_name,
                 uint64_t seed) {
  TestScores scores;
  const LabelCounts counts(predicted, truth);
  const std::vector<Interval> intervals = bootstrap(metrics(), predicted, truth, kResamples, seed);
  for (size_t m = 0; m < metrics().size(); ++m) {
    scores.metrics[metrics()[m].name] = metrics()[m].value(counts);
    scores.intervals[metrics()[m].name] = {intervals[m].low, intervals[m].high};
  }
  const Metric& metric = find_metric(metric_name);
  if (is_example_mean(metric)) {
    const Eigen::VectorXd losses = example_losses(metric, predicted, truth);
    scores.losses = std::vector<double>(losses.begin(), losses.end());
  }
  scores.predicted = counts.instance_predicted.mean();
  scores.truth = counts.instance_true.mean();
  return scores;
}

}  // namespace

Config config_of_request(const Json& request) {
  ErrorList errors;
  const std::string name = request.at("id");
  const std::vector<ConfigEntry> entries = read_entries(value_from_json(request.at("config"), name), errors);
  return config_of(entries, name, errors);
}

Json run_training_cell(const Json& request, const CellRun& run) {
  Config config = config_of_request(request);
  std::vector<std::filesystem::path> directories = run.plugin_dirs;
  directories.insert(directories.end(), config.plugin_dirs.begin(), config.plugin_dirs.end());
  Registry registry(directories, run.control);
  const DataFormat format = parse_data_format(request.at("format"));
  const Dataset train =
      read_dataset({request.at("train").get<std::string>(), request.at("labels").get<std::string>(), format});
  const ExpectedColumns columns = columns_of(train);
  const Dataset test = read_dataset(
      {request.at("test").get<std::string>(), request.at("test_labels").get<std::string>(), format},
      &columns);
  if (test.instances() == 0)
    fail(Fault::input, "{}: there are no instances to test on", request.at("test").get<std::string>());

  for (GridPoint& cell : config.cells) cell.settings.run.threads = run.threads;
  TrainRun training;
  training.checkpoint = run.folder / "model.checkpoint";
  training.resume = std::filesystem::exists(training.checkpoint);
  Json convergence = Json::array();
  training.event = [&](const Json& event) {
    if (event.at("event") == "epoch" && event.contains("objective") && !event.at("objective").is_null())
      convergence.push_back({event.at("seconds"), event.at("objective"), event.at("gap")});
    if (event.at("event") == "warning")
      std::fputs(fmt::format("concord: {}\n", event.at("text").get<std::string>()).c_str(), stderr);
  };
  const std::string started = timestamp();
  const auto begin = std::chrono::steady_clock::now();
  const Trained trained = train_model(registry, config.cells, train, training, run.control);
  const double train_seconds = seconds_since(begin);
  const Model& model = trained.model;
  if (trained.interrupted) fail(Fault::interrupted, "interrupted in the refit");
  save_model(model, run.folder / "model.concord");

  ErrorList errors;
  const SolvePlan plan = plan_prediction(registry, model.settings, errors);
  errors.throw_if_any();
  const auto before_test = std::chrono::steady_clock::now();
  ModelPredictor predictor(model, plan, model.settings.run.seed, run.control, run.threads);
  const LabelMatrix predicted = predictor.predict_labels(test.X);
  const double test_seconds = seconds_since(before_test);
  const TestScores scores =
      score(predicted, test.Y, request.at("metric").get<std::string>(), model.settings.run.seed);

  const Json& record = model.record;
  const Json& selection = record.at("selection");
  Json selected = Json::object(), validation;
  if (!selection.at("cells").empty()) {
    const Json& winner = selection.at("cells").at(selection.at("winner").get<size_t>());
    selected = winner.at("chosen");
    validation = {
        {"metric", selection.at("metric")}, {"value", winner.at("value")}, {"error", winner.at("error")}};
  }
  std::filesystem::remove(training.checkpoint);
  return {
      {"metrics", scores.metrics},
      {"intervals", scores.intervals},
      {"labels_predicted", scores.predicted},
      {"labels_true", scores.truth},
      {"selected", selected},
      {"validation", validation},
      {"prior_helped", record.contains("prior") ? record.at("prior") : Json(nullptr)},
      {"objective", record.at("objective")},
      {"gap", record.at("gap")},
      {"estimate", record.at("estimate")},
      {"seconds", {{"train", training.resume ? Json(nullptr) : Json(train_seconds)}, {"test", test_seconds}}},
      {"resumed", training.resume},
      {"threads", run.threads},
      {"instances", train.instances()},
      {"test_instances", test.instances()},
      {"features", train.features()},
      {"labels", train.labels()},
      {"data_sha256", record.at("data").at("sha256")},
      {"seed", record.at("seed")},
      {"config", settings_json(model.settings)},
      {"plugins", record.at("plugins")},
      {"host", results_host_record()},
      {"started", started},
      {"warnings", record.contains("warnings") ? record.at("warnings") : Json::array()},
      // A run that was resumed has seen only its end: no time is better than a wrong one.
      {"convergence", training.resume ? Json::array() : convergence},
      {"prior", prior_json(model)},
      {"losses", scores.losses}};
}

}  // namespace concord
