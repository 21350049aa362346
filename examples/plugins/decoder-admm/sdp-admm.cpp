// SPDX-License-Identifier: MIT
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <concord/kit/sdp_backend.hpp>

using concord::Matrix, concord::Vector;
using concord::kit::SdpAnswer, concord::kit::SdpProblem;

// The constraints as a linear map, M -> R(M): diag(PMP), and <E, M> in row form. P projects on a^perp with a lifted
// cardinality, where Ma = 0, and is the identity else.
class Constraints {
 public:
  explicit Constraints(const SdpProblem& problem)
      : n_(problem.order()), row_(problem.is_row()), P(Matrix::Identity(n_, n_)), b(Vector::Ones(count())) {
    if (problem.is_lifted()) P -= problem.a() * problem.a().transpose() / problem.a().squaredNorm();
    if (row_) b[n_] = problem.beta;
    Matrix gram = Matrix::Zero(count(), count());  // R R*
    gram.topLeftCorner(n_, n_) = P.cwiseAbs2();
    if (row_) gram(n_, n_) = static_cast<double>(n_ - 1) / 2;
    gram_.compute(gram);
  }
  Eigen::Index count() const { return row_ ? n_ + 1 : n_; }

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
  Eigen::Index n_;
  bool row_;
  Eigen::LDLT<Matrix> gram_;

 public:
  Matrix P;
  Vector b;  // R(M) = b
};

// Alternating directions on the dual: minimise b'y over S = R*(y) - K >= 0, K = PCP, with the primal M as the
// multiplier of that equation and sigma as its penalty.
class Admm {
 public:
  struct Options : concord::kit::SdpOptions {
    int64_t iterations;
  };
  static auto options() {
    return concord::OptionList<Options>{
        concord::opt("iterations", &Options::iterations, 20000).range(100, 1e9).help("eigendecompositions")};
  }
  static constexpr uint32_t flags = CONCORD_REENTRANT;

  explicit Admm(const Options& options) : iterations_(options.iterations) {}

  SdpAnswer solve(const SdpProblem& problem, double tol, const concord::Env& env) const {
    const Constraints R(problem);
    const Matrix K = R.P * problem.cost() * R.P;
    Matrix M = R.P, S = Matrix::Zero(M.rows(), M.cols());
    Vector y;
    double sigma = 1, primal = 0;
    for (int64_t i = 1; i <= iterations_; ++i) {
      if (env.interruption()) return {};
      y = R.solve_gram(R(K + S + M / sigma) - R.b / sigma);
      const Matrix slack = R.adjoint(y) - K;
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(slack - M / sigma);
      S = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
          eigen.eigenvectors().transpose();
      M += kStep * sigma * (S - slack);

      primal = (R(M) - R.b).cwiseAbs().maxCoeff();
      const double dual = (S - slack).norm() / problem.scale();
      const double gap = std::abs(R.b.dot(y) - K.cwiseProduct(M).sum()) / problem.scale();
      if (std::max(dual, gap) <= tol / 4 && primal <= std::min(tol / 4, kRepairable)) break;
      if (i % 10 != 0) continue;
      if (primal > 5 * dual) sigma /= 2;  // a small penalty makes the primal feasible sooner,
      if (dual > 5 * primal) sigma *= 2;  // a large one the dual
    }
    if (primal > kRepairable)
      throw std::runtime_error("no feasible M after " + std::to_string(iterations_) + " iterations");
    SdpAnswer answer;
    answer.M = M;
    answer.y = y.head(problem.order());
    if (problem.is_row()) answer.mu = y[problem.order()];
    return answer;
  }

 private:
  static constexpr double kRepairable =
      5e-5;                             // the kit repairs an M that violates its constraints by up to 1e-4
  static constexpr double kStep = 1.6;  // it converges below the golden ratio, and faster than with 1
  int64_t iterations_;
};

CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Admm>, "sdp-admm", "semidefinite relaxation by ADMM")
