// SPDX-License-Identifier: MIT
#pragma once
// The joint p(y) ~ exp(y'c - y'Ay) of a model whose scores are log-odds, and how likely each label is under it.
#include <Eigen/Core>
#include <cstdint>

#include "problem/problem.hpp"

namespace concord {

struct Marginals {
  Eigen::ArrayXd log_odds;  ///< log P(y_v = +1) / P(y_v = -1)
  double error = 0;         ///< the largest standard error of a probability; 0: the marginals are exact

  Eigen::ArrayXd probabilities() const { return 1 / (1 + (-log_odds).exp()); }
};

/// So many labels are enumerated; more are drawn.
inline constexpr int64_t kMostEnumerated = 20;

/// Exactly where A = 0, and for up to kMostEnumerated labels; else by draws that `seed` decides.
Marginals marginals(const Eigen::MatrixXd& A, const Eigen::VectorXd& c, uint64_t seed);

/// Over all 2^V labellings. requires V <= 30
Marginals marginals_by_enumeration(const Eigen::MatrixXd& A, const Eigen::VectorXd& c);

/// By Gibbs sampling: logit P(y_v = +1 | rest) = 2 c_v - 4 sum_{w != v} A_vw y_w. Rao-Blackwell averages of that conditional
/// probability over the sweeps of several chains; the error is estimated from the means of batches of sweeps.
Marginals marginals_by_gibbs(const Eigen::MatrixXd& A, const Eigen::VectorXd& c, uint64_t seed);

}  // namespace concord
