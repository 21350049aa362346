// SPDX-License-Identifier: MIT
// concord demo: with no data at hand, what a learned prior is and what it is worth.
#include <algorithm>
#include <cmath>
#include <unistd.h>

#include "base/text.hpp"
#include "cli.hpp"
#include "data/generate.hpp"
#include "metrics/metrics.hpp"
#include "predict/predictor.hpp"
#include "progress.hpp"
#include "train/trainer.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

constexpr int64_t kInstances = 1000;
constexpr const char* kMetrics[] = {"example-f1-loss", "hamming-loss", "subset-loss", "micro-f1"};
constexpr int64_t kPairsOfEach = 5;

struct Contender {
  const char* name;
  const char* config;
};
constexpr Contender kContenders[] = {
    {"one-versus-rest", "[train]\nmethod = \"ovr\"\nlambda_w = [1e-3, 1e-2, 1e-1]\n[select]\nfolds = 3\n"},
    {"one-versus-rest, tuned threshold",
     "[train]\nmethod = \"ovr\"\nlambda_w = [1e-3, 1e-2, 1e-1]\n[select]\nfolds = 3\n"
     "[predict]\nthreshold = \"tuned\"\nmin_labels = 1\n"},
    {"with a learned prior",
     "[train]\ndecoder = \"exhaustive\"\nloss = \"hamming\"\nprior = \"any\"\nlambda_w = 0.1\nlambda_a = "
     "0.1\n"
     "epochs = 40\n[select]\nfolds = 3\n"},
};

struct Score {
  const char* name;
  std::vector<double> values;  ///< of kMetrics, on the test data
};

Model learn(Registry& registry, const Contender& contender, const Dataset& train, uint64_t seed,
            Context& context) {
  const Config config =
      parse_config(contender.config, contender.name, ".", {fmt::format("run.seed={}", seed)});
  return train_model(registry, config.cells, train, {}, context.control).model;
}

Score score(Registry& registry, const Contender& contender, const Model& model, const Dataset& test,
            Context& context) {
  ErrorList errors;
  const SolvePlan plan = plan_prediction(registry, model.settings, errors);
  errors.throw_if_any();
  ThreadPool pool(1);
  const Predictor predictor(plan, model.A, 1, context.control);
  const Decoded decoded = predictor.decode(problem_scores(model, test.X), 0, pool);
  const LabelCounts counts(predict_labels(predictor, model, decoded, 0, pool), test.Y);
  Score result{contender.name, {}};
  for (const char* metric : kMetrics) result.values.push_back(find_metric(metric).value(counts));
  return result;
}

const char* tendency(double a) {
  return a < 0 ? "attract" : a > 0 ? "repel" : "none";
}

/// The pairs that attract and those that repel each other most, with what was planted there.
std::vector<Strings> strongest_pairs(const Model& model, const PlantedModel& planted) {
  struct Pair {
    int64_t v, w;
    double A;
  };
  std::vector<Pair> pairs;
  for (int64_t v = 0; v < model.labels(); ++v)
    for (int64_t w = v + 1; w < model.labels(); ++w) pairs.push_back({v, w, model.A(v, w)});
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.A < b.A; });
  pairs.erase(pairs.begin() + kPairsOfEach, pairs.end() - kPairsOfEach);
  const Eigen::MatrixXd truth = planted.A();
  std::vector<Strings> rows = {{"the strongest pairs", "", "learned", "planted", "A learned", "A planted"}};
  for (const Pair& p : pairs)
    rows.push_back({model.label_names[static_cast<size_t>(p.v)], model.label_names[static_cast<size_t>(p.w)],
                    tendency(p.A), tendency(truth(p.v, p.w)), fmt::format("{:+.3f}", p.A),
                    fmt::format("{:+.3f}", truth(p.v, p.w))});
  return rows;
}

}  // namespace

Exit run_demo(const Strings& words, Context& context) {
  Arguments arguments(
      "demo [OPTIONS]",
      R"(Plants a model whose labels attract and repel each other, draws data from it, and compares
one-versus-rest with a model that learns the prior: test scores, and the pairs it found.)");
  arguments.add()("seed", po::value<std::string>()->default_value("1")->value_name("N"),
                  "seed of all randomness")("json", "one JSON object on standard output");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;
  PlantedSettings settings;
  settings.seed = parse_seed(arguments.get<std::string>("seed"));
  Registry registry = registry_for(arguments, context);
  const PlantedModel planted = plant_model(settings);
  const Dataset train = draw_instances(planted, kInstances, 0), test = draw_instances(planted, kInstances, 1);

  std::vector<Score> scores;
  Model model;
  for (const Contender& contender : kContenders) {
    if (::isatty(STDERR_FILENO) != 0)
      say(fmt::format("training {} of {}: {} ...\n", scores.size() + 1, std::size(kContenders),
                      contender.name));
    model = learn(registry, contender, train, settings.seed, context);
    scores.push_back(score(registry, contender, model, test, context));
  }
  const std::vector<Strings> pairs = strongest_pairs(model, planted);
  const auto right =
      std::count_if(pairs.begin() + 1, pairs.end(), [](const Strings& row) { return row[2] == row[3]; });
  if (arguments.has("json")) {
    Json json = {{"seed", settings.seed},
                 {"instances", kInstances},
                 {"features", settings.features},
                 {"labels", settings.labels}};
    for (const Score& s : scores) {
      Json entry = {{"model", s.name}};
      for (size_t m = 0; m < s.values.size(); ++m) entry[kMetrics[m]] = s.values[m];
      json["scores"].push_back(std::move(entry));
    }
    for (size_t p = 1; p < pairs.size(); ++p)
      json["pairs"].push_back(
          {{"labels", {pairs[p][0], pairs[p][1]}}, {"learned", pairs[p][2]}, {"planted", pairs[p][3]}});
    json["signs_right"] = right;
    json["prior"] = model.record.at("prior");
    context.out.write(to_line(json));
    return Exit::done;
  }
  std::vector<Strings> rows = {{"on the test data", kMetrics[0], kMetrics[1], kMetrics[2], kMetrics[3]}};
  for (const Score& s : scores) {
    Strings row = {s.name};
    for (const double value : s.values) row.push_back(fmt::format("{:.3f}", value));
    rows.push_back(std::move(row));
  }
  context.out.write(fmt::format(
      "A planted model: {} labels that attract and repel each other, {} features, {} instances to train on,\n"
      "{} to test.\n\n{}\ndid the prior help? {}\n\n{}\nthe signs of {} of the {} strongest pairs are those "
      "planted\n",
      settings.labels, settings.features, kInstances, kInstances, table(rows, 1),
      verdict_text(model.record.at("prior")), table(pairs, 4), right, pairs.size() - 1));
  return Exit::done;
}

}  // namespace concord
