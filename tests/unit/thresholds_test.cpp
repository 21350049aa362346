// SPDX-License-Identifier: MIT
// Tuned thresholds against exhaustive search over all cuts, every metric, ties and min_labels.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord::thresholds_test {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

struct Sample {
  Eigen::MatrixXd scores;
  LabelMatrix truth;
};

/// Scores that know something of the truth; `levels` > 0 rounds them to so many values, for ties.
Sample random_sample(kit::Rng& rng, int64_t V, int64_t N, int levels) {
  Sample sample{Eigen::MatrixXd(V, N), LabelMatrix(V, N)};
  const double density = 0.05 + 0.5 * rng.uniform(), signal = 2 * rng.uniform();
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v) {
      sample.truth(v, i) = rng.uniform() < density ? 1 : -1;
      double score = rng.normal() + signal * sample.truth(v, i);
      if (levels > 0) score = levels == 1 ? 0.25 : std::round(score * levels / 4);
      sample.scores(v, i) = score;
    }
  return sample;
}

double loss_of(const Sample& sample, const Eigen::VectorXd& thresholds, const Metric& metric,
               int64_t min_labels) {
  LabelMatrix labels = apply_thresholds(sample.scores, thresholds);
  fill_min_labels(labels, sample.scores, min_labels);
  return metric.loss(LabelCounts(labels, sample.truth));
}

/// Thresholds that give every possible cut of the scores: below all, between neighbours, above all.
std::vector<double> all_cuts(const Eigen::MatrixXd& scores) {
  const auto values = scores.reshaped();
  const std::set<double> sorted(values.begin(), values.end());
  std::vector<double> cuts = {*sorted.begin() - 1, *sorted.rbegin()};
  for (auto at = sorted.begin(); std::next(at) != sorted.end(); ++at)
    cuts.push_back((*at + *std::next(at)) / 2);
  return cuts;
}

double exhaustive_loss(const Sample& sample, const Metric& metric, int64_t min_labels) {
  double best = std::numeric_limits<double>::infinity();
  for (const double cut : all_cuts(sample.scores))
    best = std::min(best, loss_of(sample, Eigen::VectorXd::Constant(1, cut), metric, min_labels));
  return best;
}

}  // namespace

TEST_CASE("the tuned threshold is the best of all cuts") {
  kit::Rng rng(21);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(5)), N = static_cast<int64_t>(1 + rng.below(9));
    const int levels[] = {0, 0, 4, 1};
    const Sample sample = random_sample(rng, V, N, levels[repeat % 4]);
    for (const Metric& metric : metrics())
      for (int64_t min_labels = 0; min_labels <= 2; ++min_labels) {
        INFO(metric.name << " V=" << V << " N=" << N << " min_labels=" << min_labels);
        const double threshold = tune_threshold(sample.scores, sample.truth, metric, min_labels);
        REQUIRE(std::isfinite(threshold));
        const Eigen::VectorXd one = Eigen::VectorXd::Constant(1, threshold);
        REQUIRE(loss_of(sample, one, metric, min_labels) ==
                Approx(exhaustive_loss(sample, metric, min_labels)).margin(1e-11));
        REQUIRE(tune_threshold(sample.scores, sample.truth, metric, min_labels) == threshold);
      }
  }
}

TEST_CASE("with more true labels than candidates the threshold is still near the best") {
  kit::Rng rng(22);
  const Sample sample = random_sample(rng, 10, 300, 0);
  for (const char* name : {"example-f1-loss", "micro-f1", "macro-f1", "hamming-loss"}) {
    const Metric& metric = find_metric(name);
    const double threshold = tune_threshold(sample.scores, sample.truth, metric, 1);
    // Between two candidates lie at most 1/200 of the true labels, so the loss cannot be far off.
    CHECK(loss_of(sample, Eigen::VectorXd::Constant(1, threshold), metric, 1) <=
          exhaustive_loss(sample, metric, 1) + 0.005);
  }
}

TEST_CASE("thresholds per label are no worse than the global one, and no single one can be improved") {
  kit::Rng rng(23);
  bool better = false;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(4)), N = static_cast<int64_t>(1 + rng.below(12));
    const Sample sample = random_sample(rng, V, N, repeat % 3 == 0 ? 4 : 0);
    for (const Metric& metric : metrics())
      for (int64_t min_labels = 0; min_labels <= 2; ++min_labels) {
        INFO(metric.name << " V=" << V << " N=" << N << " min_labels=" << min_labels);
        const Eigen::VectorXd tuned = tune_label_thresholds(sample.scores, sample.truth, metric, min_labels);
        REQUIRE(tuned.size() == V);
        REQUIRE(tuned.allFinite());
        const double loss = loss_of(sample, tuned, metric, min_labels);
        const double global = exhaustive_loss(sample, metric, min_labels);
        REQUIRE(loss <= global + 1e-11);
        better = better || loss < global - 1e-3;
        if (min_labels > 0) continue;  // a fill may prefer a cut that no label of its own asks for
        for (int64_t v = 0; v < V; ++v)
          for (const double cut : all_cuts(sample.scores.row(v))) {
            Eigen::VectorXd changed = tuned;
            changed(v) = cut;
            REQUIRE(loss_of(sample, changed, metric, min_labels) >= loss - 1e-11);
          }
      }
  }
  CHECK(better);
}

TEST_CASE("thresholds by hand: separable labels, ties to fewest labels, extremes") {
  const Metric& metric = find_metric("example-f1-loss");
  Sample sample{Eigen::MatrixXd(2, 2), LabelMatrix(2, 2)};
  sample.scores << 3, -1, -2, 5;
  sample.truth << 1, -1, -1, 1;
  CHECK(tune_threshold(sample.scores, sample.truth, metric, 0) == 1);  // between 3 and -1
  // Nobody has a label: none is predicted, as the threshold is the largest score.
  sample.truth.setConstant(-1);
  CHECK(tune_threshold(sample.scores, sample.truth, metric, 0) == 5);
  // Everybody has every label.
  sample.truth.setConstant(1);
  CHECK(apply_thresholds(sample.scores,
                         Eigen::VectorXd::Constant(1, tune_threshold(sample.scores, sample.truth, metric, 0)))
            .minCoeff() == 1);

  // The largest and the smallest numbers there are, and neighbours: the threshold separates them and is finite.
  for (const auto& [low, high] : {std::pair(-kLargest, kLargest), std::pair(1.0, std::nextafter(1.0, 2.0)),
                                  std::pair(0.0, std::numeric_limits<double>::denorm_min())}) {
    sample.scores << high, low, low, high;
    sample.truth << 1, -1, -1, 1;
    const double threshold = tune_threshold(sample.scores, sample.truth, metric, 0);
    CHECK(std::isfinite(threshold));
    CHECK((apply_thresholds(sample.scores, Eigen::VectorXd::Constant(1, threshold)) == sample.truth).all());
    CHECK(tune_label_thresholds(sample.scores, sample.truth, metric, 0).allFinite());
  }
  sample.scores.setConstant(-kLargest);  // no finite number is below it: only "no label" is left
  CHECK(tune_threshold(sample.scores, sample.truth, metric, 0) == -kLargest);

  sample.scores(0, 0) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(tune_threshold(sample.scores, sample.truth, metric, 0), Catch::Contains("not finite"));
  CHECK_THROWS_AS(apply_thresholds(sample.scores, Eigen::VectorXd::Zero(3)), Error);
}

TEST_CASE("min_labels fills by score, ties to the lowest index") {
  Eigen::MatrixXd scores(4, 3);
  scores.col(0) << 1, 2, 2, 0;
  scores.col(1) << 1, 2, 2, 0;
  scores.col(2) << -1, -1, -1, -1;
  LabelMatrix labels = LabelMatrix::Constant(4, 3, -1);
  labels(3, 1) = 1;
  fill_min_labels(labels, scores, 2);
  LabelMatrix expected(4, 3);
  expected.col(0) << -1, 1, 1, -1;
  expected.col(1) << -1, 1, -1, 1;  // one was there already
  expected.col(2) << 1, 1, -1, -1;
  CHECK((labels == expected).all());
  fill_min_labels(labels, scores, 9);  // more than there are
  CHECK(labels.minCoeff() == 1);
  fill_min_labels(labels, scores, 0);
  CHECK(labels.minCoeff() == 1);
}

}  // namespace concord::thresholds_test
