// SPDX-License-Identifier: MIT
#include "train/bcfw.hpp"

#include <algorithm>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/run.hpp"
#include "model/linear.hpp"
#include "train/simplex.hpp"

namespace concord {
namespace {

constexpr int kStepsPerVisit = 20;   // cheap ones: O(corners) each
constexpr double kDropBudget = 0.1;  // of what a visit gained
constexpr double kNegligible =
    1e-4;  // of the dual objective: the gap of a block that needs no further answers

}  // namespace

void require_block_memory(double bytes, double available, int64_t instances) {
  if (bytes <= 0.8 * available) return;
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
    visit_all(members,
              oracle_.solve_by_ranks(members, scores(W_, X_, members, pool_), decode_seed, epochs_ == 0));
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

void Bcfw::visit_all(std::span<const int64_t> members, const std::vector<MostViolated>& answers) {
  Step step(Y_.rows());
  for (size_t j = 0; j < members.size(); ++j) {
    Block& block = blocks_[static_cast<size_t>(members[j])];
    block.add(answers[j].F, answers[j].loss);
    if (block.corners() > 1) visit(members[j], take_and_look(step, members[j]), step);
  }
  if (step.open) for_panels(Y_.rows(), pool_, [&](LabelPanel panel, int64_t) { take(step, panel); });
}

/// Takes the step of the visit before and looks at instance i, in one go: a panel needs nothing of the others for that.
Bcfw::View Bcfw::take_and_look(Step& step, int64_t i) {
  const Block& block = blocks_[static_cast<size_t>(i)];
  const int64_t V = Y_.rows();
  View view{Eigen::VectorXd(V), Eigen::ArrayXd::Zero(block.corners())};
  Eigen::ArrayXXd shares(block.corners(), LabelPanel::how_many(V));
  for_panels(V, pool_, [&](LabelPanel panel, int64_t p) {
    if (step.open) take(step, panel);
    view.score.segment(panel.first, panel.count) = score(W_.middleCols(panel.first, panel.count), X_, i);
    if (with_prior_) shares.col(p) = block.quadratics(A_, panel);
  });
  if (with_prior_)
    for (int64_t p = 0; p < shares.cols(); ++p) view.quadratics += shares.col(p);
  step.open = false;
  return view;
}

void Bcfw::take(const Step& step, LabelPanel panel) {
  const auto [first, count] = panel;
  const Eigen::VectorXd change = step.W.segment(first, count);
  add_outer(W_.middleCols(first, count), X_, step.i, change);
  if (batches_ > 0) add_outer(late_W_.middleCols(first, count), X_, step.i, averaging_weight() * change);
  if (!with_prior_) return;
  step.A.add_to(G_, panel);
  project(panel);
}

/// The answer was found for the W and A at the start of the batch; the slope of N D in each alpha,
///   L + u'W'x - <A, U>,  is taken at the present ones.
void Bcfw::visit(int64_t i, const View& view, Step& step) {
  Block& block = blocks_[static_cast<size_t>(i)];
  const Eigen::MatrixXd u = block.u();
  Eigen::ArrayXd slope = block.loss + (u.transpose() * view.score).array();
  Eigen::MatrixXd curvature = (squared_norms_(i) / (N_ * plan_.settings.lambda_w)) * (u.transpose() * u);
  if (with_prior_) {
    slope -= view.quadratics;
    curvature += block.moment_products(plan_.diagonal) / (N_ * plan_.settings.lambda_a);
  }
  // An answer that gains next to nothing would only fill the memory.
  if ((block.alpha * (slope.maxCoeff() - slope)).sum() <= negligible_gap_)
    slope = (block.alpha > 0).select(slope, -std::numeric_limits<double>::infinity());
  const Eigen::ArrayXd before = block.alpha;
  move_weights(block, std::move(slope), curvature);
  const Eigen::ArrayXd change = (block.alpha - before) / N_;
  step.i = i;
  step.W = u * (change / -plan_.settings.lambda_w).matrix();
  step.A.clear();
  if (with_prior_) block.append_weighted(change / plan_.settings.lambda_a, step.A);
  step.open = true;
  A_changed_ = A_changed_ || with_prior_;
  block.drop_unused();
}

/// Pairwise steps on the quadratic model of N D in alpha with the given slope and curvature. Without a sign on A the
/// model is exact. With one, D is no lower than the model: its only other term, -lambda_A/2 |Pi_K(G)|^2, has the
/// gradient -lambda_A Pi_K(G), and projecting is a contraction. Either way what raises the model raises D.
void Bcfw::move_weights(Block& block, Eigen::ArrayXd slope, const Eigen::MatrixXd& curvature) const {
  SimplexModel model{block.alpha, std::move(slope), curvature};
  model.ascend(kStepsPerVisit, 1e-6);
  // Answers that are nearly the same would pile up: those of least weight go, while that costs little of the gain.
  // Each round leaves one corner less with a weight.
  double budget = kDropBudget * model.gained;
  while (true) {
    const int64_t best = model.lowest(-model.slope), least = model.lowest(block.alpha);
    const double alpha = block.alpha(least);
    const double cost =
        alpha * alpha / 2 * model.bend(best, least) - alpha * (model.slope(best) - model.slope(least));
    if (least == best || cost > budget) return;
    budget -= std::max(cost, 0.0);
    model.move(best, least, alpha);
  }
}

/// A from G.
void Bcfw::project(LabelPanel panel) {
  const auto [first, count] = panel;
  const int64_t rows = Y_.rows() - first;
  if (!plan_.diagonal) G_.diagonal().segment(first, count).setZero();
  A_.block(first, first, rows, count) =
      G_.block(first, first, rows, count).cwiseMax(cone_.lowest()).cwiseMin(cone_.highest());
  A_.diagonal().segment(first, count) = G_.diagonal().segment(first, count);
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
  constexpr int64_t kColumns = 256;  // that are added to G by one product
  RowMatrix W = RowMatrix::Zero(W_.rows(), W_.cols());
  G_.setZero();
  for_panels(Y_.rows(), pool_, [&](LabelPanel panel, int64_t) {
    const auto [first, count] = panel;
    WeightedFactors moments(Y_.rows());
    for (int64_t i = 0; i < Y_.cols(); ++i) {
      const Block& block = blocks_[static_cast<size_t>(i)];
      const Eigen::VectorXd y = Y_.col(i).cast<double>();
      Eigen::VectorXd difference = y.segment(first, count);
      for (int64_t j = 0; j < block.corners(); ++j)
        difference -= block.alpha(j) * block.factor(j).col(0).segment(first, count);
      add_outer(W.middleCols(first, count), X_, i, difference / (N_ * plan_.settings.lambda_w));
      if (!with_prior_) continue;
      block.append_weighted(block.alpha / (N_ * plan_.settings.lambda_a), moments);
      moments.append(y, -1 / (N_ * plan_.settings.lambda_a));
      if (moments.columns() < kColumns) continue;
      moments.add_to(G_, panel);
      moments.clear();
    }
    moments.add_to(G_, panel);
    if (with_prior_) project(panel);
    late_W_.middleCols(first, count) +=
        averaging_weight() * (W.middleCols(first, count) - W_.middleCols(first, count));
  });
  W_ = std::move(W);
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
  Oracle fresh(*plan_.decoder, *plan_.loss, Y_, offsets_, ranks_, pool_,
               control_);  // training's warm blocks stay as they are
  FitReport report = regularised_objective(fresh, X_, parameters(), plan_.settings, seed_, pool_);
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
