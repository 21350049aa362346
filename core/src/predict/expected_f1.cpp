// SPDX-License-Identifier: MIT
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord {
namespace {

/// log(1 + exp(x)) without overflow.
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// The likelihood of Platt's targets under a sigmoid of standardised scores.
class Likelihood {
 public:
  Likelihood(const Eigen::ArrayXd& z, const Eigen::ArrayXd& targets) : z_(z), targets_(targets) {}

  double loss(const Eigen::Vector2d& at) const {
    double sum = 0;
    for (int64_t i = 0; i < z_.size(); ++i) {
      const double x = at(0) * z_(i) + at(1);
      sum += softplus(x) - targets_(i) * x;
    }
    return sum / static_cast<double>(z_.size());
  }

  void derivatives(const Eigen::Vector2d& at, Eigen::Vector2d& gradient, Eigen::Matrix2d& hessian) const {
    gradient.setZero();
    hessian.setZero();
    for (int64_t i = 0; i < z_.size(); ++i) {
      const Eigen::Vector2d x(z_(i), 1);
      const double p = sigmoid(at.dot(x));
      gradient += (p - targets_(i)) * x;
      hessian += p * (1 - p) * x * x.transpose();
    }
    gradient /= static_cast<double>(z_.size());
    hessian /= static_cast<double>(z_.size());
  }

 private:
  const Eigen::ArrayXd& z_;
  const Eigen::ArrayXd& targets_;
};

/// Newton's method with backtracking: the loss is convex.
Eigen::Vector2d minimise(const Likelihood& likelihood, Eigen::Vector2d at) {
  double loss = likelihood.loss(at);
  for (int step = 0; step < 100; ++step) {
    Eigen::Vector2d gradient;
    Eigen::Matrix2d hessian;
    likelihood.derivatives(at, gradient, hessian);
    if (gradient.norm() < 1e-10) break;
    hessian.diagonal().array() += 1e-12;
    const Eigen::Vector2d direction = hessian.inverse() * gradient;
    double length = 1;
    while (length > 1e-10 && !(likelihood.loss(at - length * direction) < loss)) length /= 2;
    if (length <= 1e-10) break;  // no progress that numbers can show
    at -= length * direction;
    loss = likelihood.loss(at);
  }
  return at;
}

}  // namespace

Eigen::VectorXd fit_calibration(const Eigen::MatrixXd& scores, const LabelMatrix& truth) {
  if (scores.rows() != truth.rows() || scores.cols() != truth.cols() || scores.size() == 0)
    fail(Fault::input, "a calibration needs scores and truth of the same size; they are {} x {} and {} x {}",
         scores.rows(), scores.cols(), truth.rows(), truth.cols());
  if (!scores.allFinite()) fail(Fault::input, "scores cannot be calibrated: one is not finite");
  const auto positives = static_cast<double>((truth > 0).count());
  const double negatives = static_cast<double>(truth.size()) - positives;
  const Eigen::ArrayXd targets =
      (truth.reshaped() > 0)
          .select(Eigen::ArrayXd::Constant(truth.size(), (positives + 1) / (positives + 2)),
                  Eigen::ArrayXd::Constant(truth.size(), 1 / (negatives + 2)));
  const double base = std::log((positives + 1) / (negatives + 1));
  const double mean = scores.mean();
  const double deviation = std::sqrt((scores.array() - mean).square().mean());
  const Eigen::Vector2d flat(0, base);
  if (!(deviation > 0)) return flat;
  const Eigen::ArrayXd z = (scores.reshaped().array() - mean) / deviation;
  const Eigen::Vector2d found = minimise(Likelihood(z, targets), flat);
  if (!(found(0) > 0)) return flat;
  return Eigen::Vector2d(found(0) / deviation, found(1) - found(0) * mean / deviation);
}

namespace {

/// The root of b + sum_i (sigmoid(x_i + b) - z_i), which increases with b: Newton's method, kept between two bounds.
double label_offset(const std::vector<double>& x, const std::vector<double>& z) {
  double low = -static_cast<double>(x.size()), high = -low, b = 0;
  for (int step = 0; step < 100; ++step) {
    double slope = 1, value = b;
    for (size_t i = 0; i < x.size(); ++i) {
      const double p = sigmoid(x[i] + b);
      value += p - z[i];
      slope += p * (1 - p);
    }
    (value > 0 ? high : low) = b;
    if (std::abs(value) < 1e-12 * slope) break;
    const double next = b - value / slope;
    b = next > low && next < high ? next : std::midpoint(low, high);
  }
  return b;
}

}  // namespace

Eigen::VectorXd fit_label_calibration(const Eigen::MatrixXd& scores, const LabelMatrix& truth) {
  std::vector<double> ranked;
  std::vector<int8_t> signs;
  for (int64_t i = 0; i < scores.cols(); ++i)
    for (int64_t v = 0; v < scores.rows(); ++v)
      if (scores(v, i) > kRankOfKnown) {
        ranked.push_back(scores(v, i));
        signs.push_back(truth(v, i));
      }
  const auto count = static_cast<int64_t>(ranked.size());
  const Eigen::VectorXd all =
      fit_calibration(Eigen::Map<const Eigen::VectorXd>(ranked.data(), count),
                      Eigen::Map<const Eigen::Array<int8_t, -1, 1>>(signs.data(), count));
  Eigen::VectorXd numbers(1 + scores.rows());
  numbers(0) = all(0);
  for (int64_t v = 0; v < scores.rows(); ++v) {
    std::vector<double> x, z;
    for (int64_t i = 0; i < scores.cols(); ++i)
      if (scores(v, i) > kRankOfKnown) {
        x.push_back(all(0) * scores(v, i) + all(1));
        z.push_back(truth(v, i) > 0 ? 1 : 0);
      }
    numbers(1 + v) = all(1) + label_offset(x, z);
  }
  return numbers;
}

Eigen::VectorXd calibrated(const Eigen::VectorXd& scores, const Eigen::VectorXd& calibration) {
  Eigen::VectorXd logits = calibration(0) * scores;
  if (calibration.size() == 2)
    logits.array() += calibration(1);
  else
    logits += calibration.tail(scores.size());
  return logits;
}

std::vector<double> expected_f1(const std::vector<double>& falling) {
  const size_t V = falling.size();
  // hits[k][a]: the probability of a labels among the first k.
  std::vector<std::vector<double>> hits(V + 1, std::vector<double>(V + 1, 0.0));
  hits[0][0] = 1;
  for (size_t k = 1; k <= V; ++k)
    for (size_t a = 0; a <= k; ++a)
      hits[k][a] = (1 - falling[k - 1]) * hits[k - 1][a] + (a > 0 ? falling[k - 1] * hits[k - 1][a - 1] : 0);
  std::vector<double> s(2 * V + 2, 0.0);
  for (size_t a = 1; a < s.size(); ++a) s[a] = 1 / static_cast<double>(a);
  std::vector<double> expected(V + 1, 0.0);
  for (size_t k = V; k > 0; --k) {
    for (size_t a = 1; a <= k; ++a) expected[k] += hits[k][a] * 2 * static_cast<double>(a) * s[k + a];
    // s_{k-1}(a) is needed for a <= 2(k-1), so the last entry, which has no right neighbour, is never used again.
    for (size_t a = 1; a + 1 < s.size(); ++a) s[a] = falling[k - 1] * s[a + 1] + (1 - falling[k - 1]) * s[a];
  }
  expected[0] = 1;
  for (const double p : falling) expected[0] *= 1 - p;
  return expected;
}

RankedByF1 rank_by_expected_f1(const Eigen::VectorXd& scores, const Eigen::VectorXd& calibration) {
  const Eigen::VectorXd logits = calibrated(scores, calibration);
  // The order of the scores where one offset serves all: rounding may make equals of two logits.
  RankedByF1 ranked{kit::descending(calibration.size() == 2 ? scores : logits), {}};
  std::vector<double> falling(ranked.order.size());
  for (size_t r = 0; r < falling.size(); ++r) falling[r] = sigmoid(logits(ranked.order[r]));
  ranked.expected = expected_f1(falling);
  return ranked;
}

LabelMatrix label_by_expected_f1(const Eigen::MatrixXd& scores, const Eigen::VectorXd& calibration,
                                 const Eigen::Array<int64_t, Eigen::Dynamic, 1>& least) {
  const int64_t V = scores.rows();
  LabelMatrix labels = LabelMatrix::Constant(V, scores.cols(), -1);
  for (int64_t i = 0; i < scores.cols(); ++i) {
    const auto [order, expected] = rank_by_expected_f1(scores.col(i), calibration);
    const auto from = expected.begin() + std::clamp<int64_t>(least(i), 0, V);
    const auto best = std::max_element(from, expected.end()) - expected.begin();
    for (int64_t r = 0; r < best; ++r) labels(order[static_cast<size_t>(r)], i) = 1;
  }
  return labels;
}

}  // namespace concord
