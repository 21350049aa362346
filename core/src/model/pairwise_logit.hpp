// SPDX-License-Identifier: MIT
#pragma once
// Scores made log-odds, by maximum (pseudo-)likelihood: in 0/1 coding
//   logit P(z_v = 1 | rest) = sum_m a_m s_mv + b_v + sum_w J_vw z_w,
// smooth and convex, by L-BFGS. Scores must be out of sample: those of an instance that a base has seen flatter it.
#include <Eigen/Core>
#include <vector>

#include "base/run.hpp"
#include "data/dataset.hpp"

namespace concord {

struct LogitShape {
  double ridge = 0;            ///< of couplings
  bool coupled = false;        ///< false leaves J at 0
  bool common_offset = false;  ///< b_v = b_0 + its own part, and b_0 is free: for scores that are no log-odds
};

struct PairwiseLogit {
  Eigen::VectorXd scales;     ///< a_m, one for each base
  Eigen::VectorXd offsets;    ///< V
  Eigen::MatrixXd couplings;  ///< V x V, symmetric, zero diagonal
  double objective = 0;       ///< 1/N of what was made small
};

/// Minimises the sum of softplus losses + ridge/2 sum_{v<w} J_vw^2 + 1/2 |b|^2, where b has no common part. `scores` holds
/// a V x N matrix for each base.
PairwiseLogit fit_pairwise_logit(const std::vector<Eigen::MatrixXd>& scores, const LabelMatrix& truth,
                                 const LogitShape& shape, ThreadPool& pool, const RunControl& control);

}  // namespace concord
