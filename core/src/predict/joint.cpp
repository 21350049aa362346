// SPDX-License-Identifier: MIT
#include "predict/joint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord {
namespace {

// Chains begin at different labellings, so that one that is caught in a valley does not speak for all.
constexpr int kChains = 8;
constexpr int kBurnIn = 50;         // sweeps of a chain that are not counted
constexpr int kBatches = 5;         // of each chain
constexpr int kSweeps = 80;         // of each batch
constexpr double kCertain = 1e-12;  // a probability by draws is not nearer to 0 or 1

/// A labelling with its fields c_v - 2 sum_{w != v} A_vw y_w. A flip costs O(V).
class State {
 public:
  State(const Eigen::MatrixXd& A, const Eigen::VectorXd& c, Eigen::VectorXd y)
      : A_(A), c_(c), y_(std::move(y)) {
    refresh();
  }

  double label(int64_t v) const { return y_(v); }
  double field(int64_t v) const { return field_(v); }
  const Eigen::VectorXd& labels() const { return y_; }
  /// y'c - y'Ay, without the diagonal, which is the same for all.
  double exponent() const { return 0.5 * y_.dot(c_ + field_); }

  void flip(int64_t v) {
    const double own = field_(v);
    field_ += 4 * y_(v) * A_.col(v);
    field_(v) = own;
    y_(v) = -y_(v);
  }
  /// Computes the fields again: flips add rounding errors up.
  void refresh() {
    field_ = c_ - 2 * (A_ * y_);
    field_ += 2 * A_.diagonal().cwiseProduct(y_);
  }

 private:
  const Eigen::MatrixXd& A_;
  const Eigen::VectorXd& c_;
  Eigen::VectorXd y_, field_;
};

Marginals independent(const Eigen::VectorXd& c) {
  return {2 * c.array(), 0};
}

}  // namespace

Marginals marginals_by_enumeration(const Eigen::MatrixXd& A, const Eigen::VectorXd& c) {
  const int64_t V = c.size();
  if (V > 30) fail(Fault::input, "{} labels are too many to enumerate", V);
  // The last labels take all their values at once, as a vector of 2^m exponents. A Gray code walks over the others.
  const int64_t m = std::min<int64_t>(V, 6), first = V - m, together = int64_t{1} << m;
  Eigen::MatrixXd Y(together, m);  // row s: the s-th labelling of the last m
  for (int64_t s = 0; s < together; ++s)
    for (int64_t v = 0; v < m; ++v) Y(s, v) = (s >> v & 1) != 0 ? 1 : -1;
  Eigen::MatrixXd among = A.bottomRightCorner(m, m);
  among.diagonal().setZero();
  const Eigen::VectorXd own = -(Y * among).cwiseProduct(Y).rowwise().sum();
  const Eigen::MatrixXd across = A.bottomLeftCorner(m, first);
  const Eigen::MatrixXd left = A.topLeftCorner(first, first);
  const Eigen::VectorXd c_left = c.head(first);
  State walk(left, c_left, Eigen::VectorXd::Constant(first, -1));

  // Weights are relative to the largest exponent so far.
  double largest = -std::numeric_limits<double>::infinity();
  Eigen::ArrayXd weights(together), sums = Eigen::ArrayXd::Zero(together);
  Eigen::ArrayXd with = Eigen::ArrayXd::Zero(first), without = with;
  const auto count = [&] {
    const Eigen::VectorXd field = c.tail(m) - 2 * (across * walk.labels());
    weights = (own + Y * field).array() + walk.exponent();
    if (const double top = weights.maxCoeff(); top > largest) {
      for (Eigen::ArrayXd* sum : {&sums, &with, &without}) *sum *= std::exp(largest - top);
      largest = top;
    }
    weights = (weights - largest).exp();
    sums += weights;
    const double total = weights.sum();
    with += total * (walk.labels().array() > 0).cast<double>();
    without += total * (walk.labels().array() < 0).cast<double>();
  };
  count();
  constexpr uint64_t refresh_every = 1024;
  for (uint64_t i = 1; i < (uint64_t{1} << first); ++i) {
    walk.flip(std::countr_zero(i));
    if (i % refresh_every == 0) walk.refresh();
    count();
  }
  Eigen::ArrayXd log_odds(V);
  log_odds.head(first) = with.log() - without.log();
  for (int64_t v = 0; v < m; ++v) {
    const auto has = Y.col(v).array() > 0;
    log_odds(first + v) = std::log(has.select(sums, 0.0).sum()) - std::log(has.select(0.0, sums).sum());
  }
  return {log_odds, 0};
}

Marginals marginals_by_gibbs(const Eigen::MatrixXd& A, const Eigen::VectorXd& c, uint64_t seed) {
  const int64_t V = c.size();
  constexpr int batches = kChains * kBatches;
  Eigen::ArrayXXd means = Eigen::ArrayXXd::Zero(V, batches);
  for (int chain = 0; chain < kChains; ++chain) {
    kit::Rng random(kit::derive(seed, static_cast<uint64_t>(chain)));
    Eigen::VectorXd start(V);
    for (int64_t v = 0; v < V; ++v) {  // from what is likely without the prior, by fair coins, or nothing
      const double p = chain % 4 == 0 ? 0 : chain % 2 == 0 ? 0.5 : sigmoid(2 * c(v));
      start(v) = random.uniform() < p ? 1 : -1;
    }
    State state(A, c, start);
    const auto sweep = [&](auto&& heard) {
      for (int64_t v = 0; v < V; ++v) {
        const double p = sigmoid(2 * state.field(v));
        heard(v, p);
        const double drawn = random.uniform() < p ? 1 : -1;
        if (drawn != state.label(v)) state.flip(v);
      }
      state.refresh();
    };
    for (int i = 0; i < kBurnIn; ++i) sweep([](int64_t, double) {});
    for (int batch = 0; batch < kBatches; ++batch) {
      auto mean = means.col(chain * kBatches + batch);
      for (int i = 0; i < kSweeps; ++i) sweep([&](int64_t v, double p) { mean(v) += p / kSweeps; });
    }
  }
  const Eigen::ArrayXd p = means.rowwise().mean().max(kCertain).min(1 - kCertain);
  // Batches of a chain that moves slowly are alike, and so are chains that have mixed: the larger error counts.
  const auto error = [&](const Eigen::ArrayXXd& parts) {
    const auto n = static_cast<double>(parts.cols());
    return std::sqrt((parts.colwise() - p).square().rowwise().sum().maxCoeff() / (n * (n - 1)));
  };
  Eigen::ArrayXXd chains(V, kChains);
  for (int64_t chain = 0; chain < kChains; ++chain)
    chains.col(chain) = means.middleCols(chain * kBatches, kBatches).rowwise().mean();
  return {(p / (1 - p)).log(), std::max(error(means), error(chains))};
}

Marginals marginals(const Eigen::MatrixXd& A, const Eigen::VectorXd& c, uint64_t seed) {
  const bool coupled = !(A - Eigen::MatrixXd(A.diagonal().asDiagonal())).isZero(0);
  if (!coupled) return independent(c);
  return c.size() <= kMostEnumerated ? marginals_by_enumeration(A, c) : marginals_by_gibbs(A, c, seed);
}

}  // namespace concord
