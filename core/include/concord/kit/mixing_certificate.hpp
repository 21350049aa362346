// SPDX-License-Identifier: MIT
#pragma once
// What the low-rank SDP solver proves, in double precision: the value of a feasible factor X and a bound on the
// semidefinite relaxation (kit/sdp.hpp), hence on every labelling.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <concord/kit/dense.hpp>
#include <concord/kit/mixed_cholesky.hpp>
#include <concord/kit/objective.hpp>
#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sparse_cholesky.hpp>

namespace concord::kit {

/// C = [[-alpha A, h], [h', 0]] and, if lifted, a = (1; -beta) with the multiplier z of Xa = 0.
template <class M = Matrix>
struct MixingTerms {
  const M& A;  ///< zero diagonal; dense, or sparse with rows first
  double alpha = 1;
  const Vector& h;
  double magnitude = 0;  ///< sum_ij |A_ij|
  std::optional<double> beta = std::nullopt;
  Vector z = {};

  Index order() const { return A.rows() + 1; }
};

/// Memory for `proves`: pages that are new to the process would cost as much as a sweep.
struct MixingSpace {
  Matrix S;
  MixedCholesky mixed;
};

template <class M = Matrix>
class MixingCertificate {
  static constexpr bool is_sparse = is_sparse_matrix<M>;

 public:
  /// requires unit columns and, if lifted, Xa = 0; a sparse A knows no lifted form
  MixingCertificate(MixingTerms<M> given, const Matrix& X) : terms_(std::move(given)) {
    const MixingTerms<M>& terms = terms_;
    const Index V = terms.A.rows();
    G_.resize(X.rows(), V + 1);
    Matrix& G = G_;
    if constexpr (is_sparse)
      G.leftCols(V) = -terms.alpha * (X.leftCols(V) * terms.A);
    else
      G.leftCols(V).noalias() = -terms.alpha * (X.leftCols(V) * terms.A);
    G.leftCols(V).noalias() += X.col(V) * terms.h.transpose();
    G.col(V).noalias() = X.leftCols(V) * terms.h;
    value_ = X.cwiseProduct(G).sum();
    if (terms.beta) {
      G.leftCols(V).colwise() -= terms.z;
      G.col(V) += *terms.beta * terms.z;
      y_ = X.cwiseProduct(G).colwise().sum();
    } else {
      y_ = G.colwise().norm();
    }
    residual_ = y_.sum() - value_;
  }

  double value() const { return value_; }  ///< <C, X'X>

  /// Before X has converged, C - Diag(y) has a few positive eigenvalues. Their vectors v are almost in the
  /// row space of X. Raising all of y by the largest eigenvalue costs n times that eigenvalue. But y is too
  /// small only where the v are large: y_i += lambda v_i^2/sum_j v_j^4 turns v'(C - Diag y)v to zero for a
  /// fraction of the cost. Any y proves a bound. On a small problem the factorisation is cheaper than this
  /// repair. X as in the constructor.
  void settle(const Matrix& X) {
    if (X.cols() <= 128) return;
    Matrix gram = X * X.transpose();
    const Matrix K = G_ * X.transpose() - X * y_.asDiagonal() * X.transpose();
    gram.diagonal().array() += 1e-8 * static_cast<double>(X.cols());
    Vector values;
    Matrix vectors;
    generalised_eigen(K, gram, values, vectors);
    for (Index k = 0; k < K.rows(); ++k) {
      const double lambda = values[k];
      if (!(lambda > 0)) continue;
      const Eigen::ArrayXd squares = (X.transpose() * vectors.col(k)).array().square();
      if (!(squares.sum() > 0.5)) continue;  // 1, but where X has no such row: that is noise
      y_.array() += lambda * squares * (squares.sum() / squares.square().sum());
    }
    residual_ = y_.sum() - value_;
  }

  /// Does a Cholesky factorisation prove the bound value + allowed, with what rounding may have hidden?
  bool proves(double allowed, MixingSpace& space, Definite definite) const {
    const auto n = static_cast<double>(terms_.order());
    const double room = room_within(allowed);
    if (!(room > 0)) return false;
    if (terms_.order() >= 300) {  // from here on it is the faster one (measured)
      const double absolute =
          terms_.alpha * terms_.magnitude + 2 * terms_.h.template lpNorm<1>() + y_.lpNorm<1>();
      const double reserve = MixedCholesky::likely_error(terms_.order(), absolute);
      if (reserve < 0.75 * room) {
        slack((room - reserve) / n, space.S);
        const std::optional<double> error = space.mixed.error(space.S);
        if (!error) return false;
        if (*error * price() <= reserve) return true;
      }
    }
    slack(room / n, space.S);
    return definite(space.S);
  }

  /// The same by a sparse factorisation.
  bool proves(double allowed, SparseCholesky& sparse) const {
    const double room = room_within(allowed);
    return room > 0 && sparse.is_definite(y_.array() + room / static_cast<double>(terms_.order()));
  }

  /// The first bound that a sparse factorisation proves, as the gap grows twofold from `least`.
  double bound(double least, SparseCholesky& sparse) const {
    double allowed = least + std::max(0.0, residual_);
    while (std::isfinite(allowed) && !proves(allowed, sparse)) allowed *= 2;
    return value_ + allowed;
  }

  /// The best bound of this y, from the eigenvalues.
  double bound() const {
    Matrix S;
    slack(0, S);
    S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
    const double delta = proven_lambda_max(-S);
    return y_.sum() + static_cast<double>(terms_.order()) * delta + rounding(delta);
  }

 private:
  /// Diag(y) + delta I - C, on a^perp if lifted; the lower triangle, which is all that factorisations read.
  void slack(double delta, Matrix& S) const {
    const Index V = terms_.A.rows();
    S.resize(V + 1, V + 1);
    if constexpr (is_sparse) {
      S.setZero();
      S.topLeftCorner(V, V) = terms_.alpha * terms_.A;
    } else {
      for (Index j = 0; j < V; ++j) S.col(j).segment(j, V - j) = terms_.alpha * terms_.A.col(j).tail(V - j);
    }
    S.row(V).head(V) = -terms_.h.transpose();
    S.diagonal() = y_.array() + delta;
    if (!terms_.beta) return;
    S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
    Vector a = Vector::Ones(V + 1);
    a[V] = -*terms_.beta;
    S = Complement(std::move(a)).restrict(S);
  }

  /// <D, M> for a diagonal D of trace 1, at most: 1 for the unit diagonal of M. On a^perp the diagonal is that of HMH less
  /// a row, where H reflects e_1 to a/|a|: (HMH)_ii <= (1 + max(1, |beta|)/(|a| + 1))^2, since Ma = 0.
  double price() const {
    if (!terms_.beta) return 1;
    const double beta = *terms_.beta;
    const double length = std::sqrt(static_cast<double>(terms_.A.rows()) + beta * beta);
    return std::pow(1 + std::max(1.0, std::abs(beta)) / (length + 1), 2);
  }

  /// What delta may take of the gap in all.
  double room_within(double allowed) const {
    const auto n = static_cast<double>(terms_.order());
    return allowed - residual_ - rounding(std::max(0.0, allowed - residual_) / n);
  }

  /// A factorisation of S that succeeds is exact for S + E, |E| <= (n + 1) eps tr S, in whatever order of labels and of
  /// sums; terms that are zero only take away from E. The reflection and the sums add as much at most a few times.
  double rounding(double delta) const {
    const auto n = static_cast<double>(terms_.order());
    const double trace = y_.cwiseAbs().sum() + n * std::abs(delta) + std::abs(value_);
    return 4 * n * (n + 8) * std::numeric_limits<double>::epsilon() * trace;
  }

  MixingTerms<M> terms_;
  Matrix G_;  ///< XC - za'
  Vector y_;
  double value_ = 0;
  double residual_ = 0;  ///< sum y - value
};

/// Makes Xa = 0 exactly, x_n = e_1, by the shift of all other columns, x_v <- normalise(x_v - l): l minimises the
/// convex sum_v |x_v - l| + beta l_1, and Newton's method finds it. False if it does not (then X is unusable).
inline bool balance(Matrix& X, double beta) {
  const Index V = X.cols() - 1;
  const Index r = X.rows();
  Vector shift = Vector::Zero(r);
  Matrix moved(r, V);
  Vector inverse(V);
  const auto potential = [&](const Vector& l) {
    return (X.leftCols(V).colwise() - l).colwise().norm().sum() + beta * l[0];
  };
  double best = potential(shift);
  for (int step = 0; step < 60; ++step) {
    moved = X.leftCols(V).colwise() - shift;
    inverse = moved.colwise().norm().cwiseInverse();
    if (!inverse.allFinite()) return false;
    moved = moved * inverse.asDiagonal();
    Vector gradient = -moved.rowwise().sum();
    gradient[0] += beta;
    if (gradient.norm() <= 1e-12 * static_cast<double>(V)) break;
    // The Hessian sum_v (I - m m')/|x_v - l| may be singular where all columns are parallel.
    Matrix H = -(moved * inverse.asDiagonal()) * moved.transpose();
    H.diagonal().array() += inverse.sum() * (1 + 1e-12);
    const Vector direction = -ldlt_solve(H, gradient);
    double length = 1;
    while (length > 1e-8 && !(potential(shift + length * direction) <= best + 1e-13 * std::abs(best)))
      length /= 2;
    if (length <= 1e-8) break;
    shift += length * direction;
    best = potential(shift);
  }
  moved = X.leftCols(V).colwise() - shift;
  moved.colwise().normalize();
  Vector off = moved.rowwise().sum();
  off[0] -= beta;
  X.leftCols(V) = moved;
  return moved.allFinite() && off.norm() <= 1e-9 * static_cast<double>(V);
}

/// Makes sum_v x_v'x_n = beta: shifts the others along x_n, x_v <- normalise(x_v + t x_n), or turns x_n where
/// all u_v are nearly integral. False if neither does it.
inline bool balance_row(Matrix& X, double beta) {
  const Index V = X.cols() - 1;
  const Eigen::ArrayXd u = X.leftCols(V).transpose() * X.col(V);
  const auto excess = [&](double t) { return ((u + t) / (1 + 2 * t * u + t * t).sqrt()).sum() - beta; };
  double low = -0.5;
  double high = 0.5;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) < 0 ? low : high) = middle;
  }
  if (std::abs(excess(high)) <= 1e-10 * static_cast<double>(V)) {
    const Vector along = high * X.col(V);
    X.leftCols(V).colwise() += along;
    X.colwise().normalize();
    return true;
  }
  const Vector sum = X.leftCols(V).rowwise().sum();
  const double length = sum.norm();
  if (std::abs(beta) > length || length == 0) return false;
  const double cosine = beta / length;
  const Vector axis = sum / length;
  Vector side = X.col(V) - axis.dot(X.col(V)) * axis;
  for (Index i = 0; side.norm() < 1e-6; ++i) side = Vector::Unit(sum.size(), i) - axis[i] * axis;
  X.col(V) = cosine * axis + std::sqrt(1 - cosine * cosine) * side.normalized();
  return true;
}

}  // namespace concord::kit
