// SPDX-License-Identifier: MIT
#pragma once
// What the tests of the spectral family share: random problems of every awkward kind, a dense reference in
// extended precision that shares no code with the kit, and decoder classes called as the host would.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <vector>

#include <concord/kit/conventions.hpp>
#include <concord/plugin.hpp>

#include "problem/random.hpp"

namespace spectral_test {

using concord::Matrix;
using concord::Vector;
using Eigen::Index;
using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Problem {
  Matrix A;
  Vector c;
  double magnitude() const { return A.cwiseAbs().sum() + c.cwiseAbs().sum(); }
};

struct Reference {
  double value;
  bool hard;  ///< or so near to it that an eigenvalue solver cannot tell
};

/// min over mu > 0 of the dual, by bisection on its derivative, in long double. The basis of 1^perp comes
/// from a QR decomposition.
inline Reference reference(const Problem& p, double beta) {
  const Index V = p.c.size();
  const Long n = static_cast<Long>(V);
  LongMatrix A = p.A.cast<Long>();
  LongVector c = p.c.cast<Long>();
  Long constant = 0;
  Long R2 = n;
  if (!std::isnan(beta)) {
    const Long a = static_cast<Long>(beta) / n;
    const LongVector ones = LongVector::Ones(V);
    const LongMatrix Q = Eigen::HouseholderQR<LongMatrix>(ones).householderQ();
    const LongMatrix N = Q.rightCols(V - 1);
    constant = a * c.sum() - a * a * A.sum();
    const LongVector linear = c - 2 * a * A * ones;
    c = N.transpose() * linear;
    A = (N.transpose() * A * N).eval();
    R2 = n - static_cast<Long>(beta) * static_cast<Long>(beta) / n;
    if (R2 <= 0 || c.size() == 0) return {static_cast<double>(constant), false};
  }
  const Eigen::SelfAdjointEigenSolver<LongMatrix> eigen(A);
  const LongVector& lambda = eigen.eigenvalues();
  const LongVector rotated = eigen.eigenvectors().transpose() * c;
  const auto d = lambda.array() - lambda[0];
  const auto dual = [&](Long mu) {
    Long sum = -(lambda[0] - mu) * R2;
    for (Index j = 0; j < d.size(); ++j)
      if (rotated[j] != 0) sum += rotated[j] * rotated[j] / (4 * (d[j] + mu));
    return sum;
  };
  const auto slope = [&](Long mu) {
    Long sum = R2;
    for (Index j = 0; j < d.size(); ++j) {
      const Long w = rotated[j] == 0 ? 0 : rotated[j] / (2 * (d[j] + mu));
      sum -= w * w;
    }
    return sum;
  };
  Long low = 0;
  Long high = rotated.norm() / std::sqrt(R2) + std::numeric_limits<Long>::min();
  for (int i = 0; i < 400; ++i) {
    const Long middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  const Long scale = std::max<Long>(lambda.cwiseAbs().maxCoeff(), rotated.norm());
  return {static_cast<double>(constant + dual(high)), high <= 1e-6L * scale};
}

/// Random problems: kind 0 dense, 1 with a diagonal, 2 A = 0, 3 c = 0, 4 repeated lambda_min, 5 and 6 c
/// orthogonal to a repeated bottom eigenspace (short: hard, long: not), 7 all pairs alike, 8 one common
/// extreme scale, 9 two scales.
constexpr int kinds = 10;
class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {}

  double normal() { return rng_.normal(); }
  Index index(Index below) { return static_cast<Index>(rng_.below(static_cast<uint64_t>(below))); }
  Vector vector(Index n) {
    return concord::random_vector(n, [this] { return normal(); });
  }
  Matrix symmetric(Index V, bool diagonal) {
    Matrix A = concord::random_prior(V, concord::PriorSign::any, [this] { return normal(); });
    if (diagonal) A.diagonal() = vector(V);
    return A;
  }
  double scale() { return std::pow(10.0, 350 * rng_.uniform() - 200); }

  Problem problem(int kind, Index V) {
    Problem p{symmetric(V, kind == 1), vector(V)};
    if (kind == 2) p.A.setZero();
    if (kind == 3) p.c.setZero();
    if (kind == 4 || kind == 5 || kind == 6) repeat_bottom(p, kind);
    if (kind == 7) {
      p.A.setConstant(normal());
      p.A.diagonal().setZero();
    }
    if (kind == 8) {
      const double s = scale();
      p.A *= s;
      p.c *= s;
    }
    if (kind == 9) {
      p.A *= scale();
      p.c *= scale();
    }
    return p;
  }

 private:
  void repeat_bottom(Problem& p, int kind) {
    const Index V = p.c.size();
    const Matrix Q =
        Eigen::HouseholderQR<Matrix>(Matrix::NullaryExpr(V, V, [this] { return normal(); })).householderQ();
    const Index repeated = 1 + index(V);
    Vector lambda = vector(V);
    lambda.head(repeated).setConstant(lambda.minCoeff() - 1);
    p.A = Q * lambda.asDiagonal() * Q.transpose();
    p.A = (p.A + p.A.transpose()).eval() / 2;
    if (kind == 4) return;
    Vector rotated = (kind == 5 ? 0.1 : 30.0) * vector(V);
    rotated.head(repeated).setZero();
    p.c = Q * rotated;
  }

  concord::kit::Rng rng_;
};

struct Decoded {
  int status;
  Matrix F;
  double value;
  double bound;
  Vector u() const { return F.col(0); }
};

/// A decoder class behind its C table, prepared with A.
template <class D>
class Caller {
 public:
  explicit Caller(const Matrix& A, typename D::Options options = {}) : decoder_(options), V_(A.rows()) {
    const concord_prior prior{sizeof prior, 0, V_, A.data(), nullptr, nullptr, nullptr};
    if (Thunks::prepare(&decoder_, &env_, &prior) != CONCORD_OK) throw std::runtime_error("prepare failed");
  }

  Decoded decode(const Vector& c, double beta = none) { return decode(std::vector<Vector>{c}, {beta})[0]; }

  std::vector<Decoded> decode(const std::vector<Vector>& c, const std::vector<double>& beta) {
    std::vector<concord_row> rows;
    rows.reserve(beta.size());
    for (const double b : beta) rows.push_back({sizeof(concord_row), 0, nullptr, b});
    std::vector<concord_request> requests;
    for (size_t i = 0; i < c.size(); ++i)
      requests.push_back(
          {sizeof(concord_request), std::isnan(beta[i]) ? 0u : 1u, V_, c[i].data(), &rows[i], i, nullptr});
    return collect(requests.size(), [&](concord_result* results) {
      return Thunks::solve(&decoder_, &env_, requests.data(), results, requests.size());
    });
  }

  /// One family.
  Decoded decode(const Vector& c, const concord_family& family, concord_result* raw = nullptr) {
    const concord_request request{sizeof request, 0, V_, c.data(), nullptr, 0, nullptr};
    return collect(
        1,
        [&](concord_result* result) {
          return Thunks::solve_family(&decoder_, &env_, &request, &family, result, 1);
        },
        raw)[0];
  }

 private:
  using Thunks = concord::sdk::DecoderThunks<D>;

  template <class Call>
  std::vector<Decoded> collect(size_t count, Call&& call, concord_result* raw = nullptr) {
    int64_t rank = 1;
    if constexpr (requires(D & d) { d.max_rank(int64_t{}); }) rank = decoder_.max_rank(V_);
    std::vector<Matrix> F(count, Matrix(V_, rank));
    std::vector<concord_result> results(count);
    for (size_t i = 0; i < count; ++i) {
      results[i].size = sizeof(concord_result);
      results[i].F = F[i].data();
      results[i].F_columns = rank;
    }
    if (call(results.data()) != CONCORD_OK) throw std::runtime_error("solve failed");
    std::vector<Decoded> out;
    for (size_t i = 0; i < count; ++i)
      out.push_back({results[i].status, F[i].leftCols(results[i].rank), results[i].value, results[i].bound});
    if (raw != nullptr) *raw = results[0];
    return out;
  }

  static constexpr concord_env env_{sizeof(concord_env),
                                    1,
                                    nullptr,
                                    [](void*) -> int32_t { return 0; },
                                    [](void*) { return std::numeric_limits<double>::infinity(); },
                                    [](void*, int32_t, const char*) {},
                                    nullptr};
  D decoder_;
  int64_t V_;
};

/// u'c - <A, FF'>
inline double objective(const Problem& p, const Matrix& F) {
  return F.col(0).dot(p.c) - (p.A * F).cwiseProduct(F).sum();
}

/// F-beta as a family (math: t_k = -(1+b^2)/(4(b^2 p + k)), constant 1 - (1+b^2)(2k + 1'y)/(4(b^2 p + k))).
struct FBetaFamily {
  Matrix D;
  Vector constants, t, beta;
  FBetaFamily(const Vector& y, double b2) : D(y) {
    const Index V = y.size();
    const double p = static_cast<double>((y.array() > 0).count());
    constants.resize(V + 1);
    t.resize(V + 1);
    beta.resize(V + 1);
    for (Index k = 0; k <= V; ++k) {
      const double below = 4 * (b2 * p + static_cast<double>(k));
      t[k] = below == 0 ? 0 : -(1 + b2) / below;
      constants[k] = below == 0 ? 0 : 1 - (1 + b2) * (static_cast<double>(2 * k) + y.sum()) / below;
      beta[k] = static_cast<double>(2 * k - V);
    }
  }
  concord_family abi() {
    return {sizeof(concord_family), 0,        D.rows(), t.size(),   1, 1, D.data(),
            constants.data(),       t.data(), nullptr,  beta.data()};
  }
};

}  // namespace spectral_test
