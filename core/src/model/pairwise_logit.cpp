// SPDX-License-Identifier: MIT
#include "model/pairwise_logit.hpp"

#include <algorithm>
#include <cmath>
#include <lbfgs.h>
#include <memory>

#include "base/error.hpp"

namespace concord {
namespace {

constexpr int64_t kColumns =
    64;  // of a product that one thread computes; the bits do not depend on the threads
constexpr double kOffsetRidge = 1;

/// The function that L-BFGS makes small, of x = (scales, common offset if there is one, offsets, couplings v < w by columns).
class PseudoLikelihood {
 public:
  PseudoLikelihood(const std::vector<Eigen::MatrixXd>& scores, const LabelMatrix& truth,
                   const LogitShape& shape, ThreadPool& pool, const RunControl& control)
      : S_(scores),
        Z_((truth > 0).cast<double>()),
        V_(truth.rows()),
        M_(static_cast<int64_t>(scores.size())),
        shape_(shape),
        pool_(pool),
        control_(control),
        J_(Eigen::MatrixXd::Zero(V_, V_)),
        eta_(V_, truth.cols()) {}

  int size() const { return static_cast<int>(first_coupling() + (shape_.coupled ? V_ * (V_ - 1) / 2 : 0)); }
  int64_t first_offset() const { return M_ + (shape_.common_offset ? 1 : 0); }
  int64_t first_coupling() const { return first_offset() + V_; }

  double operator()(const double* x, double* gradient) {
    read(x);
    const Eigen::Map<const Eigen::VectorXd> b(x + first_offset(), V_);
    const double common = shape_.common_offset ? x[M_] : 0;
    Eigen::VectorXd losses(pieces());
    for_pieces([&](int64_t piece, int64_t first, int64_t count) {
      auto eta = eta_.middleCols(first, count);
      eta = (x[0] * S_[0].middleCols(first, count)).colwise() + b;
      for (int64_t m = 1; m < M_; ++m) eta += x[m] * S_[static_cast<size_t>(m)].middleCols(first, count);
      if (shape_.common_offset) eta.array() += common;
      if (shape_.coupled) eta.noalias() += J_ * Z_.middleCols(first, count);
      const auto z = Z_.middleCols(first, count).array();
      const Eigen::ArrayXXd e = (-eta.array().abs()).exp();
      losses(piece) = (eta.array().max(0.0) + e.log1p() - z * eta.array()).sum();
      eta.array() = (eta.array() >= 0).select(1 / (1 + e), e / (1 + e)) - z;  // residuals
    });
    Eigen::Map<Eigen::VectorXd> grad_b(gradient + first_offset(), V_);
    for (int64_t m = 0; m < M_; ++m) gradient[m] = eta_.cwiseProduct(S_[static_cast<size_t>(m)]).sum();
    if (shape_.common_offset) gradient[M_] = eta_.sum();
    grad_b = eta_.rowwise().sum() + kOffsetRidge * b;
    double value = losses.sum() + kOffsetRidge / 2 * b.squaredNorm();
    if (shape_.coupled) value += couplings_gradient(gradient + first_coupling());
    return value;
  }

  bool stopped() const { return control_.stop_requested(); }
  const Eigen::MatrixXd& couplings() const { return J_; }
  void read(const double* x) {
    if (!shape_.coupled) return;
    const double* next = x + first_coupling();
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
        *gradient++ = RZ(v, w) + RZ(w, v) + shape_.ridge * J_(v, w);
        squares += J_(v, w) * J_(v, w);
      }
    return shape_.ridge / 2 * squares;
  }

  const std::vector<Eigen::MatrixXd>& S_;
  Eigen::MatrixXd Z_;
  int64_t V_, M_;
  LogitShape shape_;
  ThreadPool& pool_;
  const RunControl& control_;
  Eigen::MatrixXd J_, eta_;
};

struct Freed {
  void operator()(double* numbers) const { lbfgs_free(numbers); }
};

}  // namespace

PairwiseLogit fit_pairwise_logit(const std::vector<Eigen::MatrixXd>& scores, const LabelMatrix& truth,
                                 const LogitShape& shape, ThreadPool& pool, const RunControl& control) {
  PseudoLikelihood function(scores, truth, shape, pool, control);
  const std::unique_ptr<double[], Freed> x(lbfgs_malloc(function.size()));
  if (!x) throw std::bad_alloc();
  std::fill_n(x.get(), function.size(), 0.0);
  std::fill_n(x.get(), scores.size(), 1.0 / static_cast<double>(scores.size()));
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
  PairwiseLogit logit{Eigen::Map<const Eigen::VectorXd>(x.get(), static_cast<int64_t>(scores.size())),
                      Eigen::Map<const Eigen::VectorXd>(x.get() + function.first_offset(), truth.rows()),
                      function.couplings(), value / static_cast<double>(truth.cols())};
  if (shape.common_offset) logit.offsets.array() += x[static_cast<int64_t>(scores.size())];
  return logit;
}

}  // namespace concord
