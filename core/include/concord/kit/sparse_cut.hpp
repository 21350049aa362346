// SPDX-License-Identifier: MIT
#pragma once
// Minimum cuts for attractive priors that are sparse: what kit/min_cut.hpp finds, on lists of neighbours. Capacities are the
// same integers, and the answer is the same: the smallest of the best sets.
//
// Push-relabel. The flow runs from labels with g < 0 (excess) to those with g > 0 (deficit). d_v is at most the distance from
// v to a deficit along residual arcs, a deficit itself being at 1. Labels with excess wait in a queue. The first one
// pushes along arcs that lead down by one, and rises when none is left. From time to time all d become exact by a search from
// the deficits; a label that the search does not find can reach no deficit any more, and keeps its excess.
#include <cstdint>
#include <deque>
#include <limits>
#include <stdexcept>
#include <vector>

#include <concord/kit/min_cut.hpp>
#include <concord/kit/objective.hpp>

namespace concord::kit {

/// The couplings of a sparse prior as integers, made once.
class SparseCutGraph {
 public:
  /// requires A symmetric with sorted rows, A_ij <= 0 off the diagonal; the diagonal is not read
  template <class M>
  explicit SparseCutGraph(const M& A) {
    const auto V = static_cast<size_t>(A.rows());
    double total = 0;
    for (Index v = 0; v < A.rows(); ++v)
      for (typename M::InnerIterator it(A, v); it; ++it)
        if (it.index() != v) total -= 4 * it.value();
    if (!std::isfinite(total)) throw std::invalid_argument("the sum of all couplings is not finite");
    scale_ = cut_scale(total);
    sums_.assign(V, 0);
    std::vector<int64_t> seen(V, 0);  // arcs of a label that have met theirs
    for (size_t v = 0; v < V; ++v) {
      for (typename M::InnerIterator it(A, static_cast<Index>(v)); it; ++it) {
        const auto j = static_cast<size_t>(it.index());
        if (j == v || it.value() == 0) continue;
        const int64_t w = std::llrint(std::ldexp(-4 * it.value(), -scale_.exponent));
        head_.push_back(static_cast<uint32_t>(j));
        weight_.push_back(w);
        sums_[v] += w;
        mate_.push_back(0);
        if (j > v) continue;
        // The arcs of j to labels above it come in the order of those labels.
        const auto back = static_cast<size_t>(first_above_[j] + seen[j]++);
        mate_.back() = static_cast<uint32_t>(back);
        mate_[back] = static_cast<uint32_t>(head_.size() - 1);
      }
      int64_t above = start_.back();
      while (above < static_cast<int64_t>(head_.size()) && head_[static_cast<size_t>(above)] < v) ++above;
      first_above_.push_back(above);
      start_.push_back(static_cast<int64_t>(head_.size()));
    }
    std::vector<int64_t>().swap(first_above_);
  }

  size_t labels() const { return sums_.size(); }
  size_t first(size_t v) const { return static_cast<size_t>(start_[v]); }
  size_t last(size_t v) const { return static_cast<size_t>(start_[v + 1]); }
  size_t head(size_t arc) const { return head_[arc]; }
  size_t mate(size_t arc) const { return mate_[arc]; }
  const std::vector<int64_t>& weights() const { return weight_; }
  /// -2c, cut off where its size no longer matters.
  int64_t excess(size_t v, double c) const { return -scale_.integer(2 * c, sums_[v] + 1); }

 private:
  CutScale scale_;
  std::vector<int64_t> start_{0};
  std::vector<uint32_t> head_, mate_;
  std::vector<int64_t> weight_;
  std::vector<int64_t> sums_;
  std::vector<int64_t> first_above_;
};

/// Holds the memory of the flow, so keep it for the next cut; one for each thread.
class SparseCut {
 public:
  /// The smallest of the best sets of labels, as z. stop() is called before every search; false: stopped.
  template <class Stop>
  bool solve(const SparseCutGraph& graph, const VectorRef& c, std::vector<uint8_t>& z, Stop&& stop) {
    const size_t V = graph.labels();
    residual_ = graph.weights();
    x_.resize(V);
    for (size_t v = 0; v < V; ++v) x_[v] = graph.excess(v, c[static_cast<Index>(v)]);
    search(graph);
    while (!queue_.empty()) {
      if (stop()) return false;
      for (size_t risen = 0; !queue_.empty() && risen < V;) {
        const size_t v = queue_.front();
        queue_.pop_front();
        risen += discharge(graph, v);
      }
      search(graph);
    }
    z.resize(V);
    for (size_t v = 0; v < V; ++v) z[v] = d_[v] != unreachable ? 1 : 0;
    return true;
  }

 private:
  static constexpr uint32_t unreachable = std::numeric_limits<uint32_t>::max();

  /// Makes every d exact, and queues the labels with excess that can reach a deficit.
  void search(const SparseCutGraph& graph) {
    const size_t V = graph.labels();
    d_.assign(V, unreachable);
    order_.clear();
    for (size_t v = 0; v < V; ++v)
      if (x_[v] < 0) {
        d_[v] = 1;
        order_.push_back(static_cast<uint32_t>(v));
      }
    for (size_t i = 0; i < order_.size(); ++i) {
      const size_t v = order_[i];
      for (size_t arc = graph.first(v); arc < graph.last(v); ++arc) {
        const size_t j = graph.head(arc);
        if (d_[j] != unreachable || residual_[graph.mate(arc)] == 0) continue;
        d_[j] = d_[v] + 1;
        order_.push_back(static_cast<uint32_t>(j));
      }
    }
    queue_.clear();
    for (const size_t v : order_)
      if (x_[v] > 0) queue_.push_back(static_cast<uint32_t>(v));
  }

  /// Pushes all excess of v; how often v rose.
  size_t discharge(const SparseCutGraph& graph, size_t v) {
    size_t risen = 0;
    while (x_[v] > 0) {
      uint32_t lowest = unreachable;
      for (size_t arc = graph.first(v); arc < graph.last(v) && x_[v] > 0; ++arc) {
        if (residual_[arc] == 0) continue;
        const size_t j = graph.head(arc);
        if (d_[j] == unreachable) continue;
        if (d_[j] + 1 != d_[v]) {
          lowest = std::min(lowest, d_[j]);
          continue;
        }
        const int64_t amount = std::min(x_[v], residual_[arc]);
        residual_[arc] -= amount;
        residual_[graph.mate(arc)] += amount;
        x_[v] -= amount;
        const bool was_active = x_[j] > 0;
        x_[j] += amount;
        if (x_[j] > 0 && !was_active) queue_.push_back(static_cast<uint32_t>(j));
        if (residual_[arc] > 0) lowest = std::min(lowest, d_[j]);
      }
      if (x_[v] == 0) break;
      ++risen;
      d_[v] = lowest == unreachable ? unreachable : lowest + 1;
      if (lowest == unreachable || d_[v] > graph.labels()) {
        d_[v] = unreachable;
        break;
      }
    }
    return risen;
  }

  std::vector<int64_t> residual_, x_;
  std::vector<uint32_t> d_, order_;
  std::deque<uint32_t> queue_;
};

}  // namespace concord::kit
