// SPDX-License-Identifier: MIT
// Metrics against sets and plain recomputation; the 0/0 cases by hand; the bootstrap.
#include "metrics/metrics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"

namespace concord::metrics_test {

namespace {

LabelMatrix random_labels(kit::Rng& rng, int64_t V, int64_t N, double density) {
  LabelMatrix Y(V, N);
  for (auto& y : Y.reshaped()) y = rng.uniform() < density ? 1 : -1;
  return Y;
}

double value(const std::string& name, const LabelMatrix& predicted, const LabelMatrix& truth) {
  return find_metric(name).value(LabelCounts(predicted, truth));
}

/// F1 from the definition: both empty 1, one empty 0.
double f1(double hits, double predicted, double truly) {
  if (predicted == 0 && truly == 0) return 1;
  if (predicted == 0 || truly == 0) return 0;
  const double precision = hits / predicted, recall = hits / truly;
  return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall);
}

struct Sets {
  std::set<int64_t> predicted, truly;
  double hits() const {
    double count = 0;
    for (const int64_t v : predicted) count += truly.count(v) > 0 ? 1 : 0;
    return count;
  }
  double p() const { return static_cast<double>(predicted.size()); }
  double t() const { return static_cast<double>(truly.size()); }
  bool both_empty() const { return predicted.empty() && truly.empty(); }
};

std::vector<Sets> by_instance(const LabelMatrix& predicted, const LabelMatrix& truth) {
  std::vector<Sets> sets(static_cast<size_t>(truth.cols()));
  for (int64_t i = 0; i < truth.cols(); ++i)
    for (int64_t v = 0; v < truth.rows(); ++v) {
      if (predicted(v, i) == 1) sets[static_cast<size_t>(i)].predicted.insert(v);
      if (truth(v, i) == 1) sets[static_cast<size_t>(i)].truly.insert(v);
    }
  return sets;
}

double mean(const std::vector<Sets>& sets, const std::function<double(const Sets&)>& one) {
  double sum = 0;
  for (const Sets& s : sets) sum += one(s);
  return sum / static_cast<double>(sets.size());
}

/// Every metric by its own words.
double naive(const std::string& name, const LabelMatrix& predicted, const LabelMatrix& truth) {
  const auto instances = by_instance(predicted, truth);
  const auto labels = by_instance(predicted.transpose(), truth.transpose());
  const auto set_f1 = [](const Sets& s) { return f1(s.hits(), s.p(), s.t()); };
  if (name == "example-f1") return mean(instances, set_f1);
  if (name == "example-f1-loss") {  // the formula of the paper
    const auto V = static_cast<double>(truth.rows());
    return mean(instances, [&](const Sets& s) {
      const double agree = V - 2 * (s.p() + s.t() - 2 * s.hits());
      const double denominator = 2 * V + (2 * s.p() - V) + (2 * s.t() - V);
      return denominator == 0 ? 0 : (V - agree) / denominator;
    });
  }
  if (name == "example-jaccard")
    return mean(instances,
                [](const Sets& s) { return s.both_empty() ? 1 : s.hits() / (s.p() + s.t() - s.hits()); });
  if (name == "example-precision")
    return mean(instances, [](const Sets& s) {
      return s.p() > 0 ? s.hits() / s.p() : s.both_empty() ? 1.0 : 0.0;
    });
  if (name == "example-recall")
    return mean(instances, [](const Sets& s) {
      return s.t() > 0 ? s.hits() / s.t() : s.both_empty() ? 1.0 : 0.0;
    });
  if (name == "hamming-loss")
    return static_cast<double>((predicted != truth).count()) / static_cast<double>(truth.size());
  if (name == "subset-loss")
    return mean(instances, [](const Sets& s) { return s.predicted == s.truly ? 0.0 : 1.0; });
  if (name == "macro-f1") return mean(labels, set_f1);
  if (name == "macro-f1-present") {
    std::vector<Sets> present;
    for (const Sets& s : labels)
      if (!s.both_empty()) present.push_back(s);
    return present.empty() ? 1 : mean(present, set_f1);
  }
  REQUIRE(name == "micro-f1");
  double hits = 0, p = 0, t = 0;
  for (const Sets& s : labels) {
    hits += s.hits();
    p += s.p();
    t += s.t();
  }
  return f1(hits, p, t);
}

}  // namespace

TEST_CASE("metrics agree with their definitions on random labels") {
  kit::Rng rng(11);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(8)), N = static_cast<int64_t>(1 + rng.below(12));
    const LabelMatrix truth = random_labels(rng, V, N, rng.uniform() * rng.uniform());
    const LabelMatrix predicted = random_labels(rng, V, N, rng.uniform() * rng.uniform());
    for (const Metric& metric : metrics()) {
      INFO(metric.name << " V=" << V << " N=" << N);
      REQUIRE(value(metric.name, predicted, truth) ==
              Approx(naive(metric.name, predicted, truth)).margin(1e-13));
      const double perfect = value(metric.name, truth, truth);
      REQUIRE(perfect == Approx(metric.is_loss ? 0 : 1).margin(1e-13));
      if (!is_example_mean(metric)) {
        REQUIRE_THROWS_WITH(example_losses(metric, predicted, truth), Catch::Contains(metric.name));
        continue;
      }
      const Eigen::VectorXd losses = example_losses(metric, predicted, truth);
      REQUIRE(losses.size() == N);
      REQUIRE(losses.mean() == Approx(metric.loss(LabelCounts(predicted, truth))).margin(1e-13));
      for (int64_t i = 0; i < N; ++i) {
        const double one = naive(metric.name, predicted.col(i), truth.col(i));
        REQUIRE(losses(i) == Approx(metric.is_loss ? one : 1 - one).margin(1e-13));
      }
    }
    REQUIRE(example_f1_losses(predicted, truth) ==
            example_losses(find_metric("example-f1-loss"), predicted, truth));
  }
}

TEST_CASE("nothing of nothing, by hand") {
  LabelMatrix none(2, 1), one(2, 1);
  none << -1, -1;
  one << 1, -1;
  for (const char* name : {"example-f1", "example-jaccard", "example-precision", "example-recall"}) {
    INFO(name);
    CHECK(value(name, none, none) == 1);
    CHECK(value(name, one, none) == 0);
    CHECK(value(name, none, one) == 0);
    CHECK(value(name, one, one) == 1);
  }
  CHECK(value("example-f1-loss", none, none) == 0);
  CHECK(value("example-f1-loss", one, none) == 1);
  CHECK(value("example-f1-loss", none, one) == 1);
  CHECK(value("micro-f1", none, none) == 1);
  CHECK(value("micro-f1", one, none) == 0);
  CHECK(value("micro-f1", none, one) == 0);
  // Label 1 has neither positives nor predictions: it counts 1, or it is skipped.
  CHECK(value("macro-f1", none, one) == 0.5);
  CHECK(value("macro-f1-present", none, one) == 0);
  CHECK(value("macro-f1", one, one) == 1);
  CHECK(value("macro-f1-present", none, none) == 1);
}

TEST_CASE("metrics are found by name, and a wrong name gets the names") {
  CHECK(find_metric("micro-f1").name == std::string("micro-f1"));
  CHECK_THROWS_WITH(find_metric("micro-f2"),
                    Catch::Contains("did you mean micro-f1?") && Catch::Contains("subset-loss"));
  const LabelMatrix small = LabelMatrix::Constant(2, 3, -1), large = LabelMatrix::Constant(2, 4, -1);
  CHECK_THROWS_WITH(LabelCounts(small, large), Catch::Contains("2 labels x 3 instances"));
}

TEST_CASE("the bootstrap is a function of its seed and covers what it should") {
  kit::Rng rng(12);
  const int64_t V = 6, N = 200;
  const LabelMatrix truth = random_labels(rng, V, N, 0.3);
  LabelMatrix predicted = truth;
  for (auto& y : predicted.reshaped())
    if (rng.uniform() < 0.15) y = static_cast<int8_t>(-y);
  const auto intervals = bootstrap(metrics(), predicted, truth, 400, 5);
  const auto again = bootstrap(metrics(), predicted, truth, 400, 5);
  const auto other = bootstrap(metrics(), predicted, truth, 400, 6);
  bool differs = false;
  for (size_t m = 0; m < metrics().size(); ++m) {
    INFO(metrics()[m].name);
    const double point = metrics()[m].value(LabelCounts(predicted, truth));
    CHECK(intervals[m].low < point);
    CHECK(point < intervals[m].high);
    CHECK(intervals[m].low == again[m].low);
    CHECK(intervals[m].high == again[m].high);
    differs = differs || intervals[m].low != other[m].low;
    // One metric alone gets the interval that it has in company.
    const auto alone = bootstrap({metrics()[m]}, predicted, truth, 400, 5);
    CHECK(alone[0].low == intervals[m].low);
    if (!is_example_mean(metrics()[m])) continue;
    // The half-width of a mean's interval is about 1.96 standard errors.
    const Eigen::ArrayXd losses = example_losses(metrics()[m], predicted, truth).array();
    const double error = std::sqrt((losses - losses.mean()).square().mean() / static_cast<double>(N));
    CHECK((intervals[m].high - intervals[m].low) / 2 == Approx(1.96 * error).epsilon(0.15));
  }
  CHECK(differs);
}

TEST_CASE("bootstrap of micro and macro: label counts of every resample") {
  // Two instances, one all wrong and one all right: the resamples have 0, 1 or 2 right ones, and the extremes
  // are a quarter of them each.
  LabelMatrix truth(2, 2), predicted(2, 2);
  truth << 1, 1, -1, -1;
  predicted << -1, 1, 1, -1;
  for (const char* name : {"micro-f1", "macro-f1", "macro-f1-present", "example-f1"}) {
    const auto interval = bootstrap({find_metric(name)}, predicted, truth, 200, 1).front();
    INFO(name);
    CHECK(interval.low == 0);
    CHECK(interval.high == 1);
  }
  CHECK_THROWS_WITH(bootstrap(metrics(), LabelMatrix(2, 0), LabelMatrix(2, 0), 10, 1),
                    Catch::Contains("no instances"));
  CHECK_THROWS_WITH(bootstrap(metrics(), predicted, truth, 0, 1), Catch::Contains("at least 1"));
}

TEST_CASE("the bootstrap's intervals cover the true value about 95 % of the time", "[.full]") {
  // Labels are wrong with probability .1, so the true Hamming loss is .1 and the true subset loss 1 - .9^4.
  kit::Rng rng(13);
  const std::vector<Metric> which = {find_metric("hamming-loss"), find_metric("subset-loss")};
  const double truly[] = {0.1, 1 - std::pow(0.9, 4)};
  int covered[] = {0, 0};
  constexpr int repeats = 400;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const LabelMatrix truth = random_labels(rng, 4, 150, 0.5);
    LabelMatrix predicted = truth;
    for (auto& y : predicted.reshaped())
      if (rng.uniform() < 0.1) y = static_cast<int8_t>(-y);
    const auto intervals = bootstrap(which, predicted, truth, 300, static_cast<uint64_t>(repeat));
    for (size_t m = 0; m < 2; ++m)
      covered[m] += intervals[m].low <= truly[m] && truly[m] <= intervals[m].high ? 1 : 0;
  }
  // Five standard errors of a binomial around 95 %.
  for (const int count : covered) {
    CHECK(count > repeats * 0.89);
    CHECK(count <= repeats);
  }
}

}  // namespace concord::metrics_test
