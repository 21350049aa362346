// SPDX-License-Identifier: MIT
#pragma once
// Scores that are log-odds, and a prior that says how likely labels are together: p(y|x) ~ exp(y'c - y'Ay).
//
// Logistic one-versus-rest gives scores s, or several bases give s_m. On scores of instances that were held out,
// pseudo-likelihood fits one scale a_m for each base, an offset b_v for each label and symmetric couplings J_vw: in 0/1
// coding
//   logit P(z_v = 1 | rest) = sum_m a_m s_mv + b_v + sum_w J_vw z_w.
// Then A = -J/8 and c = (sum_m a_m s_m + b)/2 + J1/4.
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

}  // namespace concord
