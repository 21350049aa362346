// SPDX-License-Identifier: MIT
#pragma once
// The secular equation: maximise w'c - w'Mw over the sphere ||w|| = R, given the eigenvalues of M.
//
// In the eigenbasis, with d_j = lambda_j - lambda_min >= 0, the maximiser is w_j = c_j / (2(d_j + mu)) for
// the one mu > 0 with N(mu) = ||w|| = R. 1/N is concave and increasing, so Newton's method on it converges
// from anywhere, monotonically from the left of the root. For any mu > 0, right or not, the dual
//   1/4 sum_j c_j^2 / (d_j + mu) - (lambda_min - mu) R^2
// is an upper bound. Hard case: c vanishes on the bottom eigenspace B and N(0) <= R; then mu = 0 and the
// missing norm goes along a fixed direction of B.
//
// All arrays are padded to a multiple of `lane` numbers, so that every loop is a whole number of vectors.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace concord::kit {

using Eigen::Index;

constexpr Index lane = 8;
using Lane = Eigen::Array<double, lane, 1>;
inline Index padded(Index n) {
  return (n + lane - 1) / lane * lane;
}
inline Eigen::Map<const Lane> lane_at(const double* x, Index i) {
  return Eigen::Map<const Lane>(x + i);
}

/// The smallest power of two above |x|, 0 for 0: a scale that costs no bits. Its inverse does not overflow.
inline double power_above(double x) {
  if (x == 0) return 0;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1023));
}

/// ||x||, also where its square would overflow or vanish.
inline double safe_norm(const Eigen::Ref<const Eigen::VectorXd>& x) {
  const double scale = power_above(x.lpNorm<Eigen::Infinity>());
  return scale == 0 ? 0 : scale * (x * (1 / scale)).norm();
}

/// The eigenvalues of a symmetric matrix M, divided by `unit`, a power of two near its largest entry.
struct Spectrum {
  Index size = 0;                   ///< n, without the padding
  double unit = 0;                  ///< M = unit * E Diag(lambda) E'
  Eigen::ArrayXd lambda;            ///< ascending; the padding is 0
  Eigen::ArrayXd d;                 ///< lambda_j - lambda_min; the padding is 1
  Index bottom = 0;                 ///< |B|: d_j <= 16 n eps max|lambda_j| for j < bottom
  Eigen::ArrayXd bottom_direction;  ///< unit vector in B for the hard case

  double negligible() const {
    return 16 * static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  }

  /// From ascending eigenvalues, already divided by the unit. `magnitude` is the norm of what M was computed
  /// from, if that is larger. The caller sets bottom_direction.
  static Spectrum of(const Eigen::VectorXd& values, double unit, double magnitude) {
    Spectrum s;
    s.size = values.size();
    s.unit = unit;
    s.lambda = Eigen::ArrayXd::Zero(padded(s.size));
    s.lambda.head(s.size) = values.array();
    s.d = Eigen::ArrayXd::Ones(padded(s.size));
    s.d.head(s.size) = values.array() - values[0];
    const double tolerance = s.negligible() * std::max(values.cwiseAbs().maxCoeff(), magnitude);
    while (s.bottom < s.size && s.d[s.bottom] <= tolerance) ++s.bottom;
    return s;
  }
};

/// An optimum on the sphere, in the units of the problem that was passed.
struct SecularSolution {
  double mu = 0;
  double value = 0;  ///< primal, at the returned w
  double bound = 0;  ///< dual, at mu; never below value
  bool hard = false;
};

namespace detail {

// Below this nothing is squared or inverted, so neither underflow nor 1/0 can happen.
constexpr double tiny = 1e-290;

struct SecularSums {
  double N2;  ///< ||w||^2
  double T;   ///< sum w_j^2 / (sigma d_j + mu)
};

/// w = c / (2(sigma d + mu)) and its sums.
inline SecularSums secular_pass(const Spectrum& s, double sigma, const double* c, double mu, double* w) {
  Lane N2 = Lane::Zero();
  Lane T = Lane::Zero();
  for (Index i = 0; i < s.d.size(); i += lane) {
    const Lane g = (sigma * lane_at(s.d.data(), i) + mu).inverse();
    const Lane z = 0.5 * lane_at(c, i) * g;
    const Lane z2 = z * z;
    Eigen::Map<Lane>(w + i) = z;
    N2 += z2;
    T += z2 * g;
  }
  return {N2.sum(), T.sum()};
}

/// A mu at or left of the root: every term alone must not exceed R.
inline double secular_start(const Spectrum& s, double sigma, const double* c, double R) {
  Lane start = Lane::Constant(tiny);
  for (Index i = 0; i < s.d.size(); i += lane)
    start = start.max(lane_at(c, i).abs() * (0.5 / R) - sigma * lane_at(s.d.data(), i));
  return start.maxCoeff();
}

}  // namespace detail

/// Solves one problem with the matrix sigma * E Diag(lambda) E' and the rotated linear term c (padded with
/// 0), both of magnitude about 1 or less. Writes w (padded). Entries of c on B below 16 n eps * magnitude
/// count as 0 and are set to it; `magnitude` is the norm of what c was computed from. `guess` is a mu to
/// start from, 0 for none. requires R > 0
inline SecularSolution solve_secular(const Spectrum& s, double sigma, double* c, double magnitude, double R,
                                     double* w, double guess = 0) {
  Eigen::Map<Eigen::ArrayXd> c_bottom(c, s.bottom);
  const double on_bottom = c_bottom.matrix().norm();
  const bool orthogonal = on_bottom <= std::max(s.negligible() * magnitude, detail::tiny);
  if (orthogonal) c_bottom.setZero();

  SecularSolution out;
  const double least = detail::secular_start(s, sigma, c, R);
  double mu = orthogonal ? least : std::max(least, guess);
  double N = R;
  for (int step = 0; step < 64; ++step) {
    const auto [N2, T] = detail::secular_pass(s, sigma, c, mu, w);
    N = std::sqrt(N2);
    const double excess = (N - R) / R;
    out.hard = orthogonal && step == 0 && excess <= 0;
    // Left of the root the iterates rise until rounding stops them; only a guess can be right of it.
    if (out.hard || std::abs(excess) <= 1e-14 || (step > 0 && excess < 0)) break;
    const double next = std::max(least, mu + N2 / T * excess);
    if (next == mu) break;
    mu = next;
  }

  if (out.hard) {
    Eigen::Map<Eigen::ArrayXd>(w, s.bottom) = std::sqrt(std::max(0.0, R * R - N * N)) * s.bottom_direction;
    N = R;
    mu = 0;
  }
  Lane linear = Lane::Zero();
  Lane quadratic = Lane::Zero();
  const double rescale = R / N;
  for (Index i = 0; i < s.d.size(); i += lane) {
    const Lane z = rescale * lane_at(w, i);
    Eigen::Map<Lane>(w + i) = z;
    linear += z * lane_at(c, i);
    quadratic += z * z * lane_at(s.lambda.data(), i);
  }
  out.mu = mu;
  out.value = linear.sum() - sigma * quadratic.sum();
  // 1/4 sum c^2/(d + mu) = w'c/2 before the rescaling; what was set to 0 could add at most on_bottom * R.
  const double dual = 0.5 * linear.sum() / rescale - (sigma * s.lambda[0] - mu) * R * R;
  out.bound = std::max(out.value, dual + (orthogonal ? on_bottom * R : 0));
  return out;
}

/// The same for M and c of any magnitude: both are divided by a common power of two. c is overwritten.
inline SecularSolution solve_secular_scaled(const Spectrum& s, double* c, double magnitude, double R,
                                            double* w) {
  Eigen::Map<Eigen::ArrayXd> terms(c, s.d.size());
  double scale = std::max(s.unit, power_above(terms.abs().maxCoeff()));
  if (scale == 0) scale = 1;
  terms *= 1 / scale;
  SecularSolution out = solve_secular(s, s.unit / scale, c, magnitude / scale, R, w);
  out.mu *= scale;
  out.value *= scale;
  out.bound *= scale;
  return out;
}

}  // namespace concord::kit
