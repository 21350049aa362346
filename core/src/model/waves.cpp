// SPDX-License-Identifier: MIT
// Random Fourier features.
#include <cmath>
#include <numbers>

#include <concord/kit/rng.hpp>

#include "model/bases.hpp"

namespace concord {

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
