// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "model/linear.hpp"
#include "model/pairwise_logit.hpp"
#include "train/ovr.hpp"
#include "train/validation.hpp"

namespace concord {
namespace {

constexpr int kFolds = 5;  // of held-out scores

/// ridge of a sum over instances for couplings J = -8A each pair once, from lambda_a of a mean for A: both triangles
/// count in |A|^2.
double ridge_of(double lambda_a, int64_t instances) {
  return lambda_a * static_cast<double>(instances) / 32;
}

}  // namespace

Eigen::MatrixXd held_out_scores(const FitData& data, double lambda, uint64_t seed, ThreadPool& pool,
                                const RunControl& control) {
  const int64_t N = data.Y.cols();
  const int folds = static_cast<int>(std::min<int64_t>(kFolds, N));
  const std::vector<int> part =
      stratified_parts(data.Y, std::vector<double>(static_cast<size_t>(folds), 1.0 / folds), seed);
  Eigen::MatrixXd S(data.Y.rows(), N);
  for (int fold = 0; fold < folds && !control.stop_requested(); ++fold) {
    std::vector<int64_t> inside, outside;
    for (int64_t i = 0; i < N; ++i) (part[static_cast<size_t>(i)] == fold ? inside : outside).push_back(i);
    const Features X = data.X.select(outside);
    const LabelMatrix Y = data.Y(Eigen::all, outside);
    const RowMatrix W = one_versus_rest({X, Y}, Eigen::VectorXd::Constant(1, lambda), HingeLoss::logistic,
                                        seed, nullptr, pool, control);
    S(Eigen::all, inside) = scores(W, data.X, inside, pool);
  }
  return S;
}

namespace {

class Likelihood : public Fit {
 public:
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

Likelihood::Likelihood(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
                       const RunControl& control)
    : settings_(plan.settings),
      with_prior_(plan.prior != PriorSign::none),
      data_(data),
      seed_(seed),
      pool_(pool),
      control_(control),
      found_{RowMatrix::Zero(data.X.columns(), data.Y.rows()),
             Eigen::MatrixXd::Zero(data.Y.rows(), data.Y.rows())},
      objective_(static_cast<double>(data.Y.rows()) * std::log(2.0)) {  // of W = 0 and A = 0
  if (data.Y.cols() < 2)
    fail(Fault::input, "method likelihood needs two instances: it holds some of them out");
}

void Likelihood::epoch() {
  const double ridge = ridge_of(settings_.lambda_a, data_.Y.cols());
  if (data_.scores != nullptr) {
    const PairwiseLogit logit =
        fit_pairwise_logit(*data_.scores, data_.Y, {ridge, with_prior_, true}, pool_, control_);
    objective_ = logit.objective;
    found_.A = -logit.couplings / 8;
    found_.weights = logit.scales / 2;
    found_.offsets = logit.offsets / 2 + logit.couplings.rowwise().sum() / 4;
    return;
  }
  std::vector<Eigen::MatrixXd> S;
  S.push_back(held_out_scores(data_, settings_.lambda_w, kit::derive(seed_, 21), pool_, control_));
  if (control_.stop_requested()) return;
  const PairwiseLogit logit = fit_pairwise_logit(S, data_.Y, {ridge, with_prior_, false}, pool_, control_);
  objective_ = logit.objective;
  found_.A = -logit.couplings / 8;
  found_.W = logit.scales(0) / 2 *
             one_versus_rest(data_, Eigen::VectorXd::Constant(1, settings_.lambda_w), HingeLoss::logistic,
                             seed_, nullptr, pool_, control_);
  // The constant feature comes last, and has the same value in all instances.
  const int64_t last = data_.X.columns() - 1;
  const double bias = data_.X.is_sparse() ? data_.X.sparse().coeff(0, last) : data_.X.dense()(0, last);
  found_.W.row(last) += (logit.offsets / 2 + logit.couplings.rowwise().sum() / 4).transpose() / bias;
}

FitReport Likelihood::evaluate() {
  FitReport report;
  report.objective = objective_;
  report.dual = std::numeric_limits<double>::quiet_NaN();
  report.estimate = true;
  return report;
}

void Likelihood::save(ArchiveWriter& out) {
  out.put_array(found_.W);
  out.put_array(found_.A);
}

void Likelihood::restore(ArchiveReader& in) {
  in.get_array(found_.W);
  in.get_array(found_.A);
}

}  // namespace

std::unique_ptr<Fit> likelihood_fit(const TrainPlan& plan, const FitData& data, uint64_t seed,
                                    ThreadPool& pool, const RunControl& control) {
  return std::make_unique<Likelihood>(plan, data, seed, pool, control);
}

}  // namespace concord
