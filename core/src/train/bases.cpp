// SPDX-License-Identifier: MIT
#include "train/bases.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <lapack.h>
#include <mutex>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "base/run.hpp"
#include "model/pairwise_logit.hpp"
#include "predict/predictor.hpp"
#include "train/ovr.hpp"

namespace concord {
namespace {

constexpr uint64_t kOvrStream = 22;   // of the seed: parts of the cross-fit
constexpr uint64_t kWaveStream = 23;  // of the run's seed: the same waves for every part of the rows

/// Squared distances of all rows of X, in columns.
Eigen::MatrixXd all_distances(const Features& X, ThreadPool& pool) {
  const KernelRows rows(X);
  Eigen::MatrixXd D(X.rows(), X.rows());
  for_pieces(X.rows(), KernelRows::kChunk, &pool, [&](int64_t begin, int64_t count) {
    D.middleCols(begin, count) = rows.squared_distances(X, begin, count);
  });
  return D;
}

Features with_one(const Features& X) {
  Preprocessor append;
  append.settings.bias = 1;
  append.inputs = X.columns();
  return append.apply(X);
}

}  // namespace

namespace {

bool fits(double bytes, double available, int64_t rows) {
  return rows <= 40'000 && bytes <= 0.8 * available;
}

}  // namespace

void require_kernel_memory(double bytes, double available, int64_t rows) {
  if (!fits(bytes, available, rows))
    fail(Fault::input,
         "kernel ridge regression keeps a matrix of {0} x {0} numbers, which takes {1:.3g} GiB, and {2:.3g} "
         "GiB are available (at most 40000 rows are taken); random Fourier features approach the Gaussian "
         "kernel of scores.rbf_width for any number of rows: scores.rbf_features = 2000, and no "
         "scores.laplace_width",
         rows, bytes / kGiB, available / kGiB);
}

void require_kernel_memory(const Settings& settings, int64_t rows) {
  const auto N = static_cast<double>(rows);
  if (settings.train.method != Method::ovr && settings.scores.has_kernel_matrix())
    require_kernel_memory(8 * N * N, available_memory(), rows);
}

RowMatrix kernel_ridge(Kernel kernel, double width, double lambda, Eigen::MatrixXd& G, const LabelMatrix& Y,
                       Eigen::MatrixXd& scores) {
  const int n = static_cast<int>(G.rows());
  apply_kernel(kernel, width, G);
  G.array() += 1;
  G.diagonal().array() += lambda;
  int info = 0;
  LAPACK_dpotrf("L", &n, G.data(), &n, &info);
  if (info == 0) LAPACK_dpotri("L", &n, G.data(), &n, &info);
  if (info != 0)
    fail(Fault::input,
         "the kernel matrix plus lambda I cannot be factorised (row {}): a larger lambda than {} helps, or "
         "features that are finite numbers",
         info, lambda);
  const Eigen::MatrixXd Z = (Y.transpose() > 0).cast<double>();  // N x V
  RowMatrix alpha = G.selfadjointView<Eigen::Lower>() * Z;
  scores = (Z - G.diagonal().cwiseInverse().asDiagonal() * alpha).transpose();
  return alpha;
}

namespace {

/// Calls visit(i, target) for every target of row i that is 1.
template <class Visit>
void for_present(const LabelMatrix& Y, Visit&& visit) {
  for (int64_t i = 0; i < Y.cols(); ++i) {
    const auto size = static_cast<int64_t>((Y.col(i) > 0).count());
    if (size == 0) visit(i, SizedLabel{});
    for (int64_t v = 0; v < Y.rows(); ++v)
      if (Y(v, i) > 0) visit(i, SizedLabel{v, size});
  }
}

/// The same with the number of the target.
template <class Visit>
void for_targets(const LabelMatrix& Y, const std::vector<SizedLabel>& targets, Visit&& visit) {
  for_present(Y, [&](int64_t i, const SizedLabel& target) {
    visit(i, std::lower_bound(targets.begin(), targets.end(), target) - targets.begin());
  });
}

}  // namespace

std::vector<SizedLabel> direct_targets(const LabelMatrix& Y) {
  std::set<SizedLabel> occurring;
  for_present(Y, [&](int64_t, const SizedLabel& target) { occurring.insert(target); });
  return {occurring.begin(), occurring.end()};
}

Eigen::MatrixXd direct_ridge(Eigen::MatrixXd& G, const LabelMatrix& Y, const std::vector<SizedLabel>& targets,
                             Eigen::MatrixXd& estimates) {
  G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  Eigen::MatrixXd alpha = Eigen::MatrixXd::Zero(G.rows(), static_cast<int64_t>(targets.size()));
  for_targets(Y, targets, [&](int64_t i, int64_t t) { alpha.col(t) += G.col(i); });
  estimates = -(G.diagonal().cwiseInverse().asDiagonal() * alpha);
  for_targets(Y, targets, [&](int64_t i, int64_t t) { estimates(i, t) += 1; });
  return alpha;
}

FitInput::FitInput(const Settings& settings, const Features& X, const LabelMatrix& Y, uint64_t seed,
                   ThreadPool& pool, const RunControl& control)
    : Y_(Y) {
  const int64_t given = settings.scores.given.value_or(0) * Y.rows();
  preprocess_ = Preprocessor::fit(settings.preprocess, X, settings.run.seed, given);
  X_ = preprocess_.apply(X, &pool);
  if (settings.scores.any() && settings.train.method != Method::ovr)
    fit_bases(settings, X, seed, pool, control);
}

void FitInput::fit_bases(const Settings& all, const Features& X, uint64_t seed, ThreadPool& pool,
                         const RunControl& control) {
  const ScoreSettings& settings = all.scores;
  bases_.labels = Y_.rows();
  if (all.predict.threshold == ThresholdKind::direct_f1) bases_.targets = direct_targets(Y_);
  bases_.given = settings.given.value_or(0);
  Features scaled = preprocess_.scaled(X);
  if (settings.ovr_lambda) fit_one_versus_rest(*settings.ovr_lambda, scaled, seed, pool, control);
  if (settings.rbf_features)
    fit_waves(*settings.rbf_width, *settings.rbf_features, settings.rbf_lambda.value_or(1), scaled,
              all.run.seed, pool);
  if (settings.has_kernel_matrix()) {
    bases_.rows = std::move(scaled);
    if (settings.rbf_width && !settings.rbf_features)
      fit_kernel(Kernel::rbf, *settings.rbf_width, settings.rbf_lambda.value_or(1), pool);
    if (settings.laplace_width)
      fit_kernel(Kernel::laplace, *settings.laplace_width, settings.laplace_lambda.value_or(1), pool);
    if (!bases_.targets.empty()) weigh_direct();
  }
  // Waves and kernels come first, and one-versus-rest was quicker.
  if (settings.ovr_lambda) std::rotate(scores_.begin(), scores_.begin() + 1, scores_.end());
  const RowMatrix columns = preprocess_.given_scores(X);
  for (int64_t m = 0; m < bases_.given; ++m)
    scores_.emplace_back(columns.middleCols(m * Y_.rows(), Y_.rows()).transpose());
  const PairwiseLogit logit = fit_pairwise_logit(scores_, Y_, {.common_offset = true}, pool, control);
  bases_.weights = logit.scales / 2;
  bases_.offsets = logit.offsets / 2;
  offsets_ = stacked(bases_.weights, bases_.offsets, scores_);
}

void FitInput::fit_kernel(Kernel kernel, double width, double lambda, ThreadPool& pool) {
  const auto N = static_cast<double>(bases_.rows.rows()), T = static_cast<double>(bases_.targets.size());
  const double absolute = width * rms_distance(bases_.rows), bytes = 8 * N * (N + 3 * T);
  // Splits are fitted side by side: large matrices take turns, so that they need not fit at once.
  static std::mutex turn;
  std::unique_lock<std::mutex> lock(turn, std::defer_lock);
  if (bytes > available_memory() / 8) lock.lock();
  require_kernel_memory(bytes, available_memory(), bases_.rows.rows());
  Eigen::MatrixXd D = all_distances(bases_.rows, pool);
  scores_.emplace_back();
  KernelRidge& base = bases_.kernels.emplace_back(
      KernelRidge{kernel, absolute, kernel_ridge(kernel, absolute, lambda, D, Y_, scores_.back())});
  if (!bases_.targets.empty()) base.direct = direct_ridge(D, Y_, bases_.targets, direct_.emplace_back());
}

void FitInput::fit_waves(double width, int64_t waves, double lambda, const Features& scaled, uint64_t seed,
                         ThreadPool& pool) {
  bases_.waves.waves =
      Waves::draw(scaled.columns(), waves, width * rms_distance(scaled), kit::derive(seed, kWaveStream));
  bases_.waves.beta = wave_ridge(bases_.waves.waves, lambda, scaled, Y_, scores_.emplace_back(), pool);
}

/// Several kernels are weighed by least squares on their leave-one-out estimates. The weight of a single one would change
/// nothing: the best k does not depend on the scale of all estimates.
void FitInput::weigh_direct() {
  const auto count = static_cast<int64_t>(direct_.size());
  if (count > 1) {
    Eigen::MatrixXd products(count, count);
    Eigen::VectorXd hits = Eigen::VectorXd::Zero(count);
    for (int64_t m = 0; m < count; ++m) {
      const Eigen::MatrixXd& mine = direct_[static_cast<size_t>(m)];
      for (int64_t other = 0; other < count; ++other)
        products(m, other) = mine.cwiseProduct(direct_[static_cast<size_t>(other)]).sum();
      for_targets(Y_, bases_.targets, [&](int64_t i, int64_t t) { hits(m) += mine(i, t); });
    }
    const Eigen::VectorXd weights = products.completeOrthogonalDecomposition().solve(hits);
    for (int64_t m = 0; m < count; ++m) bases_.kernels[static_cast<size_t>(m)].direct *= weights(m);
  }
  direct_.clear();
}

void FitInput::fit_one_versus_rest(double lambda, const Features& scaled, uint64_t seed, ThreadPool& pool,
                                   const RunControl& control) {
  const Features X = with_one(scaled);
  const FitData data{X, Y_};
  scores_.push_back(held_out_scores(data, lambda, kit::derive(seed, kOvrStream), pool, control));
  bases_.W = one_versus_rest(data, Eigen::VectorXd::Constant(1, lambda), HingeLoss::logistic, seed, nullptr,
                             pool, control);
}

FitData FitInput::data() const {
  return {X_, Y_, scores_.empty() ? nullptr : &scores_, offsets_.size() > 0 ? &offsets_ : nullptr};
}

Bases FitInput::bases(const Parameters& parameters) const {
  Bases found = bases_;
  if (parameters.weights.size() > 0) {
    found.weights = parameters.weights;
    found.offsets = parameters.offsets;
  }
  return found;
}

FitInput::Rows FitInput::rows(const Features& X, ThreadPool& pool) const {
  Rows rows{preprocess_.apply(X, &pool), {}, {}};
  if (!bases_.empty())
    rows.scores = base_scores(bases_, preprocess_.scaled(X), preprocess_.given_scores(X), &pool,
                              bases_.targets.empty() ? nullptr : &rows.direct);
  return rows;
}

Eigen::MatrixXd FitInput::linear_terms(const Parameters& parameters, const Rows& rows) const {
  Eigen::MatrixXd c = label_scores(parameters.W, rows.X);
  const bool own = parameters.weights.size() > 0;
  if (!bases_.empty())
    c += stacked(own ? parameters.weights : bases_.weights, own ? parameters.offsets : bases_.offsets,
                 rows.scores);
  return c;
}

}  // namespace concord
