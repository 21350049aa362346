// SPDX-License-Identifier: MIT
#include "train/subgradient.hpp"

#include <algorithm>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"
#include "train/panels.hpp"

namespace concord {

Subgradient::Subgradient(const TrainPlan& plan, const FitData& data, uint64_t seed, const RowMatrix* start,
                         ThreadPool& pool, const RunControl& control)
    : DecodingFit(plan, data, seed, pool, control),
      W_(RowMatrix::Zero(data.X.columns(), data.Y.rows())),
      late_W_(W_),
      A_(Eigen::MatrixXd::Zero(data.Y.rows(), data.Y.rows())),
      mean_A_(A_) {
  if (start == nullptr) return;
  W_ = *start;
  const int64_t batches = (Y_.cols() + plan.settings.batch - 1) / plan.settings.batch;
  t_ = static_cast<double>(batches);
}

void Subgradient::epoch() {
  oracle_.renew();
  bool prepared = false;
  const auto visit_batch = [&](std::span<const int64_t> members, uint64_t decode_seed) {
    if (!prepared || with_prior_) oracle_.prepare(A_);
    prepared = true;
    step(members,
         oracle_.solve_by_ranks(members, scale_ * scores(W_, X_, members, pool_), decode_seed, epochs_ == 0));
  };
  if (!for_batches(Y_.cols(), plan_.settings.batch, seed_, epochs_, control_, visit_batch)) return;
  ++epochs_;
}

void Subgradient::step(std::span<const int64_t> members, const std::vector<MostViolated>& answers) {
  const int64_t V = Y_.rows();
  t_ += 1;
  const double eta = 2 / (t_ + 1);
  const double count = static_cast<double>(members.size());

  // Shrink W by 1 - eta. The first step forgets the start. A scale that becomes tiny is multiplied into W_;
  // the weights are divided by the scale, so that weights_ * W_ stays what it was.
  scale_ *= 1 - eta;
  if (scale_ == 0) {
    W_.setZero();
    scale_ = 1;
  } else if (scale_ < 1e-6) {
    W_ *= scale_;
    weights_ /= scale_;
    scale_ = 1;
  }
  // dA = lambda_A A + mean of (y y' - FF')
  WeightedFactors moments(V);
  if (with_prior_)
    for (size_t j = 0; j < members.size(); ++j) {
      moments.append(answers[j].F, 1);
      moments.append(Y_.col(members[j]).cast<double>().matrix(), -1);
    }
  const double weights = weights_;
  weights_ += t_ * scale_;
  total_ += t_;
  const double rate_W = -eta / (plan_.settings.lambda_w * count * scale_);
  const double rate_A = eta / (plan_.settings.lambda_a * count);
  Eigen::MatrixXd change_A = Eigen::MatrixXd::Zero(with_prior_ ? V : 0, with_prior_ ? V : 0);
  for_panels(V, pool_, [&](LabelPanel panel, int64_t) {
    for (size_t j = 0; j < members.size(); ++j) {
      const int64_t i = members[j];
      const Eigen::VectorXd change =
          rate_W * (answers[j].u() - Y_.col(i).cast<double>().matrix()).segment(panel.first, panel.count);
      add_outer(W_.middleCols(panel.first, panel.count), X_, i, change);
      if (weights > 0) add_outer(late_W_.middleCols(panel.first, panel.count), X_, i, weights * change);
    }
    if (!with_prior_) return;
    moments.add_to(change_A, panel);
    for (int64_t j = panel.first; j < panel.end(); ++j) {
      for (int64_t i = j + 1; i < V; ++i)
        A_(i, j) = A_(j, i) =
            std::clamp((1 - eta) * A_(i, j) + rate_A * change_A(i, j), cone_.lowest(), cone_.highest());
      if (plan_.diagonal) A_(j, j) = (1 - eta) * A_(j, j) + rate_A * change_A(j, j);
    }
  });
  if (with_prior_) mean_A_ += (t_ / total_) * (A_ - mean_A_);
}

Parameters Subgradient::parameters() const {
  if (total_ == 0) return {W(), A_};
  return {(weights_ * W_ - late_W_) / total_, mean_A_};
}

FitReport Subgradient::evaluate() {
  Oracle fresh(*plan_.decoder, *plan_.loss, Y_, offsets_, ranks_, pool_,
               control_);  // the warm blocks of training stay as they are
  return regularised_objective(fresh, X_, parameters(), plan_.settings, seed_, pool_);
}

void Subgradient::save(ArchiveWriter& out) {
  out.put(epochs_);
  for (const double x : {t_, scale_, weights_, total_}) out.put(x);
  out.put_array(W_);
  out.put_array(late_W_);
  out.put_array(A_);
  out.put_array(mean_A_);
  oracle_.save_warm(out);
}

void Subgradient::restore(ArchiveReader& in) {
  epochs_ = in.get<int64_t>();
  for (double* x : {&t_, &scale_, &weights_, &total_}) *x = in.get<double>();
  in.get_array(W_);
  in.get_array(late_W_);
  in.get_array(A_);
  in.get_array(mean_A_);
  oracle_.restore_warm(in);
}

}  // namespace concord
