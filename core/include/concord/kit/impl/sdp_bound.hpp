// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp_bound.hpp.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/sdp_bound.hpp>

namespace concord::kit {

/// The eigenvalue solver only guesses t. If the Cholesky factorisation of P = tI - S runs to its end in floating point, then
/// lambda_min(P) >= -gamma/(1 - gamma) tr P with gamma = (n+1) epsilon, which is the proof.
CONCORD_KIT_INLINE double proven_lambda_max(const Matrix& S) {
  if (!S.allFinite()) throw std::invalid_argument("proven_lambda_max: the matrix is not finite");
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(S.rows());
  Vector values;
  const double size = S.norm() + std::numeric_limits<double>::min();
  double t = symmetric_eigen(S, values) ? values[S.rows() - 1] : size;
  for (double step = 2 * n * epsilon * size;; step *= 4) {
    t += step;
    Matrix P = -S;
    P.diagonal().array() += t;
    const double trace = P.trace();
    if (eigen_definite(P) && P.diagonal().minCoeff() > 0 && std::isfinite(P.sum()))
      return t + 2 * (n + 2) * epsilon * trace + 2 * epsilon * (std::abs(t) + size);
  }
}

CONCORD_KIT_INLINE double proven_bound(const SdpProblem& problem, const Vector& y, double mu) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(problem.order());
  if (!problem.is_row()) mu = 0;
  Matrix S = problem.cost(mu);
  S.diagonal() -= y;
  double formed = 2 * epsilon * S.norm();  // the rounding in S itself, as a matrix
  if (problem.is_lifted()) {
    formed *= 4 * (n + 2);
    S = Complement(problem.a()).restrict(S);
    S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
  }
  const double lambda = proven_lambda_max(S) + formed;
  const double row = problem.is_row() ? mu * problem.beta : 0;
  const double rounding = 2 * (n + 2) * epsilon * (y.cwiseAbs().sum() + n * std::abs(lambda) + std::abs(row));
  return y.sum() + n * lambda + row + rounding;
}

}  // namespace concord::kit
