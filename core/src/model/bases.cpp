// SPDX-License-Identifier: MIT
#include "model/bases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "model/linear.hpp"

namespace concord {
namespace {

/// X in the form that Z has.
Features as_stored(const Features& X, int64_t begin, int64_t count, bool sparse) {
  Features chosen = X.middle_rows(begin, count);
  if (chosen.is_sparse() == sparse) return chosen;
  return sparse ? Features(SparseMatrix(chosen.dense().sparseView())) : Features(RowMatrix(chosen.sparse()));
}

}  // namespace

KernelRows::KernelRows(const Features& Z) : Z_(Z), norms_(squared_row_norms(Z)) {
  if (Z.is_sparse()) by_feature_ = Z.sparse().transpose();
}

Eigen::MatrixXd KernelRows::squared_distances(const Features& X, int64_t begin, int64_t count) const {
  if (X.columns() != Z_.columns())
    fail(Fault::input, "the data have {} features, and the rows of the kernel {}", X.columns(), Z_.columns());
  const Features chosen = as_stored(X, begin, count, Z_.is_sparse());
  Eigen::MatrixXd D(Z_.rows(), count);
  if (Z_.is_sparse()) {
    D.setZero();
    for (int64_t i = 0; i < count; ++i)
      chosen.for_row(i, [&](int64_t j, double x) {
        for (SparseMatrix::InnerIterator it(by_feature_, j); it; ++it) D(it.col(), i) += x * it.value();
      });
  } else {
    D.noalias() = Z_.dense() * chosen.dense().transpose();
  }
  const Eigen::VectorXd own = squared_row_norms(chosen);
  for (int64_t i = 0; i < count; ++i)  // rounding may leave a distance of zero below zero
    D.col(i) = (own(i) + norms_.array() - 2 * D.col(i).array()).max(0.0);
  return D;
}

void apply_kernel(Kernel kernel, double width, Eigen::Ref<Eigen::MatrixXd> D) {
  if (kernel == Kernel::rbf)
    D = (D.array() * (-1 / (2 * width * width))).exp();
  else
    D = (D.array().sqrt() * (-1 / width)).exp();
}

double rms_distance(const Features& X) {
  const auto N = static_cast<double>(X.rows());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(X.columns());
  double squares = 0;
  for (int64_t i = 0; i < X.rows(); ++i)
    X.for_row(i, [&](int64_t j, double x) {
      mean(j) += x / N;
      squares += x * x / N;
    });
  const double spread = squares - mean.squaredNorm();
  return spread > 1e-12 * squares ? std::sqrt(2 * spread) : 1;
}

std::vector<Eigen::MatrixXd> base_scores(const Bases& bases, const Features& scaled, const RowMatrix& given,
                                         ThreadPool* pool, Eigen::MatrixXd* direct) {
  std::vector<Eigen::MatrixXd> scores;
  const int64_t n = scaled.rows();
  if (!bases.kernels.empty()) {
    scores.assign(bases.kernels.size(), Eigen::MatrixXd(bases.labels, n));
    if (direct != nullptr) direct->setZero(static_cast<int64_t>(bases.targets.size()), n);
    const KernelRows kernel_rows(bases.rows);
    for_pieces(n, KernelRows::kChunk, pool, [&](int64_t begin, int64_t count) {
      const Eigen::MatrixXd distances = kernel_rows.squared_distances(scaled, begin, count);
      for (size_t m = 0; m < bases.kernels.size(); ++m) {
        const KernelRidge& base = bases.kernels[m];
        Eigen::MatrixXd K = distances;
        apply_kernel(base.kernel, base.width, K);
        K.array() += 1;
        scores[m].middleCols(begin, count).noalias() = base.alpha.transpose() * K;
        if (direct != nullptr) direct->middleCols(begin, count).noalias() += base.direct.transpose() * K;
      }
    });
  }
  if (bases.waves.beta.size() > 0) {
    const int64_t waves = bases.waves.beta.rows() - 1;
    Eigen::MatrixXd S(bases.labels, n);
    for_pieces(n, KernelRows::kChunk, pool, [&](int64_t begin, int64_t count) {
      const RowMatrix features = bases.waves.waves.of(scaled.middle_rows(begin, count), nullptr);
      S.middleCols(begin, count).noalias() =
          bases.waves.beta.topRows(waves).transpose() * features.transpose();
    });
    S.colwise() += bases.waves.beta.row(waves).transpose();
    scores.insert(scores.begin(), std::move(S));
  }
  if (bases.W.size() > 0) {
    const int64_t d = scaled.columns();
    Eigen::MatrixXd S(bases.W.cols(), n);
    const RowMatrix linear = bases.W.topRows(d);
    for_pieces(n, KernelRows::kChunk, pool, [&](int64_t begin, int64_t count) {
      S.middleCols(begin, count) = block_scores(linear, scaled, begin, count);
    });
    S.colwise() += bases.W.row(d).transpose();
    scores.push_back(std::move(S));
  }
  for (int64_t m = 0; m < bases.given; ++m)
    scores.emplace_back(given.middleCols(m * bases.labels, bases.labels).transpose());
  return scores;
}

Eigen::MatrixXd stacked(const Eigen::VectorXd& weights, const Eigen::VectorXd& offsets,
                        const std::vector<Eigen::MatrixXd>& scores) {
  Eigen::MatrixXd sum = weights(0) * scores.front();
  for (size_t m = 1; m < scores.size(); ++m) sum += weights(static_cast<int64_t>(m)) * scores[m];
  sum.colwise() += offsets;
  return sum;
}

Waves Waves::draw(int64_t columns, int64_t n, double width, uint64_t seed) {
  kit::Rng rng(seed);
  Waves waves{RowMatrix(columns, n), Eigen::VectorXd(n)};
  for (double& frequency : waves.frequencies.reshaped()) frequency = rng.normal() / width;
  for (double& phase : waves.phases) phase = 2 * std::numbers::pi * rng.uniform();
  return waves;
}

RowMatrix Waves::of(const Features& X, ThreadPool* pool) const {
  constexpr int64_t kRows = 64;  // of one piece
  RowMatrix waves(X.rows(), phases.size());
  const double amplitude = std::sqrt(2.0 / static_cast<double>(phases.size()));
  for_pieces(X.rows(), kRows, pool, [&](int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      Eigen::VectorXd angles = phases;
      X.for_row(i, [&](int64_t j, double x) {
        if (x != 0) angles += x * frequencies.row(j).transpose();
      });
      for (int64_t n = 0; n < angles.size(); ++n) waves(i, n) = amplitude * std::cos(angles(n));
    }
  });
  return waves;
}

}  // namespace concord
