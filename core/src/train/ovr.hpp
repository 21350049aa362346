// SPDX-License-Identifier: MIT
#pragma once
// One-versus-rest: an independent linear classifier for each label, by LIBLINEAR. And what the method likelihood makes of
// its logistic scores.
#include <Eigen/Core>

#include "base/run.hpp"
#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "train/fit.hpp"

namespace concord {

/// min over w_v of lambda_v / 2 |w_v|^2 + (1/N) sum_i hinge(y_iv w_v'x_i), so LIBLINEAR's C is 1 / (N lambda_v).
/// `lambda` has one entry, or one for each label. `start` (squared hinge only) is a nearby solution, or null.
/// Labels are spread over the ranks of the data, and over the pool; the result does not depend on them.
RowMatrix one_versus_rest(const FitData& data, const Eigen::VectorXd& lambda, HingeLoss hinge, uint64_t seed,
                          const RowMatrix* start, ThreadPool& pool, const RunControl& control);

/// One-versus-rest as a fit of one epoch, with lambda_w for every label.
std::unique_ptr<Fit> one_versus_rest_fit(const TrainPlan& plan, const FitData& data, uint64_t seed,
                                         ThreadPool& pool, const RunControl& control);

/// V x N scores by one-versus-rest with logistic loss, each of an instance that the fit behind the score has not seen.
Eigen::MatrixXd held_out_scores(const FitData& data, double lambda, uint64_t seed, ThreadPool& pool,
                                const RunControl& control);

/// Scores that are log-odds, and a prior that says how likely labels are together: p(y|x) ~ exp(y'c - y'Ay).
///
/// Logistic one-versus-rest gives scores s, or several bases give s_m. On scores of instances that were held out,
/// pseudo-likelihood fits one scale a_m for each base, an offset b_v for each label and symmetric couplings J_vw: in 0/1
/// coding
///   logit P(z_v = 1 | rest) = sum_m a_m s_mv + b_v + sum_w J_vw z_w.
/// Then A = -J/8 and c = (sum_m a_m s_m + b)/2 + J1/4.
/// There is one epoch. Fault::input for a single instance.
std::unique_ptr<Fit> likelihood_fit(const TrainPlan& plan, const FitData& data, uint64_t seed,
                                    ThreadPool& pool, const RunControl& control);

}  // namespace concord
