// SPDX-License-Identifier: MIT
#pragma once
// W and A are worked on in panels, ranges of labels: columns of W, and the columns of A on and below the diagonal. What a panel
// holds depends on no other panel, so that threads need no order among them.
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/run.hpp"

namespace concord {

/// The labels from `first` on. The panels are part of the bits: they depend on the number of labels V alone.
struct LabelPanel {
  int64_t first = 0, count = 0;
  int64_t end() const { return first + count; }

  /// Below 64 labels there is one panel: handing it over would take longer than the work.
  static int64_t width(int64_t V) { return V < 64 ? std::max<int64_t>(V, 1) : 32; }
  static int64_t how_many(int64_t V) { return (V + width(V) - 1) / width(V); }
  static LabelPanel number(int64_t p, int64_t V) {
    return {p * width(V), std::min(width(V), V - p * width(V))};
  }
};

/// Calls work(panel, its number) for all panels of V labels, on the threads of the pool.
template <class Work>
void for_panels(int64_t V, ThreadPool& pool, Work&& work) {
  pool.run(LabelPanel::how_many(V), [&](int64_t p) { work(LabelPanel::number(p, V), p); });
}

/// A sum of w FF' over answers of the decoder, kept as columns with weights until it is added to a matrix.
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
