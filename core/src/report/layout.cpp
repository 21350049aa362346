// SPDX-License-Identifier: MIT
#include "report/layout.hpp"

#include <algorithm>
#include <numeric>

namespace concord::report {

std::vector<size_t> arrange(const Eigen::MatrixXd& weight, bool circle) {
  const auto n = static_cast<size_t>(weight.rows());
  std::vector<size_t> position(n);
  std::iota(position.begin(), position.end(), size_t{0});
  Eigen::VectorXd distance(static_cast<int64_t>(n));
  for (size_t d = 0; d < n; ++d)
    distance(static_cast<int64_t>(d)) = static_cast<double>(circle ? std::min(d, n - d) : d);
  const auto cost = [&](size_t label, size_t at, size_t except) {
    double sum = 0;
    for (size_t other = 0; other < n; ++other)
      if (other != label && other != except)
        sum += weight(static_cast<int64_t>(label), static_cast<int64_t>(other)) *
               distance(static_cast<int64_t>(std::max(at, position[other]) - std::min(at, position[other])));
    return sum;
  };
  constexpr int passes = 100;
  const double least = 1e-12 * weight.cwiseAbs().sum() * static_cast<double>(n);
  bool improved = true;
  for (int pass = 0; pass < passes && improved; ++pass) {
    improved = false;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j) {
        const double before = cost(i, position[i], j) + cost(j, position[j], i);
        const double after = cost(i, position[j], j) + cost(j, position[i], i);
        if (after >= before - least) continue;
        std::swap(position[i], position[j]);
        improved = true;
      }
  }
  return position;
}

}  // namespace concord::report
