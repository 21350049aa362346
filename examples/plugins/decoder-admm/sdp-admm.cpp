// SPDX-License-Identifier: MIT
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <concord/kit/sdp_backend.hpp>

// Alternating directions on the dual: min b'y over R'y - K = S >= 0, with Z as the multiplier.
class Admm {
 public:
  struct Options : concord::kit::SdpOptions {
    int64_t iterations;
  };
  static auto options() {
    return concord::OptionList<Options>{
        concord::opt("iterations", &Options::iterations, 20000).range(1, 1e9).help("eigendecompositions")};
  }
  static constexpr uint32_t flags = CONCORD_REENTRANT;

  explicit Admm(const Options& options) : iterations_(options.iterations) {}

  concord::kit::SdpAnswer solve(const concord::kit::SdpProblem& problem, double tol,
                                const concord::Env& env) const {
    using concord::Matrix, concord::Vector;
    const concord::kit::SdpReduced reduced(problem);  // maximise <K, Z>, R vec(Z) = b
    const Eigen::Index m = reduced.order(), count = reduced.constraints();
    const Matrix& K = reduced.cost();
    Matrix R(count, m * m);
    Vector b(count), y(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      R.row(i) = reduced.constraint(i).reshaped().transpose();
      b[i] = reduced.right_side(i);
    }
    const Eigen::LDLT<Matrix> gram(R * R.transpose());
    Matrix Z = Matrix::Identity(m, m), S = Matrix::Zero(m, m);
    for (int64_t i = 0; i < iterations_; ++i) {
      if (env.interruption()) return {};
      y = gram.solve(R * (K + S).reshaped() + R * Z.reshaped() - b);
      const Matrix slack = (R.transpose() * y).reshaped(m, m) - K;
      const Matrix W = slack - Z;
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(W);
      S = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
          eigen.eigenvectors().transpose();
      Z = S - W;
      const double error =
          (R * Z.reshaped() - b).norm() + (slack - S).norm() + std::abs(b.dot(y) - K.cwiseProduct(Z).sum());
      if (error <= tol / 2 * problem.scale()) break;
    }
    concord::kit::SdpAnswer answer;
    answer.M = reduced.expand(Z);
    answer.y = y.head(problem.order());
    if (problem.is_row()) answer.mu = y[count - 1];
    return answer;
  }

 private:
  int64_t iterations_;
};

CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Admm>, "sdp-admm", "semidefinite relaxation by ADMM")
