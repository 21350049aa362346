// SPDX-License-Identifier: MIT
#pragma once
// Orders labels so that those that belong together are neighbours.
#include <Eigen/Core>
#include <vector>

namespace concord::report {

/// Positions 0..n-1 of n labels on a line, or on a circle: a local minimum, by swaps, of the sum of weight(i, j)
/// times distance. Positive weights pull together. The order given is where it starts; no chance is involved.
std::vector<size_t> arrange(const Eigen::MatrixXd& weight, bool circle);

}  // namespace concord::report
