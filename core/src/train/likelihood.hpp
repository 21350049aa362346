// SPDX-License-Identifier: MIT
#pragma once
// Scores that are log-odds, and a prior that says how likely labels are together: p(y|x) ~ exp(y'c - y'Ay).
//
// Logistic one-versus-rest gives scores s. On scores of instances that were held out, pseudo-likelihood fits one scale a, an
// offset b_v for each label and symmetric couplings J_vw: in 0/1 coding
//   logit P(z_v = 1 | rest) = a s_v + b_v + sum_w J_vw z_w,
// smooth and convex, by L-BFGS. Then A = -J/8 and c = (a s + b)/2 + J1/4.
#include "train/fit.hpp"

namespace concord {

class Likelihood : public Fit {
 public:
  /// Fault::input without a constant feature, which holds the offsets.
  Likelihood(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
             const RunControl& control);

  /// All of it: there is one epoch.
  void epoch() override;
  Parameters parameters() const override { return found_; }
  /// The objective is 1/N of the pseudo-likelihood of the held-out scores, and the regulariser of A. It has no dual.
  FitReport evaluate() override;
  void save(ArchiveWriter& out) override;
  void restore(ArchiveReader& in) override;

 private:
  TrainSettings settings_;
  bool with_prior_;
  FitData data_;
  uint64_t seed_;
  ThreadPool& pool_;
  RunControl control_;
  Parameters found_;
  double objective_;
};

/// V x N scores by one-versus-rest with logistic loss, each of an instance that the fit behind the score has not seen.
Eigen::MatrixXd held_out_scores(const FitData& data, double lambda, uint64_t seed, ThreadPool& pool,
                                const RunControl& control);

/// What pseudo-likelihood fits to scores.
struct PairwiseLogit {
  double scale = 1;
  Eigen::VectorXd offsets;    ///< V
  Eigen::MatrixXd couplings;  ///< V x V, symmetric, zero diagonal
  double objective = 0;       ///< 1/N of what was made small
};
/// Minimises the sum of softplus losses + ridge/2 sum_{v<w} J_vw^2 + 1/2 |b|^2. `coupled` = false leaves J at 0.
PairwiseLogit fit_pairwise_logit(const Eigen::MatrixXd& scores, const LabelMatrix& truth, double ridge,
                                 bool coupled, ThreadPool& pool, const RunControl& control);

}  // namespace concord
