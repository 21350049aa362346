// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>

#include "data/dataset.hpp"

namespace concord {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

/// Keeps the `limit` first in the order of `before`.
class Best {
 public:
  Best(int64_t limit, double sign) : limit_(static_cast<size_t>(limit)), sign_(sign) {}

  void offer(const LabelPair& pair) {
    if (sign_ * pair.phi <= 0) return;
    kept_.push_back(pair);
    if (kept_.size() >= 2 * limit_ + 64) shrink();
  }
  std::vector<LabelPair> take() {
    shrink();
    return std::move(kept_);
  }

 private:
  void shrink() {
    // Pairs are offered in their own order, which a stable sort keeps among ties.
    std::stable_sort(kept_.begin(), kept_.end(), [this](const LabelPair& a, const LabelPair& b) {
      return sign_ * a.phi > sign_ * b.phi;
    });
    kept_.resize(std::min(kept_.size(), limit_));
  }

  size_t limit_;
  double sign_;
  std::vector<LabelPair> kept_;
};

/// phi = (N n_vw - n_v n_w) / sqrt(n_v (N - n_v) n_w (N - n_w)), row by row of the V x V table: memory stays
/// O(V).
void correlations(const Lists& labels_of, const std::vector<int64_t>& positives, int64_t pairs,
                  DatasetInfo& info) {
  const auto N = static_cast<double>(labels_of.size());
  const auto V = static_cast<int64_t>(positives.size());
  Lists instances_of(positives.size());
  for (size_t i = 0; i < labels_of.size(); ++i)
    for (const int64_t v : labels_of[i])
      instances_of[static_cast<size_t>(v)].push_back(static_cast<int64_t>(i));
  Best attracting(pairs, 1), repelling(pairs, -1);
  std::vector<int64_t> together(positives.size());
  for (int64_t v = 0; v < V; ++v) {
    std::fill(together.begin(), together.end(), 0);
    for (const int64_t i : instances_of[static_cast<size_t>(v)])
      for (const int64_t w : labels_of[static_cast<size_t>(i)]) ++together[static_cast<size_t>(w)];
    const auto n_v = static_cast<double>(positives[static_cast<size_t>(v)]);
    for (int64_t w = v + 1; w < V; ++w) {
      const auto n_w = static_cast<double>(positives[static_cast<size_t>(w)]);
      const double variances = n_v * (N - n_v) * n_w * (N - n_w);
      if (variances == 0) continue;
      const int64_t n_vw = together[static_cast<size_t>(w)];
      const LabelPair pair{v, w, (N * static_cast<double>(n_vw) - n_v * n_w) / std::sqrt(variances), n_vw};
      attracting.offer(pair);
      repelling.offer(pair);
    }
  }
  info.attracting = attracting.take();
  info.repelling = repelling.take();
}

}  // namespace

DatasetInfo dataset_info(const Dataset& dataset, int64_t pairs) {
  DatasetInfo info;
  info.nonzeros = dataset.X.is_sparse() ? (dataset.X.sparse().coeffs() != 0).count()
                                        : (dataset.X.dense().array() != 0).count();
  info.positives = positives_per_label(dataset.Y);
  Lists labels_of;
  for (int64_t i = 0; i < dataset.instances(); ++i) labels_of.push_back(positives(dataset.Y.col(i)));

  int64_t total = 0;
  info.fewest = dataset.labels();
  for (const auto& labels : labels_of) {
    const auto count = static_cast<int64_t>(labels.size());
    total += count;
    info.fewest = std::min(info.fewest, count);
    info.most = std::max(info.most, count);
    info.without_labels += count == 0 ? 1 : 0;
  }
  info.cardinality = static_cast<double>(total) / static_cast<double>(dataset.instances());
  info.labelsets =
      static_cast<int64_t>(std::set<std::vector<int64_t>>(labels_of.begin(), labels_of.end()).size());
  correlations(labels_of, info.positives, pairs, info);
  return info;
}

}  // namespace concord
