// SPDX-License-Identifier: MIT
#pragma once
// A decoding problem as the .json that read_problem() reads, every number with its bits.
#include <Eigen/Core>
#include <string>

namespace concord {

/// maximise u'c - u'Au. "edges" if A has no diagonal and at most a quarter of the pairs are coupled, else "A".
std::string problem_text(const Eigen::MatrixXd& A, const Eigen::VectorXd& c);

}  // namespace concord
