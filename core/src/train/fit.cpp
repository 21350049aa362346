// SPDX-License-Identifier: MIT
#include "train/fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"
#include "train/bcfw.hpp"
#include "train/bundle.hpp"
#include "train/oracle.hpp"
#include "train/ovr.hpp"
#include "train/subgradient.hpp"

namespace concord {
namespace {

/// y'W'x - y'Ay of the truths y, for given scores W'x.
Eigen::VectorXd truth_values(const Eigen::MatrixXd& scores, const Eigen::MatrixXd& A, const LabelMatrix& Y,
                             ThreadPool& pool) {
  constexpr int64_t kPiece = 32;
  Eigen::VectorXd values(Y.cols());
  for_pieces(Y.cols(), kPiece, &pool, [&](int64_t first, int64_t count) {
    const Eigen::MatrixXd y = Y.middleCols(first, count).cast<double>();
    const Eigen::MatrixXd linear = scores.middleCols(first, count) - A * y;
    values.segment(first, count) = y.cwiseProduct(linear).colwise().sum().transpose();
  });
  return values;
}

}  // namespace

std::vector<int64_t> shuffled(int64_t count, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  kit::Rng rng(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

bool for_batches(int64_t instances, int64_t batch, uint64_t seed, int64_t epoch, const RunControl& control,
                 const std::function<void(std::span<const int64_t>, uint64_t)>& visit) {
  const auto number = static_cast<uint64_t>(epoch);
  const std::vector<int64_t> order = shuffled(instances, kit::derive(kit::derive(seed, 1), number));
  const uint64_t decode_seed = kit::derive(kit::derive(seed, 2), number);
  const auto size = static_cast<size_t>(batch);
  for (size_t first = 0; first < order.size(); first += size) {
    if (control.stop_requested()) return false;
    visit({order.data() + first, std::min(size, order.size() - first)}, decode_seed);
  }
  return true;
}

int64_t PassPieces::size() const {
  constexpr int64_t kMost = 64, kSmallest = 256, kChunk = 32;  // of the oracle
  const int64_t equal = (instances + kMost - 1) / kMost;
  return std::max(kSmallest, (equal + kChunk - 1) / kChunk * kChunk);
}

FitReport regularised_objective(Oracle& oracle, const Features& X, const Parameters& at,
                                const TrainSettings& settings, uint64_t seed, ThreadPool& pool,
                                const PassSums& what, Eigen::VectorXd* sums) {
  enum { kSum, kSolved, kPruned, kEstimates, kOwn };
  constexpr int64_t kBlock = 1024;  // bounds the memory; a multiple of the oracle's chunks
  const LabelMatrix& Y = oracle.labels();
  Ranks& ranks = oracle.ranks();
  oracle.prepare(at.A);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(kOwn + what.count), part(total.size());
  const auto add_block = [&](int64_t first, int64_t count) {
    std::vector<int64_t> rows(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    const Eigen::MatrixXd S = scores(at.W, X, rows, pool);
    const auto answers = oracle.solve(rows, S, seed, false);
    const Eigen::VectorXd truths = truth_values(S, at.A, Y.middleCols(first, count), pool);
    for (size_t j = 0; j < rows.size(); ++j) {
      const bool proven = !std::isnan(answers[j].bound);
      part(kEstimates) += proven ? 0 : 1;
      part(kSolved) += static_cast<double>(answers[j].solved);
      part(kPruned) += static_cast<double>(answers[j].pruned);
      part(kSum) += (proven ? answers[j].bound : answers[j].value) - truths(static_cast<int64_t>(j));
    }
    if (what.count > 0) what.add(rows, answers, part.tail(what.count));
  };
  const PassPieces pieces{Y.cols()};
  for (int64_t first = 0; first < pieces.how_many(); first += ranks.count()) {
    part.setZero();
    const int64_t begin = std::min(Y.cols(), (first + ranks.rank()) * pieces.size());
    const int64_t end = std::min(Y.cols(), begin + pieces.size());
    for (int64_t row = begin; row < end; row += kBlock) add_block(row, std::min(kBlock, end - row));
    ranks.add_parts(begin < end ? part : Eigen::VectorXd(), total);
  }
  if (sums != nullptr) *sums = total.tail(what.count);
  const auto N = static_cast<double>(Y.cols());
  FitReport report;
  report.dual = std::numeric_limits<double>::quiet_NaN();
  report.estimate = total(kEstimates) > 0;
  report.solved = total(kSolved) / N;
  report.pruned = total(kPruned) / N;
  report.objective = total(kSum) / N + settings.lambda_w / 2 * at.W.squaredNorm() +
                     settings.lambda_a / 2 * at.A.squaredNorm();
  return report;
}

std::unique_ptr<Fit> make_fit(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
                              const RunControl& control) {
  switch (plan.settings.method) {
    case Method::likelihood:
      return likelihood_fit(plan, data, seed, pool, control);
    case Method::ovr:
      return one_versus_rest_fit(plan, data, seed, pool, control);
    case Method::bundle:
      return std::make_unique<Bundle>(plan, data, seed, pool, control);
    case Method::subgradient: {
      RowMatrix start;
      if (plan.settings.warm_start)
        start = one_versus_rest(data, Eigen::VectorXd::Constant(1, plan.settings.lambda_w),
                                plan.settings.hinge, seed, nullptr, pool, control);
      return std::make_unique<Subgradient>(plan, data, seed, plan.settings.warm_start ? &start : nullptr,
                                           pool, control);
    }
    default:
      return std::make_unique<Bcfw>(plan, data, seed, pool, control);
  }
}

bool is_report_point(const TrainSettings& settings, int64_t epoch, int64_t last) {
  const int64_t every = settings.report.value_or(std::max<int64_t>(1, last / 10));
  return epoch == last || epoch % every == 0;
}

bool has_reached_tol(const TrainSettings& settings, const FitReport& report) {
  return settings.tol && !report.estimate && report.relative_gap() <= *settings.tol;
}

int64_t epochs_for(const std::vector<GapPoint>& gaps) {
  const GapPoint& last = gaps.back();
  double power = 1;
  for (const GapPoint& point : gaps)
    if (2 * point.epoch <= last.epoch)
      power = std::max(1.0, std::log(point.gap / last.gap) /
                                std::log(static_cast<double>(last.epoch) / static_cast<double>(point.epoch)));
  const double needed = static_cast<double>(last.epoch) * std::pow(last.gap / kOpenGap, 1 / power);
  const double digits = std::pow(10, std::max(0.0, std::floor(std::log10(needed)) - 1));
  return static_cast<int64_t>(digits * std::ceil(needed / digits));
}

std::string open_gap_text(double gap, int64_t epochs) {
  return fmt::format("not converged: gap {:.2g} %, try train.epochs = {}", 100 * gap, epochs);
}

}  // namespace concord
