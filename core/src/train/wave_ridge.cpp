// SPDX-License-Identifier: MIT
// Ridge regression on random Fourier features, with exact leave-one-out scores.
#include <Eigen/Dense>
#include <lapack.h>
#include <utility>

#include "base/error.hpp"
#include "train/bases.hpp"

namespace concord {
namespace {

constexpr int64_t kRows = 1024;  // whose waves are in memory at once
constexpr int64_t kPanel = 128;  // columns of M that one thread adds to
constexpr int64_t kSolved = 64;  // rows that one thread solves for

/// The waves of `count` rows of X from `begin` on, and a constant 1.
RowMatrix waves_and_one(const Waves& waves, const Features& X, int64_t begin, int64_t count,
                        ThreadPool& pool) {
  RowMatrix phi(count, waves.phases.size() + 1);
  phi << waves.of(X.middle_rows(begin, count), &pool), Eigen::VectorXd::Ones(count);
  return phi;
}

/// Calls visit(begin, phi) for all rows of X, piece after piece.
template <class Visit>
void for_waves(const Waves& waves, const Features& X, ThreadPool& pool, Visit&& visit) {
  for (int64_t begin = 0; begin < X.rows(); begin += kRows)
    visit(begin, waves_and_one(waves, X, begin, std::min(kRows, X.rows() - begin), pool));
}

}  // namespace

RowMatrix wave_ridge(const Waves& waves, double lambda, const Features& X, const LabelMatrix& Y,
                     Eigen::MatrixXd& scores, ThreadPool& pool) {
  const int64_t n = waves.phases.size() + 1, V = Y.rows();
  Eigen::MatrixXd M = lambda * Eigen::MatrixXd::Identity(n, n);  // its lower triangle
  Eigen::MatrixXd beta = Eigen::MatrixXd::Zero(n, V);            // Phi'Z, and then M^-1 Phi'Z
  const auto labels = [&](int64_t begin, int64_t count) -> Eigen::MatrixXd {
    return (Y.middleCols(begin, count) > 0).cast<double>();
  };
  for_waves(waves, X, pool, [&](int64_t begin, const RowMatrix& phi) {
    const Eigen::MatrixXd Z = labels(begin, phi.rows());
    for_pieces(n, kPanel, &pool, [&](int64_t first, int64_t count) {
      const auto panel = phi.middleCols(first, count);
      M.block(first, first, n - first, count).noalias() += phi.rightCols(n - first).transpose() * panel;
      beta.middleRows(first, count).noalias() += panel.transpose() * Z.transpose();
    });
  });
  const int size = static_cast<int>(n);
  int info = 0;
  LAPACK_dpotrf("L", &size, M.data(), &size, &info);
  if (info != 0)
    fail(
        Fault::input,
        "the products of random Fourier features plus lambda I cannot be factorised (row {}): a larger lambda "
        "than {} helps, or features that are finite numbers",
        info, lambda);
  const auto L = std::as_const(M).triangularView<Eigen::Lower>();
  L.solveInPlace(beta);
  L.transpose().solveInPlace(beta);

  scores.resize(V, X.rows());
  for_waves(waves, X, pool, [&](int64_t begin, const RowMatrix& phi) {
    for_pieces(phi.rows(), kSolved, &pool, [&](int64_t first, int64_t count) {
      Eigen::MatrixXd solved = phi.middleRows(first, count).transpose();
      auto own = scores.middleCols(begin + first, count);
      own.noalias() = beta.transpose() * solved;
      L.solveInPlace(solved);
      const Eigen::RowVectorXd h = solved.colwise().squaredNorm();
      own -= labels(begin + first, count) * h.asDiagonal();
      own *= (1 - h.array()).inverse().matrix().asDiagonal();
    });
  });
  return beta;
}

}  // namespace concord
