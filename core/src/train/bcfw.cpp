// SPDX-License-Identifier: MIT
#include "train/bcfw.hpp"

#include <algorithm>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"

namespace concord {
namespace {

constexpr int kStepsPerVisit = 20;   // cheap ones: O(corners) each
constexpr double kDropBudget = 0.1;  // of what a visit gained
constexpr double kNegligible =
    1e-4;  // of the dual objective: the gap of a block that needs no further answers

}  // namespace

void require_block_memory(double bytes, double available, int64_t instances) {
  if (bytes <= 0.8 * available) return;
  constexpr double kGiB = 1 << 30;
  fail(Fault::input,
       "train.method = \"bcfw\" keeps answers of the decoder for each of the {} instances, the next epoch "
       "takes "
       "{:.3g} GiB more, and {:.3g} GiB are available; train.method = \"subgradient\" keeps none",
       instances, bytes / kGiB, available / kGiB);
}

Bcfw::Bcfw(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
           const RunControl& control)
    : DecodingFit(plan, data, seed, pool, control),
      N_(static_cast<double>(data.Y.cols())),
      squared_norms_(squared_row_norms(data.X)),
      W_(RowMatrix::Zero(data.X.columns(), data.Y.rows())),
      late_W_(W_),
      G_(Eigen::MatrixXd::Zero(data.Y.rows(), data.Y.rows())),
      A_(G_),
      mean_A_(G_) {
  for (int64_t i = 0; i < Y_.cols(); ++i) blocks_.emplace_back(Y_.col(i).cast<double>());
}

void Bcfw::epoch() {
  require_memory();
  oracle_.renew();
  A_changed_ = true;
  const auto visit_batch = [&](std::span<const int64_t> members, uint64_t decode_seed) {
    if (A_changed_) oracle_.prepare(last().A);
    A_changed_ = false;
    const auto answers = oracle_.solve(members, scores(W_, X_, members), decode_seed, epochs_ == 0);
    for (size_t j = 0; j < members.size(); ++j) visit(members[j], answers[j]);
    end_batch();
  };
  if (!for_batches(Y_.cols(), plan_.settings.batch, seed_, epochs_, control_, visit_batch)) return;
  ++epochs_;
  rebuild();
}

/// Requires memory for one more answer per instance, each as large as those there are on average.
void Bcfw::require_memory() const {
  double bytes = 0, corners = 0;
  for (const Block& block : blocks_) {
    bytes += static_cast<double>(block.bytes());
    corners += static_cast<double>(block.corners());
  }
  require_block_memory(bytes / corners * N_, available_memory(), Y_.cols());
}

/// The answer was found for the W and A at the start of the batch; the slope of N D in each alpha,
///   L + u'W'x - <A, U>,  is taken anew, at the present ones.
void Bcfw::visit(int64_t i, const MostViolated& answer) {
  Block& block = blocks_[static_cast<size_t>(i)];
  block.add(answer.F, answer.loss);
  if (block.corners() == 1) return;
  const Eigen::MatrixXd u = block.u();
  Eigen::ArrayXd slope = block.loss + (u.transpose() * score(W_, X_, i)).array();
  Eigen::MatrixXd curvature = (squared_norms_(i) / (N_ * plan_.settings.lambda_w)) * (u.transpose() * u);
  if (with_prior_) {
    slope -= block.quadratics(A_);
    curvature += block.moment_products(plan_.diagonal) / (N_ * plan_.settings.lambda_a);
  }
  // An answer that gains next to nothing would only fill the memory.
  if ((block.alpha * (slope.maxCoeff() - slope)).sum() <= negligible_gap_)
    slope = (block.alpha > 0).select(slope, -std::numeric_limits<double>::infinity());
  const Eigen::ArrayXd before = block.alpha;
  move_weights(block, std::move(slope), curvature);
  const Eigen::ArrayXd change = (block.alpha - before) / N_;
  const Eigen::VectorXd change_W = u * (change / -plan_.settings.lambda_w).matrix();
  add_outer(W_, X_, i, change_W);
  if (batches_ > 0) add_outer(late_W_, X_, i, Eigen::VectorXd(averaging_weight() * change_W));
  if (with_prior_) {
    block.add_moments(change / plan_.settings.lambda_a, G_);
    project();
  }
  block.drop_unused();
}

/// Pairwise steps on the quadratic model of N D in alpha with the given slope and curvature. Without a sign on A the
/// model is exact. With one, D is no lower than the model: its only other term, -lambda_A/2 |Pi_K(G)|^2, has the
/// gradient -lambda_A Pi_K(G), and projecting is a contraction. Either way what raises the model raises D.
void Bcfw::move_weights(Block& block, Eigen::ArrayXd slope, const Eigen::MatrixXd& curvature) const {
  double gained = 0, first_gain = 0;
  const auto bend = [&](int64_t to, int64_t from) {
    return curvature(to, to) - 2 * curvature(to, from) + curvature(from, from);
  };
  const auto move = [&](int64_t to, int64_t from, double gamma) {
    gained += gamma * (slope(to) - slope(from)) - gamma * gamma / 2 * bend(to, from);
    block.alpha(to) += gamma;
    block.alpha(from) = gamma < block.alpha(from) ? block.alpha(from) - gamma : 0;
    slope -= gamma * (curvature.col(to) - curvature.col(from)).array();
  };
  const auto lowest = [&](const Eigen::ArrayXd& of) {  // among the corners with weight
    int64_t found = -1;
    for (int64_t j = 0; j < block.corners(); ++j)
      if (block.alpha(j) > 0 && (found < 0 || of(j) < of(found))) found = j;
    return found;
  };
  for (int step = 0; step < kStepsPerVisit; ++step) {
    int64_t best = 0;
    slope.maxCoeff(&best);
    const int64_t worst = lowest(slope);
    const double gain = slope(best) - slope(worst);
    if (gain <= 1e-6 * first_gain) break;
    first_gain = std::max(first_gain, gain);
    const double most = block.alpha(worst);
    move(best, worst, gain < most * bend(best, worst) ? gain / bend(best, worst) : most);
  }
  // Answers that are nearly the same would pile up: those of least weight go, while that costs little of the gain.
  // Each round leaves one corner less with a weight.
  double budget = kDropBudget * gained;
  while (true) {
    const int64_t best = lowest(-slope), least = lowest(block.alpha);
    const double alpha = block.alpha(least);
    const double cost = alpha * alpha / 2 * bend(best, least) - alpha * (slope(best) - slope(least));
    if (least == best || cost > budget) return;
    budget -= std::max(cost, 0.0);
    move(best, least, alpha);
  }
}

void Bcfw::project() {
  if (!plan_.diagonal) G_.diagonal().setZero();
  A_ = G_;
  if (!cone_.is_whole_space()) {
    A_ = A_.cwiseMax(cone_.lowest()).cwiseMin(cone_.highest());
    A_.diagonal() = G_.diagonal();
  }
  A_changed_ = true;
}

/// The averages weigh the parameters after batch b by b^3, so that the first b of them have (b (b+1) / 2)^2. That of
/// W is W - late_W / (b (b+1) / 2)^2: a step costs O(nnz V), not O(d V).
double Bcfw::averaging_weight() const {
  const double sum = batches_ * (batches_ + 1) / 2;
  return sum * sum;
}

void Bcfw::end_batch() {
  const double before = averaging_weight();
  batches_ += 1;
  if (with_prior_) mean_A_ += (1 - before / averaging_weight()) * (A_ - mean_A_);
}

/// W and G anew from the blocks: thousands of small changes leave rounding errors.
void Bcfw::rebuild() {
  RowMatrix W = RowMatrix::Zero(W_.rows(), W_.cols());
  G_.setZero();
  for (int64_t i = 0; i < Y_.cols(); ++i) {
    const Block& block = blocks_[static_cast<size_t>(i)];
    const Eigen::VectorXd y = Y_.col(i).cast<double>();
    const Eigen::VectorXd difference =
        (y - block.u() * block.alpha.matrix()) / (N_ * plan_.settings.lambda_w);
    add_outer(W, X_, i, difference);
    if (!with_prior_) continue;
    block.add_moments(block.alpha / (N_ * plan_.settings.lambda_a), G_);
    G_.selfadjointView<Eigen::Lower>().rankUpdate(y, -1 / (N_ * plan_.settings.lambda_a));
  }
  late_W_ += averaging_weight() * (W - W_);
  W_ = std::move(W);
  if (with_prior_) project();
  negligible_gap_ = kNegligible * dual();
}

Parameters Bcfw::parameters() const {
  if (batches_ == 0) return last();
  return {W_ - late_W_ / averaging_weight(), mean_A_.selfadjointView<Eigen::Lower>()};
}

Parameters Bcfw::last() const {
  return {W_, A_.selfadjointView<Eigen::Lower>()};
}

double Bcfw::dual() const {
  double losses = 0;
  for (const Block& block : blocks_) losses += (block.alpha * block.loss).sum();
  return losses / N_ - plan_.settings.lambda_w / 2 * W_.squaredNorm() -
         plan_.settings.lambda_a / 2 * last().A.squaredNorm();
}

FitReport Bcfw::evaluate() {
  Oracle fresh(*plan_.decoder, *plan_.loss, Y_, offsets_, pool_,
               control_);  // training's warm blocks stay as they are
  FitReport report = regularised_objective(fresh, X_, parameters(), plan_.settings, seed_);
  report.dual = dual();
  return report;
}

void Bcfw::save(ArchiveWriter& out) {
  out.put(epochs_);
  out.put(batches_);
  out.put(negligible_gap_);
  for (const Block& block : blocks_) block.save(out);
  out.put_array(W_);
  out.put_array(late_W_);
  for (const auto* a : {&G_, &A_, &mean_A_}) out.put_array(*a);
  oracle_.save_warm(out);
}

void Bcfw::restore(ArchiveReader& in) {
  epochs_ = in.get<int64_t>();
  batches_ = in.get<double>();
  negligible_gap_ = in.get<double>();
  for (Block& block : blocks_) block.restore(in, Y_.rows());
  in.get_array(W_);
  in.get_array(late_W_);
  for (auto* a : {&G_, &A_, &mean_A_}) in.get_array(*a);
  oracle_.restore_warm(in);
}

}  // namespace concord
