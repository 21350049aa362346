// SPDX-License-Identifier: MIT
// Expected F1 against enumeration of all outcomes and of all sets; the calibration against its own likelihood.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord::expected_f1_test {

namespace {

/// The expected F1 of a set of labels, over all 2^V outcomes.
double enumerate(const std::vector<double>& p, uint32_t chosen) {
  double sum = 0;
  for (uint32_t truth = 0; truth < 1U << p.size(); ++truth) {
    double probability = 1;
    for (size_t v = 0; v < p.size(); ++v) probability *= (truth >> v & 1U) != 0 ? p[v] : 1 - p[v];
    const int both = std::popcount(truth & chosen), all = std::popcount(truth) + std::popcount(chosen);
    sum += probability * (all == 0 ? 1 : 2.0 * both / all);
  }
  return sum;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Mean log-likelihood of Platt's targets.
double likelihood(const Eigen::MatrixXd& scores, const LabelMatrix& truth, double slope, double offset) {
  const auto positives = static_cast<double>((truth > 0).count());
  const double negatives = static_cast<double>(truth.size()) - positives;
  double sum = 0;
  for (int64_t i = 0; i < scores.cols(); ++i)
    for (int64_t v = 0; v < scores.rows(); ++v) {
      const double target = truth(v, i) > 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2);
      const double p = sigmoid(slope * scores(v, i) + offset);
      sum += target * std::log(p) + (1 - target) * std::log1p(-p);
    }
  return sum / static_cast<double>(scores.size());
}

}  // namespace

TEST_CASE("expected F1 of the top k is that of enumeration, and no other set has more", "[expected-f1]") {
  kit::Rng rng(41);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t V = 1 + rng.below(trial < 290 ? 6 : 10);
    std::vector<double> p(V);
    for (double& one : p) {
      const auto kind = rng.below(8);
      one = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 0.25 : rng.uniform();
    }
    std::sort(p.begin(), p.end(), std::greater<>());
    const std::vector<double> found = expected_f1(p);
    REQUIRE(found.size() == V + 1);
    for (size_t k = 0; k <= V; ++k)
      REQUIRE(found[k] == Approx(enumerate(p, (1U << k) - 1)).margin(1e-14).epsilon(1e-12));
    double best = 0;
    for (uint32_t chosen = 0; chosen < 1U << V; ++chosen) best = std::max(best, enumerate(p, chosen));
    REQUIRE(*std::max_element(found.begin(), found.end()) == Approx(best).margin(1e-14));
  }
}

TEST_CASE("expected F1 of many labels stays between 0 and 1", "[expected-f1]") {
  const std::vector<double> found = expected_f1(std::vector<double>(1000, 0.01));
  for (const double value : found) CHECK((value >= 0 && value <= 1));
  CHECK(found[0] == Approx(std::pow(0.99, 1000)));
  // All alike: more labels hit more.
  CHECK(found[1000] == *std::max_element(found.begin(), found.end()));
}

TEST_CASE("labels by expected F1: the best labels, as many as pay", "[expected-f1]") {
  Eigen::MatrixXd scores(3, 4);
  scores.col(0) << -9, 9, -9;
  scores.col(1) << -9, -9, -9;
  scores.col(2) << 1, 9, 2;
  scores.col(3) << 0, 0, 0;
  const LabelMatrix labels =
      label_by_expected_f1(scores, Eigen::Vector2d(1, 0), Eigen::Array4<int64_t>::Zero());
  LabelMatrix expected(3, 4);
  expected.col(0) << -1, 1, -1;
  expected.col(1) << -1, -1, -1;
  expected.col(2) << 1, 1, 1;
  expected.col(3) << 1, 1, 1;
  CHECK((labels == expected).all());
}

TEST_CASE("the calibration maximises its likelihood and finds the sigmoid that made the data",
          "[expected-f1]") {
  kit::Rng rng(42);
  for (int trial = 0; trial < 20; ++trial) {
    const double slope = std::exp(2 * rng.normal()), offset = rng.normal();
    const double centre = 3 * rng.normal();  // of the scores: far from 0 too
    Eigen::MatrixXd scores(5, 400);
    LabelMatrix truth(5, 400);
    for (int64_t j = 0; j < scores.size(); ++j) {
      scores.data()[j] = (centre + 2 * rng.normal()) / slope;
      truth.data()[j] = rng.uniform() < sigmoid(slope * scores.data()[j] - centre + offset) ? 1 : -1;
    }
    const Eigen::VectorXd found = fit_calibration(scores, truth);
    REQUIRE(found.size() == 2);
    CHECK(found(0) / slope == Approx(1).margin(0.25));
    CHECK(found(1) + centre == Approx(offset).margin(0.4 + 0.25 * std::abs(centre)));
    const double best = likelihood(scores, truth, found(0), found(1));
    for (const double step : {-1e-3, 1e-3}) {
      CHECK(likelihood(scores, truth, found(0) * (1 + step), found(1)) < best);
      CHECK(likelihood(scores, truth, found(0), found(1) + step) < best);
    }
  }
}

TEST_CASE("calibrations of separable, constant and contrary scores are finite and never fall",
          "[expected-f1]") {
  Eigen::MatrixXd scores(1, 40);
  LabelMatrix truth(1, 40);
  for (int64_t i = 0; i < 40; ++i) {
    scores(0, i) = static_cast<double>(i);
    truth(0, i) = i < 30 ? -1 : 1;
  }
  const Eigen::VectorXd separable = fit_calibration(scores, truth);
  CHECK(separable.allFinite());
  CHECK(sigmoid(separable(0) * 39 + separable(1)) > 0.9);
  CHECK(sigmoid(separable(1)) < 0.05);
  const Eigen::VectorXd contrary = fit_calibration(-scores, truth);
  CHECK(contrary(0) == 0);
  CHECK(sigmoid(contrary(1)) == Approx(11.0 / 42));
  CHECK(fit_calibration(Eigen::MatrixXd::Constant(1, 40, 7), truth) == contrary);
  CHECK(fit_calibration(scores, LabelMatrix::Constant(1, 40, -1)).allFinite());
  CHECK(fit_calibration(1e200 * scores, truth).allFinite());
}

TEST_CASE("a calibration needs scores and truth that fit", "[expected-f1]") {
  CHECK_THROWS_AS(fit_calibration(Eigen::MatrixXd::Zero(2, 3), LabelMatrix::Constant(3, 2, 1)), Error);
  CHECK_THROWS_AS(fit_calibration(Eigen::MatrixXd::Constant(1, 1, NAN), LabelMatrix::Constant(1, 1, 1)),
                  Error);
}

}  // namespace concord::expected_f1_test
