// SPDX-License-Identifier: MIT
#include "train/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <lbfgs.h>
#include <memory>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "model/linear.hpp"
#include "train/ovr.hpp"
#include "train/validation.hpp"

namespace concord {
namespace {

constexpr int kFolds = 5;  // of held-out scores
constexpr int64_t kColumns =
    64;  // of a product that one thread computes; the bits do not depend on the threads
constexpr double kOffsetRidge = 1;

/// ridge of a sum over instances for couplings J = -8A each pair once, from lambda_a of a mean for A: both triangles
/// count in |A|^2.
double ridge_of(double lambda_a, int64_t instances) {
  return lambda_a * static_cast<double>(instances) / 32;
}

/// The function that L-BFGS makes small, of x = (scale, offsets, couplings v < w by columns).
class PseudoLikelihood {
 public:
  PseudoLikelihood(const Eigen::MatrixXd& scores, const LabelMatrix& truth, double ridge, bool coupled,
                   ThreadPool& pool, const RunControl& control)
      : S_(scores),
        Z_((truth > 0).cast<double>()),
        V_(truth.rows()),
        ridge_(ridge),
        coupled_(coupled),
        pool_(pool),
        control_(control),
        J_(Eigen::MatrixXd::Zero(V_, V_)),
        eta_(V_, truth.cols()) {}

  int size() const { return static_cast<int>(1 + V_ + (coupled_ ? V_ * (V_ - 1) / 2 : 0)); }

  double operator()(const double* x, double* gradient) {
    read(x);
    const Eigen::Map<const Eigen::VectorXd> b(x + 1, V_);
    const double a = x[0];
    Eigen::VectorXd losses(pieces());
    for_pieces([&](int64_t piece, int64_t first, int64_t count) {
      auto eta = eta_.middleCols(first, count);
      eta = (a * S_.middleCols(first, count)).colwise() + b;
      if (coupled_) eta.noalias() += J_ * Z_.middleCols(first, count);
      const auto z = Z_.middleCols(first, count).array();
      const Eigen::ArrayXXd e = (-eta.array().abs()).exp();
      losses(piece) = (eta.array().max(0.0) + e.log1p() - z * eta.array()).sum();
      eta.array() = (eta.array() >= 0).select(1 / (1 + e), e / (1 + e)) - z;  // residuals
    });
    Eigen::Map<Eigen::VectorXd> grad_b(gradient + 1, V_);
    gradient[0] = eta_.cwiseProduct(S_).sum();
    grad_b = eta_.rowwise().sum() + kOffsetRidge * b;
    double value = losses.sum() + kOffsetRidge / 2 * b.squaredNorm();
    if (coupled_) value += couplings_gradient(gradient + 1 + V_);
    return value;
  }

  bool stopped() const { return control_.stop_requested(); }
  const Eigen::MatrixXd& couplings() const { return J_; }
  void read(const double* x) {
    if (!coupled_) return;
    const double* next = x + 1 + V_;
    for (int64_t w = 1; w < V_; ++w)
      for (int64_t v = 0; v < w; ++v) J_(v, w) = J_(w, v) = *next++;
  }

 private:
  int64_t pieces() const { return (Z_.cols() + kColumns - 1) / kColumns; }

  template <class Work>
  void for_pieces(Work&& work) {
    pool_.run(pieces(), [&](int64_t piece) {
      const int64_t first = piece * kColumns;
      work(piece, first, std::min(kColumns, Z_.cols() - first));
    });
  }

  /// R Z' for residuals R, and the ridge; returns the ridge's value.
  double couplings_gradient(double* gradient) {
    Eigen::MatrixXd RZ(V_, V_);
    pool_.run((V_ + kColumns - 1) / kColumns, [&](int64_t piece) {
      const int64_t first = piece * kColumns, count = std::min(kColumns, V_ - first);
      RZ.middleCols(first, count).noalias() = eta_ * Z_.middleRows(first, count).transpose();
    });
    double squares = 0;
    for (int64_t w = 1; w < V_; ++w)
      for (int64_t v = 0; v < w; ++v) {
        *gradient++ = RZ(v, w) + RZ(w, v) + ridge_ * J_(v, w);
        squares += J_(v, w) * J_(v, w);
      }
    return ridge_ / 2 * squares;
  }

  const Eigen::MatrixXd& S_;
  Eigen::MatrixXd Z_;
  int64_t V_;
  double ridge_;
  bool coupled_;
  ThreadPool& pool_;
  const RunControl& control_;
  Eigen::MatrixXd J_, eta_;
};

struct Freed {
  void operator()(double* numbers) const { lbfgs_free(numbers); }
};

}  // namespace

PairwiseLogit fit_pairwise_logit(const Eigen::MatrixXd& scores, const LabelMatrix& truth, double ridge,
                                 bool coupled, ThreadPool& pool, const RunControl& control) {
  PseudoLikelihood function(scores, truth, ridge, coupled, pool, control);
  const std::unique_ptr<double[], Freed> x(lbfgs_malloc(function.size()));
  if (!x) throw std::bad_alloc();
  std::fill_n(x.get(), function.size(), 0.0);
  x[0] = 1;
  lbfgs_parameter_t how;
  lbfgs_parameter_init(&how);
  how.epsilon = 1e-6;
  how.max_iterations = 500;
  double value = 0;
  const auto evaluate = [](void* self, const double* at, double* gradient, int, double) {
    return (*static_cast<PseudoLikelihood*>(self))(at, gradient);
  };
  const auto progress = [](void* self, const double*, const double*, double, double, double, double, int, int,
                           int) { return static_cast<PseudoLikelihood*>(self)->stopped() ? 1 : 0; };
  // Whatever ends the search, x is the best point so far: at worst it is not yet the minimum.
  lbfgs(function.size(), x.get(), &value, evaluate, progress, &function, &how);
  if (!std::isfinite(value))
    fail(Fault::input,
         "the likelihood is not finite; features of a smaller scale, or a larger train.lambda_w, would help");
  function.read(x.get());
  return {x[0], Eigen::Map<const Eigen::VectorXd>(x.get() + 1, truth.rows()), function.couplings(),
          value / static_cast<double>(truth.cols())};
}

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
    S(Eigen::all, inside) = scores(W, data.X, inside);
  }
  return S;
}

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
  const Eigen::MatrixXd S =
      held_out_scores(data_, settings_.lambda_w, kit::derive(seed_, 21), pool_, control_);
  if (control_.stop_requested()) return;
  const PairwiseLogit logit = fit_pairwise_logit(S, data_.Y, ridge_of(settings_.lambda_a, data_.Y.cols()),
                                                 with_prior_, pool_, control_);
  objective_ = logit.objective;
  found_.A = -logit.couplings / 8;
  found_.W = logit.scale / 2 *
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

}  // namespace concord
