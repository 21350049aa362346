// SPDX-License-Identifier: MIT
#pragma once
// The dual block of one instance: a few answers of the decoder ("corners") with weights alpha that sum to 1.
#include <Eigen/Core>
#include <vector>

#include "train/archive.hpp"

namespace concord {

class Block {
 public:
  Block() = default;
  /// The truth alone.
  explicit Block(const Eigen::VectorXd& y);

  int64_t corners() const { return alpha.size(); }
  /// The factor of corner j: U_j = FF', its first column is u_j.
  auto factor(int64_t j) const { return F.middleCols(start(j), start(j + 1) - start(j)); }
  /// The u of all corners as columns.
  Eigen::MatrixXd u() const;
  /// <A, U_j> for each corner, from the lower triangle of A.
  Eigen::ArrayXd quadratics(const Eigen::MatrixXd& A) const;
  /// The sum of weights_j F_j F_j' is added to the lower triangle of `sum`.
  void add_moments(const Eigen::ArrayXd& weights, Eigen::MatrixXd& sum) const;
  /// <U_j, U_k> for all pairs, with or without the diagonals of the U.
  Eigen::MatrixXd moment_products(bool with_diagonal) const;

  /// Gives it weight 0; one that is there already is not added again.
  void add(const Eigen::MatrixXd& its_factor, double its_loss);
  void drop_unused();

  size_t bytes() const { return sizeof(double) * static_cast<size_t>(F.size()); }
  void save(ArchiveWriter& out) const;
  void restore(ArchiveReader& in, int64_t V);

  Eigen::MatrixXd F;     ///< all factors side by side
  Eigen::ArrayXd loss;   ///< L of each corner
  Eigen::ArrayXd alpha;  ///< its weight

 private:
  int64_t start(int64_t j) const { return starts_[static_cast<size_t>(j)]; }
  std::vector<int64_t> starts_;  ///< the first column of each corner, and the number of columns
};

}  // namespace concord
