// SPDX-License-Identifier: MIT
#pragma once
// The sphere problem by one nonsymmetric eigenproblem, the way of the paper (Gander, Golub, von Matt 1989):
// the multiplier lambda = lambda_min - mu of max { w'c - w'Mw : ||w|| = R } is the eigenvalue of smallest
// real part of
//   S = [[M, -g I], [-c c'/(4 R^2 g), M]]        for any g > 0; g = ||c||/(2R) balances the two blocks.
// In the hard case that eigenvalue is double and defective: it is computed to sqrt(eps) only, often as a
// complex pair. Its real part is good enough, because the norm is then fitted along the bottom eigenspace B
// of M, where w is free.
#include <algorithm>
#include <cmath>

#include <concord/kit/lapack.hpp>
#include <concord/kit/spectral.hpp>

namespace concord::spectral_qep {

struct QepSolution {
  Eigen::VectorXd w;  ///< in the coordinates of the eigenbasis, without padding
  double value = 0;
  double bound = 0;
};

/// The smallest real part of an eigenvalue of S. requires c != 0
inline double smallest_real_part(const Eigen::MatrixXd& M, const Eigen::VectorXd& c, double R) {
  const Eigen::Index n = c.size();
  const Eigen::VectorXd direction = c.normalized();
  const double g = c.norm() / (2 * R);
  Eigen::MatrixXd S(2 * n, 2 * n);
  S << M, -g * Eigen::MatrixXd::Identity(n, n), -g * direction * direction.transpose(), M;
  Eigen::VectorXd real, imaginary;
  kit::lapack_eigenvalues(S, real, imaginary);
  return real.minCoeff();
}

/// Maximises w'c - w'Mw over ||w|| = R. c is in the coordinates of M, rotated in those of its eigenvectors.
/// `magnitude` is the norm of what c was computed from.
inline QepSolution solve_qep(const Eigen::MatrixXd& M, const kit::Spectrum& spectrum,
                             const Eigen::VectorXd& c, Eigen::VectorXd rotated, double magnitude, double R) {
  double scale = std::max(spectrum.unit, kit::power_above(c.lpNorm<Eigen::Infinity>()));
  if (scale == 0) scale = 1;
  const double sigma = spectrum.unit / scale;
  const Eigen::ArrayXd d = sigma * spectrum.d.head(spectrum.size);
  const Eigen::ArrayXd lambda = sigma * spectrum.lambda.head(spectrum.size);
  rotated /= scale;
  auto on_bottom = rotated.head(spectrum.bottom);
  const double left_out = on_bottom.norm();
  const bool orthogonal = left_out <= spectrum.negligible() * magnitude / scale;
  if (orthogonal) on_bottom.setZero();

  QepSolution out;
  double mu = 0;
  if (rotated.isZero(0)) {
    out.w = rotated;
  } else {  // a mu of 0 or less is rounding; the dual needs mu > 0
    const double least = std::max(spectrum.negligible() * lambda.abs().maxCoeff(), 1e-290);
    mu = std::max(least, lambda[0] - smallest_real_part(M / scale, c / scale, R));
    out.w = 0.5 * rotated.array() / (d + mu);
  }
  out.bound = 0.5 * rotated.dot(out.w) - (lambda[0] - mu) * R * R + (orthogonal ? left_out * R : 0);

  auto bottom = out.w.head(spectrum.bottom);
  if (orthogonal) bottom = spectrum.bottom_direction;
  const double above = out.w.tail(out.w.size() - spectrum.bottom).norm();
  if (above < R && bottom.norm() > 0) {
    bottom *= std::sqrt(R * R - above * above) / bottom.norm();
  } else if (orthogonal) {
    bottom.setZero();
  }
  out.w *= R / out.w.norm();
  out.value = scale * (out.w.dot(rotated) - (lambda * out.w.array().square()).sum());
  out.bound = std::max(scale * out.bound, out.value);
  return out;
}

}  // namespace concord::spectral_qep
