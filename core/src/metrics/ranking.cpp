// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "metrics/metrics.hpp"

namespace concord {
namespace {

constexpr std::array<int64_t, 3> kCuts = {1, 3, 5};

struct RankedLabel {
  double rank;
  bool is_true;
};

/// One instance: its unknown labels from the best to the last.
class RankedInstance {
 public:
  explicit RankedInstance(std::vector<RankedLabel> labels) : labels_(std::move(labels)) {
    std::sort(labels_.begin(), labels_.end(),
              [](const RankedLabel& a, const RankedLabel& b) { return a.rank > b.rank; });
    for (size_t begin = 0, end = 0; begin < labels_.size(); begin = end) {
      double hits = 0;
      while (end < labels_.size() && labels_[end].rank == labels_[begin].rank)
        hits += labels_[end++].is_true ? 1 : 0;
      take_equals(hits, static_cast<double>(end - begin), static_cast<double>(end));
    }
  }

  double ranking_loss() const {
    const double pairs = true_ * (static_cast<double>(labels_.size()) - true_);
    return pairs == 0 ? 0 : wrong_pairs_ / pairs;
  }
  double coverage() const { return coverage_; }
  double lrap() const { return true_ == 0 ? 1 : precisions_ / true_; }
  double precision_at(int64_t k) const {
    const auto looked_at = static_cast<double>(cut(k));
    return looked_at == 0 ? 1 : hits_at(k) / looked_at;
  }
  double recall_at(int64_t k) const { return true_ == 0 ? 1 : hits_at(k) / true_; }
  double ndcg_at(int64_t k) const {
    if (true_ == 0) return 1;
    double gained = 0, ideal = 0;
    for (size_t j = 0; j < cut(k); ++j) {
      const double discount = 1 / std::log2(static_cast<double>(j) + 2);
      gained += gains_[j] * discount;
      ideal += static_cast<double>(j) < true_ ? discount : 0;
    }
    return gained / ideal;
  }

 private:
  /// The next labels, all of one rank: `hits` of `count` are true, and `below` labels rank at least as high.
  void take_equals(double hits, double count, double below) {
    const double false_above = below - count - true_;
    wrong_pairs_ += hits * (false_above + count - hits);
    precisions_ += hits * (true_ + hits) / below;
    if (hits > 0) coverage_ = below;
    gains_.insert(gains_.end(), static_cast<size_t>(count), hits / count);
    true_ += hits;
  }

  size_t cut(int64_t k) const { return std::min(static_cast<size_t>(k), labels_.size()); }

  double hits_at(int64_t k) const {
    double hits = 0;
    for (size_t j = 0; j < cut(k); ++j) hits += gains_[j];
    return hits;
  }

  std::vector<RankedLabel> labels_;
  std::vector<double> gains_;  ///< how likely the label at a place is true, over all orders of equals
  double true_ = 0, wrong_pairs_ = 0, precisions_ = 0, coverage_ = 0;
};

}  // namespace

std::vector<RankMetric> rank_metrics(int64_t V) {
  std::vector<RankMetric> all = {{"ranking-loss", true}, {"coverage", true}, {"lrap", false}};
  for (const int64_t k : kCuts) {
    if (k > V) break;
    for (const char* name : {"precision", "recall", "ndcg"})
      all.push_back({fmt::format("{}-at-{}", name, k), false});
  }
  return all;
}

const RankMetric* find_rank_metric(const std::string& name) {
  static const std::vector<RankMetric> all = rank_metrics(kCuts.back());
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const RankMetric& metric) { return metric.name == name; });
  return at == all.end() ? nullptr : &*at;
}

Eigen::MatrixXd rank_values(const Eigen::MatrixXd& ranking, const LabelMatrix& truth,
                            const LabelMatrix& known) {
  const int64_t V = truth.rows(), N = truth.cols();
  const auto fits = [&](const auto& matrix) { return matrix.rows() == V && matrix.cols() == N; };
  if (!fits(ranking) || (known.size() > 0 && !fits(known)))
    fail(Fault::input, "the ranking is of {} labels x {} instances, and the truth is {} x {}", ranking.rows(),
         ranking.cols(), V, N);
  Eigen::MatrixXd values(static_cast<int64_t>(rank_metrics(V).size()), N);
  for (int64_t i = 0; i < N; ++i) {
    std::vector<RankedLabel> labels;
    for (int64_t v = 0; v < V; ++v) {
      if (known.size() > 0 && known(v, i) != 0) continue;
      if (std::isnan(ranking(v, i)))
        fail(Fault::input, "label {} of instance {} (counted from 0) has no rank: it is NaN", v, i);
      labels.push_back({ranking(v, i), truth(v, i) > 0});
    }
    const RankedInstance instance(std::move(labels));
    int64_t row = 0;
    values(row++, i) = instance.ranking_loss();
    values(row++, i) = instance.coverage();
    values(row++, i) = instance.lrap();
    for (const int64_t k : kCuts) {
      if (k > V) break;
      values(row++, i) = instance.precision_at(k);
      values(row++, i) = instance.recall_at(k);
      values(row++, i) = instance.ndcg_at(k);
    }
  }
  return values;
}

}  // namespace concord
