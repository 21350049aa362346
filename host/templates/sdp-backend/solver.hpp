// SPDX-License-Identifier: MIT
#pragma once
// From a problem to M and y: put the call of your solver here. This one alternates directions on the dual, minimise b'y over
// S = R*(y) - K >= 0, with M as the multiplier of that equation and sigma as its penalty.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <concord/kit/sdp_answer.hpp>
#include <concord/kit/sdp_work.hpp>

/// The constraints as a linear map, M -> R(M): diag(PMP), and <E, M> in row form. P projects on a^perp with a lifted
/// cardinality, and is the identity else. (An interior-point solver takes kit::SdpReduced.)
class Constraints {
 public:
  using Vector = concord::kit::Vector;
  using Matrix = concord::kit::Matrix;

  explicit Constraints(const concord::kit::SdpProblem& problem)
      : n_(problem.order()), row_(problem.is_row()), P(Matrix::Identity(n_, n_)), b(Vector::Ones(count())) {
    if (problem.is_lifted()) P -= problem.a() * problem.a().transpose() / problem.a().squaredNorm();
    if (row_) b[n_] = problem.beta;
    Matrix gram = Matrix::Zero(count(), count());  // R R*
    gram.topLeftCorner(n_, n_) = P.cwiseAbs2();
    if (row_) gram(n_, n_) = static_cast<double>(n_ - 1) / 2;
    gram_.compute(gram);
  }
  Vector operator()(const Matrix& M) const {
    Vector out(count());
    out.head(n_) = (P * M).cwiseProduct(P).rowwise().sum();
    if (row_) out[n_] = M.col(n_ - 1).head(n_ - 1).sum();
    return out;
  }
  Matrix adjoint(const Vector& y) const {
    Matrix out = P * y.head(n_).asDiagonal() * P;
    if (row_) out.col(n_ - 1).head(n_ - 1).array() += y[n_] / 2;
    if (row_) out.row(n_ - 1).head(n_ - 1).array() += y[n_] / 2;
    return out;
  }
  Vector solve_gram(const Vector& right) const { return gram_.solve(right); }

 private:
  Eigen::Index count() const { return row_ ? n_ + 1 : n_; }

  Eigen::Index n_;
  bool row_;
  Eigen::LDLT<Matrix> gram_;

 public:
  Matrix P;
  Vector b;  ///< R(M) = b
};

inline concord::kit::SdpAnswer solve(const concord::kit::SdpProblem& problem, concord::kit::SdpWork& work) {
  using concord::kit::Matrix, concord::kit::Vector;
  constexpr double feasible =
      2.5e-7;                   // of M's constraints; the kit repairs more, but not with every cardinality
  constexpr double step = 1.6;  // it converges below the golden ratio, and faster than with 1
  const Constraints R(problem);
  const Matrix K = R.P * problem.cost() * R.P;
  Matrix M = R.P, S = Matrix::Zero(M.rows(), M.cols());
  Vector y;
  double sigma = 1, primal = 0;
  bool converged = false;
  const int64_t iterations = work.options.integer("iterations");
  for (int64_t i = 1; i <= iterations && work.seconds_left() > 0; ++i) {
    y = R.solve_gram(R(K + S + M / sigma) - R.b / sigma);
    const Matrix slack = R.adjoint(y) - K;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(slack - M / sigma);
    S = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
        eigen.eigenvectors().transpose();
    M += step * sigma * (S - slack);

    primal = (R(M) - R.b).cwiseAbs().maxCoeff();
    const double dual = (S - slack).norm() / problem.scale();
    const double gap = std::abs(R.b.dot(y) - K.cwiseProduct(M).sum()) / problem.scale();
    converged = std::max(dual, gap) <= work.tol / 4 && primal <= std::min(work.tol / 4, feasible);
    if (converged) break;
    if (i % 10 == 0 && primal > 5 * dual) sigma /= 2;
    if (i % 10 == 0 && dual > 5 * primal) sigma *= 2;
    if (i % 1000 == 0)
      work.log(CONCORD_LOG_DEBUG, std::to_string(i) + " iterations, gap " + std::to_string(gap));
  }
  if (y.size() == 0) throw std::runtime_error("no time for a single iteration");
  concord::kit::SdpAnswer answer;
  answer.y = y.head(problem.order());
  if (problem.is_row()) answer.mu = y[problem.order()];
  answer.M = M;
  // Of a solve that was cut short M may not do. Then there is y, which proves a bound whatever it is.
  answer.cut = !converged;
  if (answer.cut) answer.remark = "ADMM did not converge";
  return answer;
}
