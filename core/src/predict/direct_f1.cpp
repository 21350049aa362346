// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "predict/rules.hpp"

namespace concord {
namespace {

/// Expected gains of an instance's labels, by direct regression.
class Gains {
 public:
  Gains(const std::vector<SizedLabel>& targets, int64_t V)
      : targets_(targets), of_k_(static_cast<size_t>(V)), order_(static_cast<size_t>(V)) {}

  /// The largest sum of k gains 2/(s + k) P(z_v = 1, |z| = s), summed over s; `k` labels of order() have it.
  double best_sum(const Eigen::Ref<const Eigen::VectorXd>& estimates, int64_t k) {
    std::fill(of_k_.begin(), of_k_.end(), 0.0);
    for (size_t t = 0; t < targets_.size(); ++t)
      if (const auto [v, s] = targets_[t]; v >= 0)
        of_k_[static_cast<size_t>(v)] +=
            2.0 / static_cast<double>(s + k) * estimates(static_cast<int64_t>(t));
    std::iota(order_.begin(), order_.end(), 0);
    std::partial_sort(order_.begin(), order_.begin() + k, order_.end(), [&](int64_t a, int64_t b) {
      const double gain = of_k_[static_cast<size_t>(a)], other = of_k_[static_cast<size_t>(b)];
      return gain != other ? gain > other : a < b;
    });
    double sum = 0;
    for (int64_t r = 0; r < k; ++r) sum += of_k_[static_cast<size_t>(order_[static_cast<size_t>(r)])];
    return sum;
  }
  const std::vector<int64_t>& order() const { return order_; }

 private:
  const std::vector<SizedLabel>& targets_;
  std::vector<double> of_k_;
  std::vector<int64_t> order_;
};

}  // namespace

LabelMatrix label_by_direct_f1(const std::vector<SizedLabel>& targets, const Eigen::MatrixXd& estimates,
                               int64_t V, int64_t least) {
  LabelMatrix labels = LabelMatrix::Constant(V, estimates.cols(), -1);
  Gains gains(targets, V);
  for (int64_t i = 0; i < estimates.cols(); ++i) {
    double best = -std::numeric_limits<double>::infinity();
    std::vector<int64_t> chosen;
    if (least <= 0) {
      best = 0;
      for (size_t t = 0; t < targets.size(); ++t)
        if (targets[t].label < 0) best = estimates(static_cast<int64_t>(t), i);
    }
    for (int64_t k = std::clamp<int64_t>(least, 1, V); k <= V; ++k) {
      const double sum = gains.best_sum(estimates.col(i), k);
      if (!(sum > best)) continue;
      best = sum;
      chosen.assign(gains.order().begin(), gains.order().begin() + k);
    }
    for (const int64_t v : chosen) labels(v, i) = 1;
  }
  return labels;
}

}  // namespace concord
