// SPDX-License-Identifier: MIT
#pragma once
// The total-variation prox of an attractive prior,
//   x* = argmin 1/2 ||x - g||^2 + sum_{i<j} w_ij |x_i - x_j|,   w_ij = 4|A_ij|, g = 2c.
// For every mu the level set {x* > mu} is the minimal minimiser of the cut with g - mu, so x* holds all
// breakpoints of the cardinality's Lagrangian at once. Divide and conquer: on a part S of the labels x* and g
// have the same mean. The cut at this mean either splits S or is empty, and then x* is constant on S.
// Couplings that cross a split are terms of g on both sides (x* is larger on one). There are at most V - 1
// splits.
//
// Everything stays an integer: the pivot on S is exact when all is multiplied by |S|, |S| g_i - sum_S g. The
// multiplication makes the quantum of w and g coarser, by V and by what g exceeds the couplings: at most
// 2^-57 of V (max |g| + max_v sum_j w_vj).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <concord/kit/min_cut.hpp>

namespace concord::kit {

/// Nested sets of labels: the first sizes[i] of `order`, for i = 0, 1, ... The first is empty, the last is
/// everything.
struct LevelSets {
  std::vector<size_t> order;  ///< largest x* first, ties to the lower index
  std::vector<size_t> sizes;
  std::vector<double> levels;  ///< levels[i] is x* on the labels between sizes[i] and sizes[i+1]

  /// The last i with sizes[i] <= k. requires k <= V
  size_t at_most(size_t k) const {
    return static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), k) - sizes.begin()) - 1;
  }
  /// The labelling of set i.
  Vector labelling(size_t i) const {
    Vector u = Vector::Constant(static_cast<Index>(order.size()), -1);
    for (size_t j = 0; j < sizes[i]; ++j) u[static_cast<Index>(order[j])] = 1;
    return u;
  }
};

/// Holds memory for the next problem; one for each thread.
class TvProx {
 public:
  /// All level sets of x*, or with a k only enough of them: the smallest set of at least and the largest of at
  /// most k labels are there. stop() as in DenseMaxFlow; false: stopped, and `sets` is not complete.
  template <class Stop>
  bool solve(const CutGraph& graph, const VectorRef& c, std::optional<size_t> k, LevelSets& sets,
             Stop&& stop) {
    sets.order.clear();
    sets.sizes.assign(1, 0);
    sets.levels.clear();
    stack_.clear();
    stack_.push_back(whole(graph, c));
    while (!stack_.empty()) {
      Part part = std::move(stack_.back());
      stack_.pop_back();
      const size_t above = sets.order.size();
      const bool wanted = !k || (above < *k && *k < above + part.labels.size());
      if (wanted && part.labels.size() > 1) {
        if (!cut(graph, part, stop)) return false;
        if (std::find(z_.begin(), z_.end(), 1) != z_.end()) {
          split(graph, std::move(part));
          continue;
        }
      }
      sets.order.insert(sets.order.end(), part.labels.begin(), part.labels.end());
      sets.sizes.push_back(sets.order.size());
      sets.levels.push_back(
          std::ldexp(static_cast<double>(part.sum()) / static_cast<double>(part.g.size()), scale_.exponent));
    }
    return true;
  }

 private:
  /// Labels that no cut has separated yet. g and sums count only couplings within; others are terms of g.
  struct Part {
    std::vector<size_t> labels;
    std::vector<int64_t> g, sums;

    int64_t sum() const { return std::accumulate(g.begin(), g.end(), int64_t{0}); }
  };

  Part whole(const CutGraph& graph, const VectorRef& c) {
    const size_t V = graph.labels();
    // Let L = max|g| + max_v sums_v; half of L does not overflow. All |g - mean| <= 2L and all sums <= L. V
    // times either must stay far below 2^63.
    const int64_t most = *std::max_element(graph.sums().begin(), graph.sums().end());
    const double half = c.cwiseAbs().maxCoeff() + std::ldexp(static_cast<double>(most), graph.exponent() - 1);
    int e = 0;
    std::frexp(half, &e);
    e += 1 + std::bit_width(V);
    scale_.exponent = std::max(graph.exponent(), e - cut_sum_bits);
    scale_.shift = std::min(scale_.exponent - graph.exponent(), 62);
    scale_.factor = 1;
    Part part{{graph.everything().begin(), graph.everything().end()},
              std::vector<int64_t>(V),
              std::vector<int64_t>(V)};
    for (size_t v = 0; v < V; ++v) {
      part.g[v] = scale_.integer(2 * c[static_cast<Index>(v)], int64_t{1} << 60);
      part.sums[v] = scale_.weight(graph.sum(v));  // at least the sum of the shifted weights
    }
    return part;
  }

  /// z_ = the minimal cut of the part at the mean of g.
  template <class Stop>
  bool cut(const CutGraph& graph, const Part& part, Stop&& stop) {
    const auto n = static_cast<int64_t>(part.labels.size());
    const int64_t sum = part.sum();
    g_.resize(part.g.size());
    sums_.resize(part.g.size());
    for (size_t i = 0; i < part.g.size(); ++i) {
      g_[i] = n * part.g[i] - sum;
      sums_[i] = n * part.sums[i];
    }
    return cut_.solve(graph, {scale_.exponent, scale_.shift, n}, part.labels, g_, sums_, z_, stop);
  }

  /// Puts the two sides on the stack, that of larger x* on top.
  void split(const CutGraph& graph, Part&& part) {
    Part high;
    Part low;
    for (size_t i = 0; i < part.labels.size(); ++i) {
      Part& side = z_[i] != 0 ? high : low;
      side.labels.push_back(part.labels[i]);
      side.g.push_back(part.g[i]);
      side.sums.push_back(part.sums[i]);
    }
    for (size_t i = 0; i < high.labels.size(); ++i) {
      const int64_t* W = graph.row(high.labels[i]);
      int64_t sum = 0;
      for (size_t j = 0; j < low.labels.size(); ++j) {
        const int64_t w = scale_.weight(W[low.labels[j]]);
        sum += w;
        low.g[j] += w;
        low.sums[j] -= w;
      }
      high.g[i] -= sum;
      high.sums[i] -= sum;
    }
    stack_.push_back(std::move(low));
    stack_.push_back(std::move(high));
  }

  CutScale scale_;
  MinCut cut_;
  std::vector<Part> stack_;
  std::vector<uint8_t> z_;
  std::vector<int64_t> g_, sums_;
};

}  // namespace concord::kit
