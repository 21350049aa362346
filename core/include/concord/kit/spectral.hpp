// SPDX-License-Identifier: MIT
#pragma once
// The spectral relaxation: maximise u'c - u'Au over u'u = V, optionally with 1'u = beta.
//
// A is decomposed once; then every c costs two products with the eigenvectors, done for whole chunks as one
// matrix product, and a secular equation. With 1'u = beta write u = a 1 + w, a = beta/V, 1'w = 0: the same
// problem on 1^perp with the linear term c - 2a A1, radius R^2 = V - beta^2/V and a constant
// a 1'c - a^2 1'A1.
#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <concord/kit/dense.hpp>
#include <concord/kit/secular.hpp>

namespace concord::kit {

/// Calls piece(0), ..., piece(count - 1), one after the other or side by side, and returns after the last.
using InPieces = std::function<void(Index count, const std::function<void(Index)>& piece)>;

inline void one_by_one(Index count, const std::function<void(Index)>& piece) {
  for (Index i = 0; i < count; ++i) piece(i);
}

/// The dense linear algebra that may be left to another library (kit/lapack.hpp). Eigen's own is the default.
struct DenseAlgebra {
  /// Replaces a symmetric matrix by its eigenvectors and fills the ascending eigenvalues. The bits do not depend on `run`.
  std::function<void(Eigen::MatrixXd& M, Eigen::VectorXd& values, const InPieces& run)> eigensolver;
  /// out = EX, or E'X if transposed.
  std::function<void(const Eigen::MatrixXd& E, bool transposed, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Eigen::Ref<Eigen::MatrixXd> out)>
      product;
};

void eigen_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values);

DenseAlgebra eigen_algebra();

/// P, an orthonormal basis of 1^perp: the last V-1 columns of the Householder reflection that sends 1/sqrt(V)
/// to -e_1. Never formed; each product is O(V) per column. requires V >= 2
class OnesComplement {
 public:
  explicit OnesComplement(Index V) : root_(std::sqrt(static_cast<double>(V))) {}

  Eigen::MatrixXd restrict(const Eigen::MatrixXd& A) const;  ///< P'AP for a symmetric A
  Eigen::VectorXd project(const Eigen::VectorXd& x) const;   ///< P'x
  Eigen::MatrixXd expand(const Eigen::MatrixXd& W) const;    ///< P W, V x columns

 private:
  double root_;
};

/// A on a subspace: V x n orthonormal eigenvectors E (padded with zero columns) and their spectrum.
struct Eigenbasis {
  Spectrum spectrum;
  Eigen::MatrixXd E;
  Eigen::VectorXd r;  ///< E'A1
};

/// The decompositions of one A, each computed when it is first asked for; safe to ask for from many threads.
class SpectralFactors {
 public:
  explicit SpectralFactors(Eigen::MatrixXd A, DenseAlgebra algebra = eigen_algebra());

  Index labels() const { return A_.rows(); }
  double ones_A_ones() const { return ones_A_ones_; }
  double A1_norm() const { return A1_norm_; }
  const DenseAlgebra& algebra() const { return algebra_; }

  /// A itself.
  const Eigenbasis& whole(const InPieces& run = one_by_one) const;
  /// A on 1^perp: P'AP. requires V >= 2
  const Eigenbasis& restricted(const InPieces& run = one_by_one) const;
  /// Makes the decompositions that were asked of `before`, which is likely to be what will be asked of this.
  void decompose_as(const SpectralFactors& before, const InPieces& run) const;

 private:
  /// Decomposes M, which is A or, if restricted, P'AP.
  Eigenbasis decompose(Eigen::MatrixXd M, bool restricted, Eigen::VectorXd preferred,
                       const InPieces& run) const;

  Eigen::MatrixXd A_;
  DenseAlgebra algebra_;
  Eigen::VectorXd A1_;
  double A1_norm_ = 0;
  double ones_A_ones_ = 0;
  mutable std::once_flag whole_once_;
  mutable std::once_flag restricted_once_;
  mutable Eigenbasis whole_;
  mutable Eigenbasis restricted_;
};

/// One problem: c (V numbers) and 1'u = beta, NaN for none. requires |beta| <= V
struct SpectralProblem {
  const double* c = nullptr;
  double beta = std::numeric_limits<double>::quiet_NaN();
};

struct SpectralAnswer {
  double* u = nullptr;  ///< in: room for V numbers
  double value = 0;     ///< u'c - u'Au
  double bound = 0;     ///< on the optimum over the sphere, hence over the labellings; never below value
};

/// Many instances at once are rotated together, this many at a time: enough for the speed of a matrix
/// product, and fixed, so that the chunks of a batch do not depend on anything but their order.
constexpr size_t spectral_chunk = 64;

namespace detail {

/// 1'u = +-V has one solution, u = +-1.
inline bool is_point(Index V, double beta) {
  return std::abs(beta) == static_cast<double>(V);
}

/// The radius of the sphere that is left of u'u = V by 1'u = beta (NaN: none).
inline double radius(Index V, double beta) {
  const double n = static_cast<double>(V);
  return std::sqrt(std::isnan(beta) ? n : n - beta * beta / n);
}

}  // namespace detail

/// Solves all problems for one A; answers[i] belongs to problems[i].
void solve_spectral(const SpectralFactors& factors, std::span<const SpectralProblem> problems,
                    std::span<SpectralAnswer> answers);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/spectral.hpp>
#endif
