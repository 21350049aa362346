// SPDX-License-Identifier: MIT
#pragma once
// The dual bound of the SDP for any y (and mu), rounding included: a proof whatever the solver that found y.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/sdp.hpp>

namespace concord::kit {

/// A number that lambda_max(S) does not exceed, above it by a few units of rounding. The eigenvalue solver
/// only guesses t. If the Cholesky factorisation of P = tI - S runs to its end in floating point, then
/// lambda_min(P) >= -gamma/(1 - gamma) tr P with gamma = (n+1) epsilon, which is the proof.
inline double proven_lambda_max(const Matrix& S) {
  if (!S.allFinite()) throw std::invalid_argument("proven_lambda_max: the matrix is not finite");
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(S.rows());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(S, Eigen::EigenvaluesOnly);
  const double size = S.norm() + std::numeric_limits<double>::min();
  double t = solver.info() == Eigen::Success ? solver.eigenvalues()[S.rows() - 1] : size;
  for (double step = 2 * n * epsilon * size;; step *= 4) {
    t += step;
    Matrix P = -S;
    P.diagonal().array() += t;
    const double trace = P.trace();
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(P);
    if (cholesky.info() == Eigen::Success && P.diagonal().minCoeff() > 0 && std::isfinite(P.sum()))
      return t + 2 * (n + 2) * epsilon * trace + 2 * epsilon * (std::abs(t) + size);
  }
}

/// sum y + n lambda_max(C - Diag y), see sdp.hpp: no labelling has a larger objective.
inline double proven_bound(const SdpProblem& problem, const Vector& y, double mu = 0) {
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
