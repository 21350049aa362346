// SPDX-License-Identifier: MIT
// Metrics of rankings and of probabilities, against their definitions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "metrics/metrics.hpp"
#include "predict/evaluation.hpp"

namespace concord::ranking_test {
namespace {

struct Drawn {
  Eigen::MatrixXd ranking;
  LabelMatrix truth;

  /// With many ties, and instances without or with all labels.
  Drawn(kit::Rng& rng, int64_t V, int64_t N) : ranking(V, N), truth(V, N) {
    const auto levels = 1 + rng.below(8);
    for (double& rank : ranking.reshaped()) rank = static_cast<double>(rng.below(levels)) - 2;
    for (int64_t i = 0; i < N; ++i) {
      const double density = rng.uniform() * 1.6 - 0.3;  // also below 0 and above 1
      for (int64_t v = 0; v < V; ++v) truth(v, i) = rng.uniform() < density ? 1 : -1;
    }
  }
};

using Order = std::vector<int64_t>;

/// One instance by the words of the definitions; labels at k by visiting every order that the ranking allows.
class Definition {
 public:
  Definition(const Eigen::VectorXd& ranking, const LabelVector& truth) : s_(ranking), y_(truth) {
    for (int64_t v = 0; v < y_.size(); ++v) (y_(v) > 0 ? true_ : false_).push_back(v);
    Order order(static_cast<size_t>(y_.size()));
    std::iota(order.begin(), order.end(), 0);
    do {
      if (std::is_sorted(order.begin(), order.end(), [&](int64_t a, int64_t b) { return s_(a) > s_(b); }))
        orders_.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  double value(const std::string& name) const {
    if (name == "ranking-loss") {
      double wrong = 0;
      for (const int64_t t : true_)
        for (const int64_t f : false_) wrong += s_(t) <= s_(f) ? 1 : 0;
      return true_.empty() || false_.empty() ? 0 : wrong / static_cast<double>(true_.size() * false_.size());
    }
    if (name == "coverage") {
      double deepest = 0;
      for (const int64_t t : true_) deepest = std::max(deepest, as_high(t, false));
      return deepest;
    }
    if (name == "lrap") {
      double sum = 0;
      for (const int64_t t : true_) sum += as_high(t, true) / as_high(t, false);
      return true_.empty() ? 1 : sum / static_cast<double>(true_.size());
    }
    const size_t k = static_cast<size_t>(name.back() - '0');
    double sum = 0;
    for (const Order& order : orders_) sum += at(name, order, k);
    return sum / static_cast<double>(orders_.size());
  }

 private:
  /// How many labels, or true labels, rank at least as high.
  double as_high(int64_t label, bool only_true) const {
    double count = 0;
    for (int64_t v = 0; v < y_.size(); ++v) count += s_(v) >= s_(label) && (y_(v) > 0 || !only_true) ? 1 : 0;
    return count;
  }

  double at(const std::string& name, const Order& order, size_t k) const {
    double hits = 0, gain = 0, most = 0;
    for (size_t j = 0; j < std::min(k, order.size()); ++j) {
      const double discount = std::log(2) / std::log(static_cast<double>(j) + 2);
      if (y_(order[j]) > 0) hits += 1, gain += discount;
      if (j < true_.size()) most += discount;
    }
    if (name.starts_with("precision")) return hits / static_cast<double>(k);
    if (true_.empty()) return 1;
    return name.starts_with("recall") ? hits / static_cast<double>(true_.size()) : gain / most;
  }

  Eigen::VectorXd s_;
  LabelVector y_;
  std::vector<int64_t> true_, false_;
  std::vector<Order> orders_;
};

Eigen::ArrayXXd random_probabilities(kit::Rng& rng, int64_t V, int64_t N) {
  Eigen::ArrayXXd p(V, N);
  for (double& one : p.reshaped()) {
    const double edge = static_cast<double>(rng.below(16)) / 15;  // on the border of a bin
    one = rng.below(4) == 0 ? edge : rng.uniform();
  }
  return p;
}

}  // namespace

TEST_CASE("metrics of rankings agree with their definitions, with ties and without labels") {
  kit::Rng rng(21);
  int empty = 0, full = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(6));
    const Drawn drawn(rng, V, 3);
    const auto which = rank_metrics(V);
    CHECK(which.size() == 3 + 3 * (V < 3 ? 1u : V < 5 ? 2u : 3u));
    const Eigen::MatrixXd values = rank_values(drawn.ranking, drawn.truth, {});
    for (int64_t i = 0; i < 3; ++i) {
      const auto present = (drawn.truth.col(i) > 0).count();
      empty += present == 0 ? 1 : 0;
      full += present == V ? 1 : 0;
      const Definition definition(drawn.ranking.col(i), drawn.truth.col(i));
      for (size_t m = 0; m < which.size(); ++m) {
        INFO(which[m].name << " V=" << V << " ranking " << drawn.ranking.col(i).transpose());
        REQUIRE(values(static_cast<int64_t>(m), i) == Approx(definition.value(which[m].name)).margin(1e-12));
      }
    }
  }
  CHECK(empty > 30);
  CHECK(full > 30);
}

TEST_CASE("known labels are as if they were not there") {
  kit::Rng rng(22);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const int64_t V = 9;
    const Drawn drawn(rng, V, 1);
    LabelMatrix known = LabelMatrix::Zero(V, 1);
    std::vector<int64_t> unknown;
    for (int64_t v = 0; v < V; ++v)
      if (unknown.size() < 5 || rng.below(2) == 0)  // enough that every k is there
        unknown.push_back(v);
      else
        known(v, 0) = drawn.truth(v, 0);
    Eigen::MatrixXd ranking = drawn.ranking;
    for (int64_t v = 0; v < V; ++v)
      if (known(v, 0) != 0) ranking(v, 0) = std::nan("");  // is not looked at
    const Eigen::MatrixXd left = drawn.ranking(unknown, Eigen::all);
    const LabelMatrix truth = drawn.truth(unknown, Eigen::all);
    CHECK(rank_values(ranking, drawn.truth, known) == rank_values(left, truth, {}));
  }
  const LabelMatrix truth = LabelMatrix::Constant(2, 1, 1);
  const Eigen::MatrixXd none = rank_values(Eigen::MatrixXd::Zero(2, 1), truth, truth);
  CHECK(none.col(0) == Eigen::Vector<double, 6>(0, 0, 1, 1, 1, 1));  // nothing is unknown, nothing wrong
  CHECK_THROWS_WITH(rank_values(Eigen::MatrixXd::Constant(2, 1, std::nan("")), truth, {}),
                    Catch::Contains("label 0 of instance 0"));
  CHECK_THROWS_WITH(rank_values(Eigen::MatrixXd::Zero(3, 1), truth, {}), Catch::Contains("3 labels x 1"));
}

TEST_CASE("a metric of rankings is none of labels") {
  CHECK(find_rank_metric("ndcg-at-5") != nullptr);
  CHECK(find_rank_metric("hamming-loss") == nullptr);
  CHECK_THROWS_WITH(find_metric("lrap"),
                    Catch::Contains("lrap is a metric of rankings") && Catch::Contains("micro-f1"));
}

TEST_CASE("Brier score and calibration error agree with their definitions") {
  kit::Rng rng(23);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(5)), N = static_cast<int64_t>(1 + rng.below(9));
    const Drawn drawn(rng, V, N);
    const Eigen::ArrayXXd p = random_probabilities(rng, V, N);
    LabelMatrix known = LabelMatrix::Zero(V, N);
    for (int64_t at = 1; at < V * N; ++at)  // the first stays unknown
      if (rng.below(3) == 0) known.reshaped()(at) = 1;
    std::map<int, std::vector<std::pair<double, double>>> bins;
    double square = 0, count = 0;
    for (int64_t i = 0; i < N; ++i)
      for (int64_t v = 0; v < V; ++v) {
        if (known(v, i) != 0) continue;
        const double y = drawn.truth(v, i) > 0 ? 1 : 0;
        int bin = 0;
        while (bin < 14 && p(v, i) * 15 >= bin + 1) ++bin;
        bins[bin].emplace_back(p(v, i), y);
        square += (p(v, i) - y) * (p(v, i) - y);
        count += 1;
      }
    double error = 0;
    for (const auto& [bin, labels] : bins) {
      double difference = 0;
      for (const auto& [probability, y] : labels) difference += probability - y;
      error += std::abs(difference) / count;
    }
    const Calibration found = calibration_of(p, drawn.truth, known);
    REQUIRE(found.brier_score() == Approx(square / count).margin(1e-13));
    REQUIRE(found.error() == Approx(error).margin(1e-13));
    REQUIRE(found.bins.size() == 15);
    for (int b = 0; b < 15; ++b)
      REQUIRE(found.bins[static_cast<size_t>(b)].count == static_cast<int64_t>(bins[b].size()));
  }
}

TEST_CASE("probabilities that labels are drawn from are calibrated, and those of others are not") {
  kit::Rng rng(24);
  const int64_t V = 20, N = 2000;
  Eigen::ArrayXXd p(V, N);
  LabelMatrix truth(V, N);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v) {
      p(v, i) = rng.uniform();
      truth(v, i) = rng.uniform() < p(v, i) ? 1 : -1;
    }
  CHECK(calibration_of(p, truth, {}).error() < 0.02);  // 15 bins of about 2700: a standard error of .01 each
  CHECK(calibration_of(p, truth, {}).brier_score() == Approx(1.0 / 6).margin(0.005));
  CHECK(calibration_of(p.square(), truth, {}).error() == Approx(1.0 / 6).margin(0.01));
  const Eigen::ArrayXXd sure = (truth > 0).cast<double>();
  CHECK(calibration_of(sure, truth, {}).error() == 0);
  CHECK(calibration_of(sure, truth, {}).brier_score() == 0);
  CHECK_THROWS_WITH(calibration_of(2 * p + 1, truth, {}), Catch::Contains("has the probability"));
  CHECK_THROWS_WITH(calibration_of(p, truth, truth), Catch::Contains("every label is known"));
}

TEST_CASE("intervals of means are those of the same metric of labels") {
  kit::Rng rng(25);
  const Drawn drawn(rng, 5, 60), other(rng, 5, 60);
  const Metric& hamming = find_metric("hamming-loss");
  const Interval one = bootstrap({hamming}, drawn.truth, other.truth, 200, 9).front();
  const Eigen::VectorXd losses = example_losses(hamming, drawn.truth, other.truth);
  const Interval mean = bootstrap_means(losses.transpose(), Eigen::VectorXd::Ones(60), 200, 9).front();
  CHECK(mean.low == Approx(one.low).epsilon(1e-12));
  CHECK(mean.high == Approx(one.high).epsilon(1e-12));
  // An instance without weight counts nothing, whatever its value.
  Eigen::MatrixXd values(1, 3);
  values << 5, 1e9, 5;
  const Interval constant = bootstrap_means(values, Eigen::Vector3d(1, 0, 2), 100, 1).front();
  CHECK(constant.low == Approx(5));
  CHECK(constant.high == Approx(5));
}

TEST_CASE("an evaluation has the metrics of what was predicted") {
  kit::Rng rng(26);
  const Drawn drawn(rng, 4, 50);
  Prediction prediction{drawn.truth, drawn.ranking, {}, {}};
  const auto has = [&](const char* name) {
    const Evaluation found = evaluate(prediction, drawn.truth, 50, 1);
    return std::any_of(found.metrics.begin(), found.metrics.end(),
                       [&](const MeasuredMetric& one) { return one.name == name; });
  };
  CHECK(has("lrap"));
  CHECK(has("ndcg-at-3"));
  CHECK_FALSE(has("ndcg-at-5"));  // there are four labels
  CHECK_FALSE(has("brier-score"));
  prediction.probabilities = random_probabilities(rng, 4, 50);
  const Evaluation all = evaluate(prediction, drawn.truth, 50, 1);
  for (const MeasuredMetric& metric : all.metrics) {
    INFO(metric.name);
    CHECK(metric.interval.has_value() == (metric.name != "calibration-error"));
    if (metric.interval) CHECK(metric.interval->low <= metric.value);
    if (metric.interval) CHECK(metric.value <= metric.interval->high);
  }
  CHECK(all.reliability.size() == 15);
  CHECK(metrics_json(all)["reliability"].size() == 15);
  prediction.labels.resize(0, 0);
  CHECK_FALSE(has("hamming-loss"));
  CHECK_FALSE(metrics_json(evaluate(prediction, drawn.truth, 0, 1)).contains("labels-true"));
  CHECK_THROWS_WITH(all.metric("ndcg-at-5"), Catch::Contains("ndcg-at-5"));
}

}  // namespace concord::ranking_test
