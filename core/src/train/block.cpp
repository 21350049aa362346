// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "train/bcfw.hpp"

namespace concord {

Block::Block(const Eigen::VectorXd& y)
    : F(y), loss(Eigen::ArrayXd::Zero(1)), alpha(Eigen::ArrayXd::Ones(1)), starts_{0, 1} {}

Eigen::MatrixXd Block::u() const {
  if (F.cols() == corners()) return F;
  Eigen::MatrixXd columns(F.rows(), corners());
  for (int64_t j = 0; j < corners(); ++j) columns.col(j) = F.col(start(j));
  return columns;
}

Eigen::ArrayXd Block::quadratics(const Eigen::MatrixXd& A, LabelPanel panel) const {
  const auto [first, count] = panel;
  const int64_t below = F.rows() - panel.end();
  const auto own = F.middleRows(first, count);
  Eigen::MatrixXd products = A.block(first, first, count, count).selfadjointView<Eigen::Lower>() * own;
  products.noalias() += 2 * A.block(panel.end(), first, below, count).transpose() * F.bottomRows(below);
  products.array() *= own.array();
  Eigen::ArrayXd sums(corners());
  for (int64_t j = 0; j < corners(); ++j)
    sums(j) = products.middleCols(start(j), start(j + 1) - start(j)).sum();
  return sums;
}

void Block::append_weighted(const Eigen::ArrayXd& weights, WeightedFactors& sum) const {
  for (int64_t j = 0; j < corners(); ++j)
    if (weights(j) != 0) sum.append(factor(j), weights(j));
}

Eigen::MatrixXd Block::moment_products(bool with_diagonal) const {
  const Eigen::MatrixXd products = F.transpose() * F;
  Eigen::MatrixXd result(corners(), corners());
  for (int64_t j = 0; j < corners(); ++j)
    for (int64_t k = 0; k < corners(); ++k)
      result(j, k) =
          products.block(start(j), start(k), start(j + 1) - start(j), start(k + 1) - start(k)).squaredNorm();
  if (with_diagonal) return result;
  Eigen::MatrixXd diagonals(F.rows(), corners());
  for (int64_t j = 0; j < corners(); ++j) diagonals.col(j) = factor(j).rowwise().squaredNorm();
  return result - diagonals.transpose() * diagonals;
}

void Block::add(const Eigen::MatrixXd& its_factor, double its_loss) {
  for (int64_t j = 0; j < corners(); ++j)
    if (factor(j).cols() == its_factor.cols() && factor(j) == its_factor) {
      loss(j) = std::max(loss(j), its_loss);  // the better of two subproblems with the same point
      return;
    }
  F.conservativeResize(Eigen::NoChange, F.cols() + its_factor.cols());
  F.rightCols(its_factor.cols()) = its_factor;
  starts_.push_back(F.cols());
  loss.conservativeResize(starts_.size() - 1);
  alpha.conservativeResize(starts_.size() - 1);
  loss.tail(1) = its_loss;
  alpha.tail(1) = 0;
}

void Block::drop_unused() {
  int64_t kept = 0, columns = 0;
  for (int64_t j = 0; j < corners(); ++j) {
    if (alpha(j) <= 0) continue;
    const int64_t from = start(j), width = start(j + 1) - from;
    if (from != columns) F.middleCols(columns, width) = F.middleCols(from, width).eval();
    loss(kept) = loss(j);
    alpha(kept) = alpha(j);
    columns += width;
    starts_[static_cast<size_t>(++kept)] = columns;
  }
  if (kept == corners()) return;
  F.conservativeResize(Eigen::NoChange, columns);
  starts_.resize(static_cast<size_t>(kept) + 1);
  loss.conservativeResize(kept);
  alpha.conservativeResize(kept);
}

void Block::save(ArchiveWriter& out) const {
  out.put_array(starts_);
  out.put_array(F);
  out.put_array(loss);
  out.put_array(alpha);
}

void Block::restore(ArchiveReader& in, int64_t V) {
  starts_ = in.get_vector<int64_t>();
  const bool increasing = std::is_sorted(starts_.begin(), starts_.end(), std::less_equal<>());
  ArchiveReader::require(starts_.size() > 1 && starts_.front() == 0 && increasing,
                         "the checkpoint is damaged: the corners of a block are not one after the other");
  loss.resize(static_cast<int64_t>(starts_.size()) - 1);
  alpha.resize(loss.size());
  in.get_matrix(F, V, starts_.back());
  in.get_array(loss);
  in.get_array(alpha);
}

}  // namespace concord
