// SPDX-License-Identifier: MIT
// Loss plugins as metrics: against the metrics that they are in other words, against plain sums, and by name.
#include "metrics/label_metric.hpp"

#include <catch2/catch.hpp>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/readers.hpp"
#include "predict/evaluation.hpp"
#include "predict/rules.hpp"
#include "support.hpp"

namespace concord::label_metric_test {

using namespace concord::test;

namespace {

struct Sample {
  LabelMatrix predicted, truth;
  Eigen::MatrixXd scores;
};

Sample random_sample(kit::Rng& rng, int64_t V, int64_t N) {
  Sample sample{LabelMatrix(V, N), LabelMatrix(V, N), Eigen::MatrixXd(V, N)};
  const double density = 0.6 * rng.uniform();
  for (auto& y : sample.predicted.reshaped()) y = rng.uniform() < density ? 1 : -1;
  for (auto& y : sample.truth.reshaped()) y = rng.uniform() < density ? 1 : -1;
  for (auto& score : sample.scores.reshaped()) score = std::round(3 * rng.normal());  // with ties
  return sample;
}

LabelMetric metric_of(const std::string& name, const std::vector<Setting>& options = {}) {
  return {builtin(), PluginSpec{name, options, "here"}};
}

}  // namespace

TEST_CASE("a loss plugin is the metric that it is in other words") {
  kit::Rng rng(71);
  const std::vector<std::pair<const char*, LabelMetric>> pairs = {
      {"example-f1-loss", metric_of("loss/f-beta")}, {"hamming-loss", metric_of("loss/hamming")}};
  for (int repeat = 0; repeat < 40; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(7)), N = static_cast<int64_t>(1 + rng.below(12));
    const Sample sample = random_sample(rng, V, N);
    const Prediction prediction{sample.predicted, {}, LabelMatrix::Zero(V, N), {}};
    for (const auto& [name, loss] : pairs) {
      INFO(name << " V=" << V << " N=" << N);
      const LabelMetric known = find_metric(name);
      CHECK(loss.value(sample.predicted, sample.truth) ==
            Approx(known.value(sample.predicted, sample.truth)).margin(1e-13));
      CHECK(loss.example_losses(sample.predicted, sample.truth)
                .isApprox(known.example_losses(sample.predicted, sample.truth), 1e-13));
      const Evaluation found = evaluate(prediction, sample.truth, 50, 3, {loss, known});
      const MeasuredMetric &one = found.metric(name), &other = found.metric(loss.name());
      CHECK(other.value == Approx(one.value).margin(1e-13));
      CHECK(other.interval->low == Approx(one.interval->low).margin(1e-13));
      CHECK(other.interval->high == Approx(one.interval->high).margin(1e-13));
      CHECK(found.metrics.size() == metrics().size() + 1);
      for (int64_t least = 0; least <= 2; ++least) {
        CHECK(tune_threshold(sample.scores, sample.truth, loss, least) ==
              tune_threshold(sample.scores, sample.truth, known, least));
        CHECK(tune_label_thresholds(sample.scores, sample.truth, loss, least) ==
              tune_label_thresholds(sample.scores, sample.truth, known, least));
      }
    }
  }
}

TEST_CASE("a loss with options is the mean of what the plugin says of each instance") {
  kit::Rng rng(72);
  const LabelMetric metric = metric_of("loss/weighted-hamming", {{"positive_weight", "3", "there"}});
  CHECK(metric.name() == "loss/weighted-hamming positive_weight=3");
  CHECK(metric.is_loss());
  CHECK(metric.is_example_mean());
  CHECK(metric.is_better(0.1, 0.2));
  for (int repeat = 0; repeat < 20; ++repeat) {
    const int64_t V = 5, N = 8;
    const Sample sample = random_sample(rng, V, N);
    double sum = 0;
    for (int64_t i = 0; i < N; ++i)
      for (int64_t v = 0; v < V; ++v)
        if (sample.predicted(v, i) != sample.truth(v, i)) sum += (sample.truth(v, i) > 0 ? 3.0 : 1.0) / V;
    CHECK(metric.value(sample.predicted, sample.truth) == Approx(sum / N).margin(1e-13));

    // What changes label by label is what is measured at once.
    RunningLoss running(metric, sample.truth);
    LabelMatrix now = LabelMatrix::Constant(V, N, -1);
    for (int step = 0; step < 30; ++step) {
      const auto v = static_cast<int64_t>(rng.below(V)), i = static_cast<int64_t>(rng.below(N));
      now(v, i) = static_cast<int8_t>(-now(v, i));
      running.set(v, i, now(v, i) > 0);
      if (step % 3 == 0) CHECK(running.loss() == Approx(metric.value(now, sample.truth)).margin(1e-13));
    }
  }
  // A miss that costs more asks for more labels.
  const Sample sample = random_sample(rng, 4, 60);
  CHECK(tune_threshold(sample.scores, sample.truth,
                       metric_of("loss/weighted-hamming", {{"positive_weight", "1e6", ""}}), 0) <
        tune_threshold(sample.scores, sample.truth,
                       metric_of("loss/weighted-hamming", {{"positive_weight", "1e-6", ""}}), 0));
  CHECK_THROWS_WITH(metric.value(LabelMatrix::Constant(2, 3, -1), LabelMatrix::Constant(2, 4, -1)),
                    Catch::Contains("2 labels x 3 instances"));
}

TEST_CASE("a metric is what its name says, and a wrong name is refused with its place") {
  CHECK(MetricReference({"micro-f1", {}, ""}).built_in == &find_metric("micro-f1"));
  CHECK_FALSE(MetricReference({"micro-f1", {}, ""}).is_loss());
  CHECK(MetricReference({"loss/f-beta", {}, ""}).is_loss());
  CHECK(MetricReference({"loss/f-beta beta=2", {}, ""}).is_loss());  // as results write it
  CHECK(MetricReference({"./here/loss-mine.so", {}, ""}).name == "loss/mine");
  CHECK(metric_of("hamming-loss").plugin() == nullptr);
  CHECK(metric_of("loss/hamming").plugin()->plugin->id() == "loss/hamming");

  const auto refused = [](const PluginSpec& spec, const std::string& sentence) {
    try {
      const LabelMetric metric(builtin(), spec);
      FAIL(spec.name << " is no metric");
    } catch (const Error& e) {
      INFO(e.what());
      CHECK(e.kind() == Fault::input);
      CHECK_THAT(e.what(), Catch::Contains("here") && Catch::Contains(sentence));
    }
  };
  refused({"loss/f-bta", {}, "here"}, "did you mean f-beta?");
  refused({"exampel-f1-loss", {}, "here"}, "did you mean example-f1-loss?");
  refused({"f-beta", {}, "here"}, "any loss as loss/NAME");
  refused({"lrap", {}, "here"}, "lrap is a metric of rankings");
  refused({"decoder/exact", {}, "here"}, "decoder/exact is a decoder, and a loss is needed here");
  refused({"hamming-loss", {{"beta", "2", "here.beta"}}, "there"},
          "the metric hamming-loss has no options, and 'beta' is given");
  refused({"loss/f-beta", {{"bta", "2", "here.bta"}}, "there"}, "did you mean beta?");
  // Before any labels are predicted.
  CHECK_THROWS_WITH(metric_of("loss/weighted-hamming", {{"label_weights", "1,2", ""}})
                        .require(LabelMatrix::Constant(3, 2, 1)),
                    Catch::Contains("label_weights has 2 weights, but there are 3 labels"));
}

TEST_CASE("a config names a loss as its metric, with options that are no grid") {
  const auto config =
      parse_config("[select]\nmetric = { name = \"loss/weighted-hamming\", label_weights = [1, 2, 3] }\n",
                   "a.toml", ".", {});
  REQUIRE(config.cells.size() == 1);
  const PluginSpec& metric = config.cells[0].settings.select.metric;
  CHECK(metric.name == "loss/weighted-hamming");
  REQUIRE(metric.settings.size() == 1);
  CHECK(metric.settings[0].value == "[1, 2, 3]");
  const Settings again = settings_from_json(settings_json(config.cells[0].settings));
  CHECK(plugin_json(again.select.metric) == plugin_json(metric));
  const auto set =
      parse_config("[select]\nmetric = \"loss/f-beta\"\n", "a.toml", ".", {"select.metric.beta=2"});
  CHECK(plugin_json(set.cells[0].settings.select.metric) ==
        nlohmann::ordered_json{{"name", "loss/f-beta"}, {"beta", 2}});
  CHECK_THROWS_WITH(parse_config("[select]\nmetric = [\"micro-f1\", \"loss/f-beta\"]\n", "a.toml", ".", {}),
                    Catch::Contains("a list is a grid, and [select] can have none"));
  CHECK_THROWS_WITH(parse_config("[select]\nmetric = 3\n", "a.toml", ".", {}),
                    Catch::Contains("expected the name of a metric, or a loss"));
}

}  // namespace concord::label_metric_test
