// SPDX-License-Identifier: MIT
#include "tests/report/sample_results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <concord/kit/rng.hpp>

namespace concord::test {
namespace {

using Json = nlohmann::ordered_json;

struct SampleDataset {
  const char* name;
  size_t instances, test_instances, features, labels;
  double loss;     ///< of one-versus-rest
  double seconds;  ///< of a fast method
};
constexpr SampleDataset datasets[] = {{"yeast", 1500, 917, 103, 14, .386, .4},
                                      {"enron", 1123, 579, 1001, 53, .448, 2.1},
                                      {"medical", 333, 645, 1449, 45, .250, .9},
                                      {"bibtex", 4880, 2515, 1836, 159, .606, 9.5}};

struct SampleMethod {
  const char *name, *method, *prior;
  double gain;  ///< in loss, against one-versus-rest
  double cost;  ///< in time, against one-versus-rest
  double paper[4];
};
constexpr SampleMethod methods[] = {
    {"ovr", "ovr", "none", 0, 1, {.39, .48, .29, .61}},
    {"modular", "modular", "none", .034, 1.6, {0, 0, 0, 0}},
    {"min-cut", "min-cut", "attractive", .012, 11, {.40, .47, .29, .61}},
    {"sdp attractive", "sdp", "attractive", .010, 24, {.40, .47, .31, -1}},
    {"sdp repulsive", "sdp", "repulsive", .018, 25, {.39, .47, .29, -1}},
    {"sdp any", "sdp", "any", .020, 31, {.39, .45, .24, -1}},
    {"spectral attractive", "spectral", "attractive", .006, 4, {.39, .48, .30, .62}},
    {"spectral repulsive", "spectral", "repulsive", .040, 4.4, {.37, .49, .21, .57}},
    {"spectral any", "spectral", "any", .044, 5.2, {.37, .49, .24, .60}}};

const char* const words[] = {"algorithms",    "architecture",
                             "book",          "classification",
                             "clustering",    "cognition",
                             "collaboration", "complexity",
                             "data mining",   "design",
                             "diffusion",     "dynamics",
                             "education",     "electrochemistry",
                             "evaluation",    "evolution",
                             "folksonomy",    "games",
                             "graph",         "hci",
                             "immunoassay",   "knowledge management",
                             "language",      "learning",
                             "logic",         "mapping",
                             "mathematics",   "methodology",
                             "modelling",     "networks",
                             "nlp",           "ontology",
                             "patterns",      "physics",
                             "programming",   "psycholinguistics",
                             "quantum",       "representation",
                             "review",        "search",
                             "semantic web",  "simulation",
                             "social",        "software",
                             "statistics",    "survey",
                             "tagging",       "theory",
                             "transition",    "visualization"};
const char* const hostile[] = {"<script>alert(1)</script>", "\"quoted\" & 'single'",
                               "]]>--><img src=x onerror=alert(2)>"};

std::string label_name(size_t v, bool flawed) {
  if (flawed && v < std::size(hostile)) return hostile[v];
  const size_t word = v % std::size(words);
  return v < std::size(words) ? words[word] : fmt::format("{} {}", words[word], v / std::size(words) + 1);
}

/// A prior with clusters that attract and rivals that repel, as the runner trims it.
Json prior_json(kit::Rng& rng, size_t V, const std::string& sign, bool flawed) {
  std::vector<std::vector<double>> A(V, std::vector<double>(V, 0));
  for (size_t i = 0; i < V; ++i) {
    A[i][i] = .02 * rng.uniform();
    for (size_t j = 0; j < i; ++j) {
      const bool cluster = i % 6 == j % 6, rivals = (i + j) % 11 == 0;
      double a = (rng.uniform() < .3 ? .008 * rng.normal() : 0) - (cluster ? .05 * rng.uniform() : 0) +
                 (rivals ? .07 * rng.uniform() : 0);
      if (sign == "attractive") a = std::min(a, 0.);
      if (sign == "repulsive") a = std::max(a, 0.);
      A[i][j] = A[j][i] = a;
    }
  }
  std::vector<size_t> order(V);
  std::vector<double> weight(V, 0);
  for (size_t i = 0; i < V; ++i) {
    order[i] = i;
    for (size_t j = 0; j < V; ++j) weight[i] += i == j ? 0 : std::abs(A[i][j]);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return weight[a] > weight[b]; });
  order.resize(std::min<size_t>(V, 60));
  Json names = Json::array(), matrix = Json::array(), strongest = Json::array();
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const size_t i : order) {
    names.push_back(label_name(i, flawed));
    Json row = Json::array();
    for (const size_t j : order) {
      row.push_back(A[i][j]);
      if (i == j) break;
      pairs.emplace_back(i, j);
    }
    matrix.push_back(row);
  }
  std::sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    return std::abs(A[a.first][a.second]) > std::abs(A[b.first][b.second]);
  });
  std::erase_if(pairs, [&](const auto& pair) { return A[pair.first][pair.second] == 0; });
  for (size_t p = 0; p < std::min<size_t>(30, pairs.size()); ++p)
    strongest.push_back({{"a", label_name(pairs[p].first, flawed)},
                         {"b", label_name(pairs[p].second, flawed)},
                         {"value", A[pairs[p].first][pairs[p].second]}});
  return {{"names", names}, {"matrix", matrix}, {"labels", V}, {"strongest", strongest}};
}

Json host_json() {
  return {{"version", "0.1.0"},
          {"build_tag", "gcc 12.2, C++20, Eigen 3.4.0"},
          {"processor", "Example processor at 2.5 GHz"},
          {"system", "Linux 6.1.0 x86_64"}};
}

Json interval(double centre, double half) {
  return Json::array({centre - half, centre + half});
}

/// With a prior the loss falls as labels become known; without one it stays.
Json reveal_json(double loss, double error, bool prior) {
  Json points = Json::array();
  for (int tenth = 0; tenth < 10; ++tenth) {
    const double share = tenth / 10.0, value = loss * (prior ? 1 - .7 * share : 1 + .05 * share * share);
    points.push_back(
        {{"share", share}, {"value", value}, {"interval", interval(value, 1.96 * error * (1 + share))}});
  }
  return points;
}

/// A little overconfident; the likeliest labels are few, and none has a probability near one half.
Json reliability_json() {
  Json bins = Json::array();
  for (int b = 0; b < 15; ++b) {
    const double p = (b + .5) / 15;
    const int count = b == 7 ? 0 : b == 14 ? 12 : 20000 / (1 + b * b * b);
    bins.push_back({{"count", count},
                    {"probability", count == 0 ? 0 : p},
                    {"share", count == 0 ? 0 : p + .3 * p * (1 - p) * (.5 - p)}});
  }
  return bins;
}

Json cell_json(kit::Rng& rng, const SampleDataset& dataset, const std::string& name,
               const SampleMethod& method, const SampleShape& shape) {
  const bool ovr = std::string_view(method.method) == "ovr";
  const bool prior = shape.all_with_prior || std::string_view(method.prior) != "none";
  const double share = dataset.loss * 2;
  const double loss = dataset.loss - share * method.gain + (ovr ? 0 : .003 * rng.normal());
  const double error = .35 / std::sqrt(static_cast<double>(dataset.test_instances));
  const double difference = loss - dataset.loss, paired = error / 2.5;
  const double seconds = dataset.seconds * method.cost * (1 + .1 * rng.uniform());
  Json cell = {
      {"id", fmt::format("{}/{}", dataset.name, name)},
      {"dataset", dataset.name},
      {"method", name},
      {"status", "done"},
      {"reason", nullptr},
      {"key", fmt::format("{:016x}{:016x}{:016x}{:016x}", rng.next(), rng.next(), rng.next(), rng.next())},
      {"metrics", {{"example-f1-loss", loss}, {"hamming-loss", loss / 2}, {"micro-f1", 1 - loss * .95}}},
      {"intervals",
       {{"example-f1-loss", interval(loss, 1.96 * error)},
        {"hamming-loss", interval(loss / 2, error)},
        {"micro-f1", interval(1 - loss * .95, error)}}},
      {"labels_predicted", 3.9 + .4 * rng.uniform()},
      {"labels_true", 4.2},
      {"selected", {{"train.lambda_w", "0.1"}, {"train.lambda_a", prior ? "0.3" : "1"}}},
      {"validation", {{"metric", "example-f1-loss"}, {"value", loss + .004}, {"error", error}}},
      {"prior_helped", nullptr},
      {"objective", .3 + .1 * rng.uniform()},
      {"gap", ovr ? Json() : Json(.004)},
      {"estimate", name == "min-cut"},
      {"seconds", {{"train", seconds}, {"test", seconds / 50}}},
      {"peak_mib", 60 + 4 * seconds},
      {"seed", 1},
      {"config",
       {{"run", {{"seed", 1}, {"threads", 1}}},
        {"data", {{"train", fmt::format("{}-train.arff", dataset.name)}}},
        {"preprocess", {{"scale", "l2"}, {"bias", 3.0}}},
        {"train",
         {{"method", ovr ? "ovr" : "bcfw"},
          {"decoder", {{"name", method.method}, {"tol", 1e-4}}},
          {"loss", "f-beta"},
          {"prior", method.prior},
          {"lambda_w", .1},
          {"epochs", 40},
          {"batch", 10}}},
        {"predict", {{"rounding", "threshold+local-search"}, {"threshold", "tuned"}, {"min_labels", 1}}}}},
      {"plugins",
       {{{"plugin", "decoder/" + std::string(method.method)},
         {"version", "0.1.0"},
         {"build", "gcc 12.2"},
         {"options", {{"tol", "1e-4"}}}},
        {{"plugin", "loss/f-beta"},
         {"version", "0.1.0"},
         {"build", "gcc 12.2"},
         {"options", {{"beta", "1"}}}}}},
      {"host", host_json()},
      {"started", "2026-11-16T17:42:10Z"}};
  cell["reveal"] = reveal_json(loss, error, prior);
  const auto measure = [&](const char* metric, double value) {
    cell["metrics"][metric] = value;
    cell["intervals"][metric] = interval(value, error / 2);
  };
  measure("ranking-loss", loss / 3);
  measure("coverage", 10 * loss);
  measure("ndcg-at-3", 1 - loss * .8);
  if (name == "modular" || name == "spectral any") {
    measure("brier-score", loss / 3);
    cell["metrics"]["calibration-error"] = .012;
    cell["intervals"]["calibration-error"] = {nullptr, nullptr};
    cell["reliability"] = reliability_json();
  }
  cell["convergence"] = Json::array();
  for (size_t epoch = 1; !ovr && epoch <= shape.epochs; ++epoch) {
    const double part = static_cast<double>(epoch) / static_cast<double>(shape.epochs);
    const double gap =
        .8 * std::pow(part * static_cast<double>(shape.epochs), -1.3) * (1 + .1 * rng.uniform());
    cell["convergence"].push_back({seconds * part, cell["objective"].get<double>() * (1 + gap),
                                   std::string_view(method.method) == "modular" ? Json() : Json(gap)});
  }
  cell["prior"] = prior ? prior_json(rng, dataset.labels, method.prior, shape.flawed) : Json();
  if (prior) {
    cell["examples"] = sample_examples(shape.flawed);
    const double help = method.gain > .03 && dataset.loss > .3 ? -.006 : .0008 * rng.normal();
    cell["prior_helped"] = {{"measured", true},
                            {"metric", "example-f1-loss"},
                            {"with", loss + .004},
                            {"without", loss + .004 - help},
                            {"paired_on", "example-f1-loss"},
                            {"better", help < -.005  ? "with"
                                       : help > .005 ? "without"
                                                     : "neither"},
                            {"difference", help},
                            {"error", .0025}};
  }
  cell["versus"] = Json::object();
  if (!ovr)
    cell["versus"]["ovr"] = {{"difference", difference},
                             {"error", paired},
                             {"low", difference - 1.96 * paired},
                             {"high", difference + 1.96 * paired},
                             {"instances", dataset.test_instances}};
  return cell;
}

Json unfinished(Json cell, const char* status, const Json& reason) {
  return {{"id", cell["id"]}, {"dataset", cell["dataset"]}, {"method", cell["method"]},
          {"status", status}, {"reason", reason},           {"key", cell["key"]}};
}

void add_solvers(Json& results, kit::Rng& rng, const SampleShape& shape) {
  struct {
    const char *name, *decoder;
    double excess, shortfall, seconds;
  } const solvers[] = {{"exact", "exact", 0, 0, .02},
                       {"sdp", "sdp-mixing", .02, 0, 1e-3},
                       {"spectral", "spectral", .3, .004, 2e-5},
                       {"tabu", "tabu", -1, 0, 4e-4},
                       {"min-cut", "min-cut", 0, 0, 1e-4}};
  for (const auto& solver : solvers)
    results["solvers"].push_back(
        {{"name", solver.name}, {"decoder", solver.decoder}, {"rounding", "threshold+local-search"}});
  for (size_t d = 0; d < std::min<size_t>(2, shape.datasets); ++d) {
    results["problem_sets"].push_back(
        {{"name", datasets[d].name}, {"problems", shape.problems}, {"labels", datasets[d].labels}});
    for (const auto& solver : solvers) {
      Json solve = {{"id", fmt::format("{}/{}", datasets[d].name, solver.name)},
                    {"problems", datasets[d].name},
                    {"solver", solver.name},
                    {"status", "done"},
                    {"reason", nullptr},
                    {"key", fmt::format("{:016x}", rng.next())},
                    {"peak_mib", 40}};
      if (std::string_view(solver.name) == "min-cut") {
        solve["status"] = "failed";
        solve["reason"] = "decoder/min-cut cannot solve this problem: A has a positive entry";
        results["solves"].push_back(solve);
        continue;
      }
      double excess = 0, shortfall = 0;
      for (size_t p = 0; p < shape.problems; ++p) {
        const double best = 20 + static_cast<double>(p % 7);
        const double lost = solver.shortfall > 0 && rng.uniform() < .4 ? solver.shortfall * rng.uniform() : 0;
        const double loose = solver.excess > 0 ? solver.excess * std::exp(rng.normal()) : solver.excess;
        excess += loose;
        shortfall += lost;
        solve["results"].push_back({{"problem", fmt::format("row-{}", p)},
                                    {"status", solver.excess == 0 ? "optimal" : "relaxed"},
                                    {"bound", solver.excess < 0 ? Json() : Json(best * (1 + loose))},
                                    {"value", best * (1 - lost)},
                                    {"gap", solver.excess < 0 ? Json() : Json(loose + lost)},
                                    {"seconds", solver.seconds * std::exp(.5 * rng.normal())},
                                    {"message", ""}});
      }
      const auto count = static_cast<double>(shape.problems);
      solve["summary"] = {{"bound_excess", solver.excess < 0 ? Json() : Json(excess / count)},
                          {"value_shortfall", shortfall / count},
                          {"gap", solver.excess < 0 ? Json() : Json((excess + shortfall) / count)},
                          {"seconds", solver.seconds},
                          {"optimal", solver.excess == 0 ? shape.problems : 0},
                          {"best", solver.shortfall > 0 ? shape.problems * 6 / 10 : shape.problems}};
      results["solves"].push_back(solve);
    }
  }
}

}  // namespace

Json sample_results(const SampleShape& shape) {
  kit::Rng rng(7);
  Json results = {
      {"format", "concord-comparison"},
      {"version", 1},
      {"title", "Relaxations of the label prior"},
      {"metric", "example-f1-loss"},
      {"metric_is_loss", true},
      {"convention", "F1 is 1 where truth and prediction are both empty, 0 where exactly one is."},
      {"baselines", {"ovr"}},
      {"created", "2026-11-16T18:00:00Z"},
      {"host", host_json()},
      {"config",
       {{"file", "paper.toml"},
        {"sha256", std::string(64, 'a')},
        {"text", "[compare]\nbaseline = \"ovr\" # <b>\n"}}},
      {"datasets", Json::array()},
      {"methods", Json::array()},
      {"reference", {{"name", "the paper, Table 2"}, {"values", Json::object()}}},
      {"cells", Json::array()},
      {"problem_sets", Json::array()},
      {"solvers", Json::array()},
      {"solves", Json::array()}};
  std::vector<std::string> dataset_names(shape.datasets), method_names(shape.methods);
  for (size_t d = 0; d < shape.datasets; ++d)
    dataset_names[d] = d < std::size(datasets) ? datasets[d].name : fmt::format("dataset {}", d + 1);
  for (size_t m = 0; m < shape.methods; ++m) {
    const SampleMethod& method = methods[m % std::size(methods)];
    method_names[m] =
        m < std::size(methods) ? method.name : fmt::format("{} {}", method.name, m / std::size(methods) + 1);
    results["methods"].push_back(
        {{"name", method_names[m]}, {"method", method.method}, {"axes", {{"train.prior", method.prior}}}});
    for (size_t d = 0; d < std::size(datasets) && m < std::size(methods); ++d)
      if (method.paper[d] != 0)
        results["reference"]["values"][method_names[m]][datasets[d].name] =
            method.paper[d] < 0 ? Json("N/A") : Json(method.paper[d]);
  }
  for (size_t d = 0; d < shape.datasets; ++d) {
    SampleDataset dataset = datasets[d % std::size(datasets)];
    dataset.name = dataset_names[d].c_str();
    if (shape.all_with_prior) dataset.labels = 159;
    results["datasets"].push_back({{"name", dataset.name},
                                   {"train", dataset_names[d] + "-train.arff"},
                                   {"test", dataset_names[d] + "-test.arff"},
                                   {"instances", dataset.instances},
                                   {"test_instances", dataset.test_instances},
                                   {"features", dataset.features},
                                   {"labels", dataset.labels}});
    for (size_t m = 0; m < shape.methods; ++m) {
      Json cell = cell_json(rng, dataset, method_names[m], methods[m % std::size(methods)], shape);
      if (shape.flawed && d == 3 && m == 5) cell = unfinished(cell, "failed", "took longer than 600 s");
      if (shape.flawed && d == 3 && m == 4) cell = unfinished(cell, "pending", nullptr);
      results["cells"].push_back(std::move(cell));
    }
  }
  if (shape.problems > 0) add_solvers(results, rng, shape);
  return results;
}

}  // namespace concord::test
