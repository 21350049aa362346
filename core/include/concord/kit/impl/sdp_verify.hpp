// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp_verify.hpp.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include <concord/kit/sdp_verify.hpp>

namespace concord::kit {

namespace detail {

template <class... Parts>
[[noreturn]] void sdp_fault(const Parts&... parts) {
  std::ostringstream text;
  text << "the solver's answer is wrong: ";
  (text << ... << parts);
  throw std::runtime_error(text.str());
}

CONCORD_KIT_INLINE void check_dual(Index n, const SdpAnswer& answer) {
  if (answer.y.size() != n) sdp_fault("y has ", answer.y.size(), " entries, not ", n);
  if (!answer.y.allFinite() || !std::isfinite(answer.mu)) sdp_fault("the dual variables are not finite");
}

CONCORD_KIT_INLINE void check_shape(const SdpProblem& problem, const SdpAnswer& answer) {
  const Index n = problem.order();
  if (answer.M.size() > 0 && (answer.M.rows() != n || answer.M.cols() != n))
    sdp_fault("M is ", answer.M.rows(), " x ", answer.M.cols(), ", not ", n, " x ", n);
  if (answer.M.size() == 0 && answer.X.cols() != n)
    sdp_fault("the factor of M has ", answer.X.cols(), " columns, not ", n);
  if (!answer.M.allFinite() || !answer.X.allFinite()) sdp_fault("M has an entry that is not finite");
  check_dual(n, answer);
}

CONCORD_KIT_INLINE void check_feasible(const SdpProblem& problem, const Matrix& M) {
  const Index n = M.rows();
  Index i = 0, j = 0;
  if (const double off = (M - M.transpose()).cwiseAbs().maxCoeff(&i, &j); off > kSdpSlack)
    sdp_fault("M is not symmetric, entries (", i, ",", j, ") and (", j, ",", i, ") differ by ", off);
  if ((M.diagonal().array() - 1).abs().maxCoeff(&i) > kSdpSlack)
    sdp_fault("the diagonal of M is not 1, entry ", i, " is ", M(i, i));
  if (!problem.has_cardinality()) return;
  if (const double sum = M.col(n - 1).head(n - 1).sum();
      std::abs(sum - problem.beta) > kSdpSlack * static_cast<double>(n))
    sdp_fault("M breaks the cardinality, its u sums to ", sum, " and not to ", problem.beta);
  if (!problem.is_lifted()) return;
  const Vector a = problem.a();
  if (const double off = (M * a).norm() / a.norm(); off > kSdpSlack * static_cast<double>(n))
    sdp_fault("M breaks the lifted cardinality, |Ma|/|a| is ", off);
}

CONCORD_KIT_INLINE void check_objective(double value, double claimed, double scale) {
  if (std::isnan(claimed)) return;
  if (!(std::abs(value - claimed) <= kSdpSlack * std::max(std::abs(value), scale)))
    sdp_fault("it reports the objective ", claimed, ", and <C,M> is ", value);
}

/// Unit columns; a column of zeros, which says nothing about its label, becomes e_1.
CONCORD_KIT_INLINE void scale_columns(Matrix& X) {
  for (Index i = 0; i < X.cols(); ++i) {
    const double norm = X.col(i).norm();
    if (norm > 1e-100) {
      X.col(i) /= norm;
    } else {
      X.col(i) = Vector::Unit(X.rows(), 0);
    }
  }
}

/// Turns x_n in the plane of x_n and s = sum_v x_v until s'x_n = beta.
CONCORD_KIT_INLINE void turn_to_row(Matrix& X, double beta) {
  const Index V = X.cols() - 1;
  const Vector s = X.leftCols(V).rowwise().sum();
  const double length = s.norm();
  if (!(length > 0)) return;
  const Vector direction = s / length;
  const double cosine = std::clamp(beta / length, -1.0, 1.0);
  Vector across = X.col(V) - direction.dot(X.col(V)) * direction;
  if (across.norm() > 1e-100) across.normalize();
  X.col(V) = (cosine * direction + std::sqrt(1 - cosine * cosine) * across).normalized();
}

/// Alternates between Xa = 0 and unit columns until both hold.
CONCORD_KIT_INLINE void meet_lifted(Matrix& X, const Vector& a) {
  for (int i = 0; i < 200; ++i) {
    const Vector off = X * a;
    if (off.norm() <= 1e-11 * a.norm()) return;
    X.noalias() -= off * (a / a.squaredNorm()).transpose();
    scale_columns(X);
  }
}

/// What is left of the constraints, relative to the number of labels.
CONCORD_KIT_INLINE double residual(const SdpProblem& problem, const Matrix& X) {
  const Index V = problem.labels();
  if (!problem.has_cardinality()) return 0;
  if (problem.is_row())
    return std::abs(X.col(V).dot(X.leftCols(V).rowwise().sum()) - problem.beta) / static_cast<double>(V);
  const Vector a = problem.a();
  return (X * a).norm() / static_cast<double>(V);
}

}  // namespace detail

CONCORD_KIT_INLINE double factor_value(const SdpProblem& problem, const Matrix& F) {
  return F.col(0).dot(problem.c) - (problem.A * F).cwiseProduct(F).sum();
}

CONCORD_KIT_INLINE Matrix repaired(const SdpProblem& problem, Matrix X) {
  detail::scale_columns(X);
  if (problem.is_row()) detail::turn_to_row(X, problem.beta);
  if (problem.is_lifted()) detail::meet_lifted(X, problem.a());
  return X;
}

CONCORD_KIT_INLINE Matrix verified_factor(const SdpProblem& problem, const SdpAnswer& answer, double tol) {
  detail::check_shape(problem, answer);
  Matrix M = answer.M.size() > 0 ? answer.M : answer.X.transpose() * answer.X;
  detail::check_feasible(problem, M);
  M = (M + M.transpose()).eval() / 2;
  const double value = problem.cost().cwiseProduct(M).sum();
  detail::check_objective(value, answer.objective, problem.scale());
  const auto judged = [&](const Matrix& X) {
    if (const double off = detail::residual(problem, X); !(off <= 5e-7))
      detail::sdp_fault("M cannot be made to satisfy the cardinality, a residual of ", off, " V is left");
    return factor_of(X);
  };
  if (answer.M.size() == 0 && answer.X.rows() <= M.rows()) return judged(repaired(problem, answer.X));
  if (problem.is_lifted()) {  // (I - aa'/a'a) M (I - aa'/a'a)
    const Vector a = problem.a() / problem.a().norm();
    const Vector Ma = M * a;
    M -= Ma * a.transpose() + a * Ma.transpose() - a.dot(Ma) * a * a.transpose();
  }
  Vector lambda;
  Matrix vectors;
  if (!symmetric_eigen(M, lambda, &vectors)) detail::sdp_fault("the eigenvalues of M cannot be computed");
  const double largest = lambda[M.rows() - 1];
  if (lambda[0] < -kSdpSlack * std::max(1.0, largest))
    detail::sdp_fault("M is not positive semidefinite, it has the eigenvalue ", lambda[0]);
  const double least = value - tol / 2 * std::max(std::abs(value), problem.scale());
  const auto above = [&](double floor) {
    const Index rank = (lambda.array() > floor * largest).count();
    return repaired(problem,
                    lambda.tail(rank).cwiseSqrt().asDiagonal() * vectors.rightCols(rank).transpose());
  };
  for (const double floor : {tol, tol / 1000}) {
    const Matrix X = above(floor);
    if (detail::residual(problem, X) > 1e-9) continue;
    Matrix F = factor_of(X);
    if (factor_value(problem, F) >= least) return F;
  }
  return judged(above(1e-14));
}

}  // namespace concord::kit
