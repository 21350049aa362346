// SPDX-License-Identifier: MIT
#include "train/bundle.hpp"

#include <algorithm>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"
#include "train/panels.hpp"
#include "train/simplex.hpp"

namespace concord {
namespace {

constexpr int64_t kIdle = 10;       // passes after which a plane without weight is dropped
constexpr int kRounds = 50;         // of quadratic models of the dual, where A has a sign
constexpr int kSteps = 20000;       // on a model
constexpr double kShortest = 0.05;  // part of the way from the best point to the dual's
constexpr double kMissed = 1e-3;    // part of the gap that the maximum of the dual may be missed by

/// out = sum of weights_j parts_j, entry by entry, by the threads of the pool.
template <class Matrix, class Part>
void combine_parts(const Eigen::ArrayXd& weights, const Part& part, ThreadPool& pool, Matrix& out) {
  constexpr int64_t kEntries = 1 << 14;
  for_pieces(out.size(), kEntries, &pool, [&](int64_t first, int64_t count) {
    Eigen::Map<Eigen::ArrayXd> sum(out.data() + first, count);
    sum.setZero();
    for (int64_t j = 0; j < weights.size(); ++j)
      if (weights(j) != 0)
        sum += weights(j) * Eigen::Map<const Eigen::ArrayXd>(part(j).data() + first, count);
  });
}

}  // namespace

Bundle::Bundle(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
               const RunControl& control)
    : DecodingFit(plan, data, seed, pool, control),
      found_{RowMatrix::Zero(data.X.columns(), data.Y.rows()),
             Eigen::MatrixXd::Zero(data.Y.rows(), data.Y.rows())},
      best_(found_),
      slope_(found_) {}

/// The first pass is made at W = 0 and A = 0.
void Bundle::begin() {
  if (!planes_.empty()) return;
  Pass first = pass(best_);
  if (control_.stop_requested()) return;
  slope_ = slope_at(best_, first.plane);
  report_ = first.report;
  add(std::move(first.plane));
  report_.dual = dual();
}

void Bundle::epoch() {
  begin();
  if (control_.stop_requested()) return;
  maximise_dual();
  const Parameters at{best_.W + reach_ * (found_.W - best_.W), best_.A + reach_ * (found_.A - best_.A)};
  Pass made = pass(at);
  if (control_.stop_requested()) return;
  ++epochs_;
  Parameters slope = slope_at(at, made.plane);
  set_reach(along(slope_), along(slope));
  add(std::move(made.plane));
  if (made.report.objective >= report_.objective) return;
  made.report.dual = report_.dual;
  report_ = made.report;
  best_ = at;
  slope_ = std::move(slope);
}

/// A subgradient of the objective at the point where the plane was made.
Parameters Bundle::slope_at(const Parameters& at, const Plane& plane) const {
  Parameters slope{plane.W + plan_.settings.lambda_w * at.W, at.A};
  if (with_prior_) slope.A = plane.A + plan_.settings.lambda_a * at.A;
  return slope;
}

/// A slope along the line from the best point to the dual's.
double Bundle::along(const Parameters& slope) const {
  return slope.W.cwiseProduct(found_.W - best_.W).sum() + slope.A.cwiseProduct(found_.A - best_.A).sum();
}

/// On the line from the best point to the dual's the objective had one slope at the best point, and another where the pass was
/// made. Its lowest point is about where the slope between would vanish: the next line is likely to be alike.
void Bundle::set_reach(double at_best, double at_pass) {
  if (at_pass <= at_best)
    reach_ = 1;
  else if (at_best < 0)
    reach_ = std::clamp(reach_ * at_best / (at_best - at_pass), kShortest, 1.0);
  else
    reach_ = std::max(kShortest, reach_ / 2);
}

/// All instances at one point. A piece of them adds up b, then W and A of the plane.
Bundle::Pass Bundle::pass(const Parameters& at) {
  const int64_t V = Y_.rows(), d = X_.columns();
  oracle_.renew();
  const double share = 1 / static_cast<double>(Y_.cols());
  PassSums what{1 + d * V + (with_prior_ ? V * V : 0), {}};
  what.add = [&](std::span<const int64_t> rows, const std::vector<MostViolated>& answers,
                 Eigen::Ref<Eigen::VectorXd> sums) {
    Eigen::Map<RowMatrix> W(sums.data() + 1, d, V);
    WeightedFactors moments(V);
    for (size_t j = 0; j < rows.size(); ++j) {
      sums(0) += share * answers[j].loss;
      if (!with_prior_) continue;
      moments.append(answers[j].F, -share);
      moments.append(Y_.col(rows[j]).cast<double>().matrix(), share);
    }
    for_panels(V, pool_, [&](LabelPanel panel, int64_t) {
      const auto [first, count] = panel;
      for (size_t j = 0; j < rows.size(); ++j)
        add_outer(W.middleCols(first, count), X_, rows[j],
                  share * (answers[j].u() - Y_.col(rows[j]).cast<double>().matrix()).segment(first, count));
      if (with_prior_) moments.add_to(Eigen::Map<Eigen::MatrixXd>(sums.data() + 1 + d * V, V, V), panel);
    });
  };
  Pass made;
  Eigen::VectorXd sums;
  made.report =
      regularised_objective(oracle_, X_, at, plan_.settings, kit::derive(seed_, epochs_), pool_, what, &sums);
  made.plane.b = sums(0);
  made.plane.W = Eigen::Map<RowMatrix>(sums.data() + 1, d, V);
  if (!with_prior_) return made;
  made.plane.A = Eigen::Map<Eigen::MatrixXd>(sums.data() + 1 + d * V, V, V);
  made.plane.A.triangularView<Eigen::StrictlyUpper>() = made.plane.A.transpose();
  if (!plan_.diagonal) made.plane.A.diagonal().setZero();
  return made;
}

void Bundle::add(Plane plane) {
  const auto m = static_cast<int64_t>(planes_.size());
  planes_.push_back(std::move(plane));
  products_W_.conservativeResize(m + 1, m + 1);
  products_A_.conservativeResize(m + 1, m + 1);
  pool_.run(m + 1, [&](int64_t j) {
    const Plane &a = planes_[static_cast<size_t>(j)], &b = planes_.back();
    products_W_(j, m) = products_W_(m, j) = a.W.cwiseProduct(b.W).sum();
    products_A_(j, m) = products_A_(m, j) = with_prior_ ? a.A.cwiseProduct(b.A).sum() : 0;
  });
  alpha_.conservativeResize(m + 1);
  alpha_(m) = m == 0 ? 1 : 0;
  if (m > 0) return;
  combine_W();
  combine_A();
}

void Bundle::combine_W() {
  combine_parts(
      alpha_ / -plan_.settings.lambda_w,
      [&](int64_t j) -> auto& { return planes_[static_cast<size_t>(j)].W; }, pool_, found_.W);
}

void Bundle::combine_A() {
  if (!with_prior_) return;
  combine_parts(
      alpha_ / -plan_.settings.lambda_a,
      [&](int64_t j) -> auto& { return planes_[static_cast<size_t>(j)].A; }, pool_, found_.A);
  const Eigen::VectorXd diagonal = found_.A.diagonal();
  found_.A = found_.A.cwiseMax(cone_.lowest()).cwiseMin(cone_.highest());
  found_.A.diagonal() = diagonal;
}

/// The heights of the planes at the point of alpha: the slope of D in each weight.
Eigen::ArrayXd Bundle::slopes() const {
  Eigen::ArrayXd slope = (products_W_ * alpha_.matrix()).array() / -plan_.settings.lambda_w;
  pool_.run(alpha_.size(), [&](int64_t j) {
    const Plane& plane = planes_[static_cast<size_t>(j)];
    slope(j) += plane.b + (with_prior_ ? plane.A.cwiseProduct(found_.A).sum() : 0);
  });
  return slope;
}

double Bundle::dual() const {
  double losses = 0;
  for (size_t j = 0; j < planes_.size(); ++j) losses += alpha_(static_cast<int64_t>(j)) * planes_[j].b;
  return losses - alpha_.matrix().dot(products_W_ * alpha_.matrix()) / (2 * plan_.settings.lambda_w) -
         plan_.settings.lambda_a / 2 * found_.A.squaredNorm();
}

/// Without a sign on A the first model is D itself. With one, D is no lower than the model, whose curvature that of the
/// projection does not exceed: what raises the model raises D.
void Bundle::maximise_dual() {
  const Eigen::MatrixXd curvature =
      products_W_ / plan_.settings.lambda_w + products_A_ / plan_.settings.lambda_a;
  const double enough = kMissed * (report_.objective - report_.dual);
  for (int round = 0; round < kRounds; ++round) {
    SimplexModel model{alpha_, slopes(), curvature};
    model.ascend(kSteps, 1e-6);
    combine_A();
    if (cone_.is_whole_space() || !with_prior_ || model.gained <= enough) break;
  }
  combine_W();
  report_.dual = std::max(report_.dual, dual());
  drop_idle();
}

void Bundle::drop_idle() {
  std::vector<int64_t> kept;
  for (size_t j = 0; j < planes_.size(); ++j) {
    planes_[j].idle = alpha_(static_cast<int64_t>(j)) > 0 ? 0 : planes_[j].idle + 1;
    if (planes_[j].idle < kIdle) kept.push_back(static_cast<int64_t>(j));
  }
  if (kept.size() == planes_.size()) return;
  std::vector<Plane> planes;
  for (const int64_t j : kept) planes.push_back(std::move(planes_[static_cast<size_t>(j)]));
  planes_ = std::move(planes);
  alpha_ = alpha_(kept).eval();
  products_W_ = products_W_(kept, kept).eval();
  products_A_ = products_A_(kept, kept).eval();
}

Parameters Bundle::parameters() const {
  return best_;
}

Parameters Bundle::dual_point() const {
  return found_;
}

FitReport Bundle::evaluate() {
  begin();
  return report_;
}

void Bundle::save(ArchiveWriter& out) {
  out.put(epochs_);
  out.put(static_cast<uint64_t>(planes_.size()));
  for (const Plane& plane : planes_) {
    out.put(plane.b);
    out.put(plane.idle);
    out.put_array(plane.W);
    out.put_array(plane.A);
  }
  out.put_array(alpha_);
  out.put_array(products_W_);
  out.put_array(products_A_);
  for (const Parameters* at : {&found_, &best_, &slope_}) {
    out.put_array(at->W);
    out.put_array(at->A);
  }
  for (const double x : {report_.objective, report_.dual, report_.solved, report_.pruned, reach_}) out.put(x);
  out.put(static_cast<int64_t>(report_.estimate));
  oracle_.gather_warm([&](int64_t i) { return ranks_.takes(PassPieces{Y_.cols()}.of(i)); });
  oracle_.save_warm(out);
}

void Bundle::restore(ArchiveReader& in) {
  const int64_t V = Y_.rows();
  epochs_ = in.get<int64_t>();
  planes_.assign(in.get_count(sizeof(double) * static_cast<size_t>(X_.columns() * V)),
                 {RowMatrix(X_.columns(), V), Eigen::MatrixXd(with_prior_ ? V : 0, with_prior_ ? V : 0)});
  for (Plane& plane : planes_) {
    plane.b = in.get<double>();
    plane.idle = in.get<int64_t>();
    in.get_array(plane.W);
    in.get_array(plane.A);
  }
  const auto m = static_cast<int64_t>(planes_.size());
  alpha_.resize(m);
  in.get_array(alpha_);
  ArchiveReader::require((alpha_ >= 0).all() && std::abs(alpha_.sum() - 1) < 1e-6,
                         "the checkpoint is damaged: weights of planes are not on the simplex");
  in.get_matrix(products_W_, m, m);
  in.get_matrix(products_A_, m, m);
  for (Parameters* at : {&found_, &best_, &slope_}) {
    in.get_array(at->W);
    in.get_array(at->A);
  }
  for (double* x : {&report_.objective, &report_.dual, &report_.solved, &report_.pruned, &reach_})
    *x = in.get<double>();
  report_.estimate = in.get<int64_t>() != 0;
  oracle_.restore_warm(in);
}

}  // namespace concord
