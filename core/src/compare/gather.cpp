// SPDX-License-Identifier: MIT
#include "compare/gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <concord/kit/rng.hpp>

#include "compare/cell.hpp"
#include "metrics/metrics.hpp"
#include "process/provenance.hpp"

namespace concord {
namespace {

constexpr int kPairedResamples = 2000;
constexpr const char* kConvention =
    "Where truth and prediction are both empty, example F1, Jaccard, precision and recall count as 1; where "
    "exactly one "
    "of them is empty, as 0.";

std::vector<double> losses_of(const Json& result) {
  return result.contains("losses") && result.at("losses").is_array()
             ? result.at("losses").get<std::vector<double>>()
             : std::vector<double>();
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Json mean_or_null(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// How far bounds and values are from the best labels that any solver found for the problem.
Json solve_summary(const Json& results, const std::map<std::string, double>& best) {
  std::vector<double> excess, shortfall, gaps, seconds;
  int64_t optimal = 0, equal = 0;
  for (const Json& r : results) {
    if (r.at("value").is_null()) continue;
    const double known = best.at(r.at("problem")), scale = std::max(1.0, std::abs(known));
    const double value = r.at("value");
    shortfall.push_back(std::max(0.0, (known - value) / scale));
    equal += known - value <= 1e-9 * scale;
    optimal += r.at("status") == "optimal";
    seconds.push_back(r.at("seconds"));
    if (!r.at("bound").is_null())
      excess.push_back(std::max(0.0, (r.at("bound").get<double>() - known) / scale));
    if (!r.at("gap").is_null()) gaps.push_back(r.at("gap"));
  }
  const double middle = median(seconds);
  return {{"bound_excess", mean_or_null(excess)},
          {"value_shortfall", mean_or_null(shortfall)},
          {"gap", mean_or_null(gaps)},
          {"seconds", std::isfinite(middle) ? Json(middle) : Json(nullptr)},
          {"solved", shortfall.size()},
          {"optimal", optimal},
          {"best", equal}};
}

/// How many labels the problems have: "14", or "6 to 20".
std::string labels_text(const Json& results) {
  std::vector<int64_t> labels;
  for (const Json& r : results) labels.push_back(r.at("labels"));
  const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

void compare_with_baselines(Json& cells, const Json& baselines,
                            const std::map<std::string, std::vector<double>>& losses) {
  for (Json& cell : cells) {
    cell["versus"] = Json::object();
    if (cell.at("status") != "done") continue;
    const std::vector<double>& own = losses.at(cell.at("id"));
    for (const std::string baseline : baselines)
      for (const Json& other : cells) {
        if (other.at("dataset") != cell.at("dataset") || other.at("method") != baseline || &other == &cell ||
            other.at("status") != "done")
          continue;
        const std::vector<double>& theirs = losses.at(other.at("id"));
        if (own.size() > 1 && own.size() == theirs.size())  // one instance tells nothing of the error
          cell["versus"][baseline] = paired_difference(own, theirs, cell.at("seed"));
      }
  }
}

}  // namespace

Json paired_difference(const std::vector<double>& losses, const std::vector<double>& baseline,
                       uint64_t seed) {
  const size_t n = losses.size();
  std::vector<double> differences(n);
  double mean = 0, square = 0;
  for (size_t i = 0; i < n; ++i) mean += differences[i] = losses[i] - baseline[i];
  mean /= static_cast<double>(n);
  for (const double difference : differences) square += (difference - mean) * (difference - mean);
  const double error = n > 1 ? std::sqrt(square / static_cast<double>(n - 1) / static_cast<double>(n)) : 0;
  std::vector<double> means(kPairedResamples);
  kit::Rng rng(kit::derive(seed, 21));
  for (double& resampled : means) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += differences[rng.below(n)];
    resampled = sum / static_cast<double>(n);
  }
  std::sort(means.begin(), means.end());
  return {{"difference", mean},
          {"error", error},
          {"low", means[kPairedResamples / 40]},
          {"high", means[kPairedResamples - 1 - kPairedResamples / 40]},
          {"instances", n}};
}

Json gather_results(const CompareFolder& folder, const Json& plan) {
  Json cells = Json::array(), solves = Json::array();
  Json datasets = plan.at("datasets"), problem_sets = plan.at("problem_sets");
  std::map<std::string, std::vector<double>> losses;
  std::map<std::string, std::map<std::string, double>> best;  // by set, then problem
  for (const Json& planned : plan.at("cells")) {
    const bool training = planned.at("kind") == "train";
    Json cell = {{"id", planned.at("id")},
                 {training ? "dataset" : "problems", planned.at("row")},
                 {training ? "method" : "solver", planned.at("column")}};
    auto result = read_json(folder.of_cell(planned.at("kind"), planned.at("id")) / "result.json");
    if (result && result->value("key", "") == planned.at("key")) {
      if (training) losses[planned.at("id")] = losses_of(*result);  // a solver's cell may have the same id
      result->erase("losses");
      cell.update(*result);
    } else {
      cell.update(Json{{"status", "pending"}, {"reason", nullptr}, {"key", planned.at("key")}});
    }
    if (!training && cell.at("status") == "done")
      for (const Json& r : cell.at("results")) {
        if (r.at("value").is_null()) continue;
        const auto [known, is_new] = best[planned.at("row")].emplace(r.at("problem"), r.at("value"));
        if (!is_new) known->second = std::max(known->second, r.at("value").get<double>());
      }
    (training ? cells : solves).push_back(std::move(cell));
  }
  compare_with_baselines(cells, plan.at("baselines"), losses);
  for (Json& solve : solves) {
    if (solve.at("status") != "done") continue;
    solve["summary"] = solve_summary(solve.at("results"), best[solve.at("problems")]);
    for (Json& set : problem_sets)
      if (set.at("name") == solve.at("problems")) {
        set["problems"] = solve.at("results").size();
        set["labels"] = labels_text(solve.at("results"));
      }
  }
  const Metric& metric = find_metric(plan.at("metric"));
  return {{"format", "concord-comparison"},
          {"version", 1},
          {"title", plan.at("title")},
          {"metric", metric.name},
          {"metric_is_loss", metric.is_loss},
          {"convention", kConvention},
          {"baselines", plan.at("baselines")},
          {"created", timestamp()},
          {"host", results_host_record()},
          {"config", plan.at("config")},
          {"datasets", datasets},
          {"methods", plan.at("methods")},
          {"reference", plan.at("reference")},
          {"cells", cells},
          {"problem_sets", problem_sets},
          {"solvers", plan.at("solvers")},
          {"solves", solves}};
}

}  // namespace concord
