// SPDX-License-Identifier: MIT
#include "train/bcfw.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <concord/kit/rng.hpp>

#include "train/linear.hpp"

namespace concord {
namespace {

/// Bytes that the system could still give, or no limit where it does not say.
double available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  double kibibytes = 0;
  while (info >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    info.ignore(64, '\n');
  }
  return std::numeric_limits<double>::infinity();
}

void require_memory(int64_t instances, const PackedShape& shape) {
  const double needed = static_cast<double>(instances) * static_cast<double>(shape.size()) * sizeof(double);
  const double available = available_memory();
  if (needed <= 0.8 * available) return;
  fail(Exit::input,
       "train.method = \"bcfw\" keeps a matrix for each of the {} instances, {:.1f} GiB for {} labels, and "
       "{:.1f} "
       "GiB are available; train.method = \"subgradient\" needs none of them",
       instances, needed / (1 << 30), shape.labels(), available / (1 << 30));
}

}  // namespace

Bcfw::Bcfw(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
           const RunControl& control)
    : plan_(plan),
      X_(data.X),
      Y_(data.Y),
      seed_(seed),
      pool_(pool),
      control_(control),
      N_(static_cast<double>(data.Y.cols())),
      with_prior_(plan.prior != PriorSign::none),
      shape_(data.Y.rows(), plan.diagonal),
      cone_(plan.prior),
      oracle_(*plan_.decoder, *plan_.loss, data.Y, pool, control),
      squared_norms_(squared_row_norms(data.X)),
      ubar_(data.Y.cast<double>()),
      Lbar_(Eigen::VectorXd::Zero(data.Y.cols())),
      W_(RowMatrix::Zero(data.X.columns(), data.Y.rows())),
      late_W_(W_),
      G_(shape_.zero()),
      A_(G_),
      mean_A_(G_),
      U_(G_),
      d_(G_) {
  if (!with_prior_) return;
  require_memory(Y_.cols(), shape_);
  Ubar_.resize(shape_.size(), Y_.cols());
  for (int64_t i = 0; i < Y_.cols(); ++i) {
    shape_.moment(ubar_.col(i), U_);
    Ubar_.col(i) = U_;
  }
}

void Bcfw::epoch() {
  oracle_.renew();
  A_changed_ = true;
  const std::vector<int64_t> order =
      shuffled(Y_.cols(), kit::derive(kit::derive(seed_, 1), static_cast<uint64_t>(epochs_)));
  const uint64_t decode_seed = kit::derive(kit::derive(seed_, 2), static_cast<uint64_t>(epochs_));
  const auto batch = static_cast<size_t>(plan_.settings.batch);
  for (size_t first = 0; first < order.size(); first += batch) {
    if (control_.stop_requested()) return;
    const std::span<const int64_t> members(order.data() + first, std::min(batch, order.size() - first));
    if (A_changed_) oracle_.prepare(shape_.unpacked(A_));
    A_changed_ = false;
    const auto answers = oracle_.solve(members, scores(W_, X_, members), decode_seed, epochs_ == 0);
    for (size_t j = 0; j < members.size(); ++j) step(members[j], answers[j]);
    end_batch();
  }
  ++epochs_;
  rebuild();
}

/// The answer was found for the W and A at the start of the batch. The block's gap is taken anew, at the present
/// ones, where the answer may be no improvement any more.
void Bcfw::step(int64_t i, const MostViolated& answer) {
  const double lambda_W = plan_.settings.lambda_w, lambda_A = plan_.settings.lambda_a;
  const Eigen::VectorXd du = answer.u() - ubar_.col(i);
  const double dL = answer.loss - Lbar_(i);
  const double linear = dL + du.dot(score(W_, X_, i));
  const double curvature_W = squared_norms_(i) * du.squaredNorm() / lambda_W;
  double gap = linear;
  double curvature = curvature_W;
  if (with_prior_) {
    shape_.moment(answer.F, U_);
    d_ = U_ - Ubar_.col(i);
    gap -= shape_.dot(A_, d_);
    curvature += shape_.dot(d_, d_) / lambda_A;
  }
  if (gap <= 0) return;
  double gamma = N_ * gap < curvature ? N_ * gap / curvature : 1;
  if (with_prior_ && !cone_.is_whole_space() && gamma < 1)
    gamma = step_in_cone(gap, linear, curvature_W, gamma);

  ubar_.col(i) += gamma * du;
  Lbar_(i) += gamma * dL;
  const Eigen::VectorXd change = (-gamma / (N_ * lambda_W)) * du;
  add_outer(W_, X_, i, change);
  if (batches_ > 0) add_outer(late_W_, X_, i, (batches_ * (batches_ + 1) / 2) * change);
  if (!with_prior_) return;
  Ubar_.col(i) += gamma * d_;
  G_ += (gamma / N_) * d_;
  project();
}

/// N D'(gamma) = linear - gamma curvature_W / N - <Pi_K(G_A + gamma d / N), d> / lambda_A is decreasing and
/// piecewise linear. `from`, the step without the cone, is not beyond its root: projecting lowers the curvature.
double Bcfw::step_in_cone(double slope_at_0, double linear, double curvature_W, double from) const {
  const double lambda_A = plan_.settings.lambda_a;
  const int64_t pairs = shape_.pairs();
  const auto tail = shape_.size() - pairs;
  double curvature = 0;  // of the last slope() call: minus its derivative
  const auto slope = [&](double gamma) {
    double product = 0, active = 0;
    const double t = gamma / N_;
    for (int64_t e = 0; e < pairs; ++e) {
      const double g = cone_.project(G_[e] + t * d_[e]);
      product += g * d_[e];
      active += g != 0 ? d_[e] * d_[e] : 0;
    }
    const double diagonal = ((G_.tail(tail) + t * d_.tail(tail)) * d_.tail(tail)).sum();
    curvature = (curvature_W + (2 * active + d_.tail(tail).square().sum()) / lambda_A) / N_;
    return linear - gamma * curvature_W / N_ - (2 * product + diagonal) / lambda_A;
  };
  if (slope(1) >= 0) return 1;
  double low = from, high = 1, gamma = from;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double s = slope(gamma);
    if (std::abs(s) <= 1e-12 * slope_at_0) break;
    (s > 0 ? low : high) = gamma;
    const double newton = curvature > 0 ? gamma + s / curvature : high;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (std::abs(next - gamma) <= 1e-14) break;
    gamma = next;
  }
  return gamma;
}

void Bcfw::project() {
  A_ = G_ / plan_.settings.lambda_a;
  if (!cone_.is_whole_space())
    for (int64_t e = 0; e < shape_.pairs(); ++e) A_[e] = cone_.project(A_[e]);
  A_changed_ = true;
}

/// The averages weigh the parameters after batch b by b. That of W is W - late_W / C, so that a step costs
/// O(nnz V) and not O(d V).
void Bcfw::end_batch() {
  batches_ += 1;
  if (with_prior_) mean_A_ += (2 / (batches_ + 1)) * (A_ - mean_A_);
}

/// G anew from the blocks: thousands of small changes leave rounding errors.
void Bcfw::rebuild() {
  RowMatrix W = RowMatrix::Zero(W_.rows(), W_.cols());
  const double scale = 1 / (N_ * plan_.settings.lambda_w);
  if (X_.is_sparse()) {
    for (int64_t i = 0; i < Y_.cols(); ++i)
      add_outer(W, X_, i, scale * (Y_.col(i).cast<double>().matrix() - ubar_.col(i)));
  } else {
    const RowMatrix difference = scale * (Y_.cast<double>().matrix() - ubar_).transpose();
    W.noalias() = X_.dense().transpose() * difference;
  }
  late_W_ += (batches_ * (batches_ + 1) / 2) * (W - W_);
  W_ = std::move(W);
  if (!with_prior_) return;
  G_ = Ubar_.rowwise().mean();
  for (int64_t i = 0; i < Y_.cols(); ++i) {
    const Eigen::VectorXd y = Y_.col(i).cast<double>();
    shape_.moment(y, U_);
    G_ -= U_ / N_;
  }
  project();
}

Parameters Bcfw::parameters() const {
  if (batches_ == 0) return last();
  return {W_ - late_W_ / (batches_ * (batches_ + 1) / 2), shape_.unpacked(mean_A_)};
}

Parameters Bcfw::last() const {
  return {W_, shape_.unpacked(A_)};
}

double Bcfw::dual() const {
  return Lbar_.mean() - plan_.settings.lambda_w / 2 * W_.squaredNorm() -
         plan_.settings.lambda_a / 2 * shape_.dot(A_, A_);
}

FitReport Bcfw::evaluate() {
  Oracle fresh(*plan_.decoder, *plan_.loss, Y_, pool_,
               control_);  // the warm blocks of training stay as they are
  FitReport report = regularised_objective(fresh, X_, parameters(), plan_.settings, seed_);
  report.dual = dual();
  return report;
}

void Bcfw::save(ArchiveWriter& out) {
  out.put(epochs_);
  out.put(batches_);
  out.put_array(ubar_);
  out.put_array(Ubar_);
  out.put_array(Lbar_);
  out.put_array(W_);
  out.put_array(late_W_);
  for (const auto* a : {&G_, &A_, &mean_A_}) out.put_array(*a);
  oracle_.save_warm(out);
}

void Bcfw::restore(ArchiveReader& in) {
  epochs_ = in.get<int64_t>();
  batches_ = in.get<double>();
  in.get_array(ubar_);
  in.get_array(Ubar_);
  in.get_array(Lbar_);
  in.get_array(W_);
  in.get_array(late_W_);
  for (auto* a : {&G_, &A_, &mean_A_}) in.get_array(*a);
  oracle_.restore_warm(in);
}

}  // namespace concord
