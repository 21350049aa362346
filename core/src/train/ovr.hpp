// SPDX-License-Identifier: MIT
#pragma once
// One-versus-rest: an independent linear classifier for each label, by LIBLINEAR.
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

}  // namespace concord
