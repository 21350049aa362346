// SPDX-License-Identifier: MIT
#pragma once
// Pairwise steps on the simplex: weight moves from the worst corner that has some to the best one.
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>

namespace concord {

/// A concave quadratic of weights alpha >= 0 with a fixed sum: its slope at alpha, and minus its second derivative.
struct SimplexModel {
  Eigen::ArrayXd& alpha;
  Eigen::ArrayXd slope;
  const Eigen::MatrixXd& curvature;
  double gained = 0;  ///< by the steps so far

  /// Minus the second derivative along alpha(to) - alpha(from).
  double bend(int64_t to, int64_t from) const {
    return curvature(to, to) - 2 * curvature(to, from) + curvature(from, from);
  }
  void move(int64_t to, int64_t from, double gamma) {
    gained += gamma * (slope(to) - slope(from)) - gamma * gamma / 2 * bend(to, from);
    alpha(to) += gamma;
    alpha(from) = gamma < alpha(from) ? alpha(from) - gamma : 0;
    slope -= gamma * (curvature.col(to) - curvature.col(from)).array();
  }
  /// The lowest of `values` among the corners with weight.
  int64_t lowest(const Eigen::ArrayXd& values) const {
    int64_t found = -1;
    for (int64_t j = 0; j < alpha.size(); ++j)
      if (alpha(j) > 0 && (found < 0 || values(j) < values(found))) found = j;
    return found;
  }
  /// At most so many steps, and none for a difference of slopes below that part of the first.
  void ascend(int steps, double negligible) {
    double first_gain = 0;
    for (int step = 0; step < steps; ++step) {
      int64_t best = 0;
      slope.maxCoeff(&best);
      const int64_t worst = lowest(slope);
      const double gain = slope(best) - slope(worst);
      if (!(gain > negligible * first_gain))
        return;  // also where slopes are not finite: weights stay weights
      first_gain = std::max(first_gain, gain);
      const double most = alpha(worst);
      move(best, worst, gain < most * bend(best, worst) ? gain / bend(best, worst) : most);
    }
  }
};

}  // namespace concord
