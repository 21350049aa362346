// SPDX-License-Identifier: MIT
#pragma once
// A sum of w FF' over answers of the decoder, kept as columns with weights until it is added to a matrix.
#include <Eigen/Core>
#include <vector>

#include "train/panels.hpp"

namespace concord {

class WeightedFactors {
 public:
  explicit WeightedFactors(int64_t V) : V_(V) {}

  int64_t columns() const { return static_cast<int64_t>(weights_.size()); }
  void append(const Eigen::Ref<const Eigen::MatrixXd>& F, double weight) {
    for (int64_t j = 0; j < F.cols(); ++j) {
      entries_.insert(entries_.end(), F.col(j).data(), F.col(j).data() + V_);
      weights_.push_back(weight);
    }
  }
  void clear() {
    entries_.clear();
    weights_.clear();
  }

  /// Adds the entries in the panel's columns, on and below the diagonal.
  void add_to(Eigen::Ref<Eigen::MatrixXd> sum, LabelPanel panel) const {
    if (columns() == 0) return;
    const Eigen::Map<const Eigen::MatrixXd> F(entries_.data(), V_, columns());
    const Eigen::Map<const Eigen::VectorXd> weights(weights_.data(), columns());
    const auto [first, count] = panel;
    const int64_t below = V_ - panel.end();
    const Eigen::MatrixXd weighted = weights.asDiagonal() * F.middleRows(first, count).transpose();
    sum.block(first, first, count, count).triangularView<Eigen::Lower>() +=
        F.middleRows(first, count) * weighted;
    sum.block(panel.end(), first, below, count).noalias() += F.bottomRows(below) * weighted;
  }

 private:
  int64_t V_;
  std::vector<double> entries_;  ///< V x columns
  std::vector<double> weights_;
};

}  // namespace concord
