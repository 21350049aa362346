// SPDX-License-Identifier: MIT
#pragma once
// The minimal minimiser of  sum_{i<j} w_ij |z_i - z_j| - g'z  over z in {0,1}^n, w >= 0, by push-relabel on a
// dense residual matrix. All numbers are 64-bit integers, so the answer is exact.
//
// The flow runs from the labels with g < 0 (excess) to those with g > 0 (deficit) through the couplings, and
// ends when no excess can reach a deficit any more. The labels from which a deficit can still be reached are
// then the *smallest* optimal set {z = 1}: a flow in the other direction would give the largest.
// The state of a label is one number, x_v = excess - deficit, at first -g_v. Sums stay within
// |x_v| <= |g_v| + 2 sum_j w_vj, because no more can flow into v than its couplings admit.
//
// d_v is the distance from v to a deficit along residual arcs, by breadth-first search. Then comes a wave: the
// labels with excess, those of largest d first, push along residual arcs from d to d - 1, and into a deficit
// no more than it takes. The arcs that a push opens lead from d - 1 to d, so distances never fall; a label
// that keeps excess has no arc to d - 1 left, so its own has grown when the next search finds it. Hence there
// are at most n^2 waves. On dense graphs there are about five: every relabelling is global and exact, which
// includes the gap heuristic, and relabelling single labels within a wave does not pay.
//
// Every inner loop scans a row of the residual matrix. A row is filled when its label must push or is not next
// to a deficit: labels with a deficit do not push, and many keep theirs to the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace concord::kit {

class DenseMaxFlow {
 public:
  /// weight(v, j) is w_vj = w_jv, 0 for v = j. stop() is called before every wave; false: stopped, and there
  /// is no answer. requires |g_v| + 2 sum_j w_vj < 2^63
  template <class Weight, class Stop>
  bool solve(std::span<const int64_t> g, const Weight& weight, Stop&& stop) {
    reset(g);
    while (search(weight)) {
      if (stop()) return false;
      wave(weight);
    }
    return true;
  }
  /// Is v in the minimal set of the last answer?
  bool inside(size_t v) const { return d_[v] != unreachable; }

 private:
  static constexpr int64_t unreachable = std::numeric_limits<int64_t>::max();
  static constexpr size_t chunk = 64;  // labels scanned at a time

  void reset(std::span<const int64_t> g) {
    n_ = g.size();
    stride_ = (n_ + 7) / 8 * 8;
    if (capacity_ < n_ * stride_) {
      capacity_ = n_ * stride_;
      residual_ = std::make_unique_for_overwrite<int64_t[]>(capacity_);
    }
    x_.resize(n_);
    std::transform(g.begin(), g.end(), x_.begin(), std::negate<>());
    d_.assign(n_, 0);
    filled_.clear();
    is_filled_.assign(n_, 0);
  }

  /// The residual capacities r_vj = w_vj - flow(v, j).
  int64_t* row(size_t v) { return residual_.get() + v * stride_; }

  /// Fills the rows of some labels, given in increasing order. What was pushed into v before stands in the
  /// rows that pushed: r_vj + r_jv = 2 w_vj. Neighbours are filled together, as they share the cache lines of
  /// those rows.
  template <class Weight>
  void fill_rows(const std::vector<size_t>& labels, const Weight& weight) {
    const size_t before = filled_.size();
    for (size_t i = 0; i < labels.size();) {
      const size_t first = i;
      while (i < labels.size() && labels[i] / 8 == labels[first] / 8) ++i;
      const std::span<const size_t> fresh(labels.data() + first, i - first);
      for (const size_t v : fresh) {
        const auto w = weight;  // own copy: the compiler need not fear that r overwrites it
        int64_t* __restrict r = row(v);
        const size_t n = n_;
        for (size_t j = 0; j < n; ++j) r[j] = w(v, j);
      }
      for (size_t q = 0; q < before; ++q) {
        const size_t j = filled_[q];
        for (const size_t v : fresh) row(v)[j] = 2 * row(v)[j] - row(j)[v];
      }
      filled_.insert(filled_.end(), fresh.begin(), fresh.end());
    }
    for (const size_t v : labels) is_filled_[v] = 1;
  }

  /// Distances, level by level; what is unreachable once remains so. False if no excess can reach a deficit.
  template <class Weight>
  bool search(const Weight& weight) {
    frontier_.clear();
    active_.clear();
    waiting_.clear();
    fresh_.clear();
    for (size_t v = 0; v < n_; ++v)
      if (x_[v] < 0) frontier_.push_back(v);
    for (size_t v = 0; v < n_; ++v) {
      if (x_[v] < 0 || d_[v] == unreachable) continue;
      // Nothing has flowed between two labels without a row, and a label with a deficit has none.
      const bool near = std::any_of(frontier_.begin(), frontier_.end(), [&](size_t j) {
        return is_filled_[v] ? row(v)[j] > 0 : weight(v, j) > 0;
      });
      d_[v] = near ? 1 : unreachable;
      (near ? active_ : waiting_).push_back(v);
      if (!near && !is_filled_[v]) fresh_.push_back(v);
    }
    nearest_ = active_.size();
    fill_rows(fresh_, weight);
    size_t level_begin = 0;
    for (int64_t level = 1; level_begin < active_.size() && !waiting_.empty(); ++level) {
      frontier_.assign(active_.begin() + static_cast<std::ptrdiff_t>(level_begin), active_.end());
      level_begin = active_.size();
      size_t kept = 0;
      for (const size_t v : waiting_) {
        if (reaches(row(v), level)) {
          d_[v] = level + 1;
          active_.push_back(v);
        } else {
          waiting_[kept++] = v;
        }
      }
      waiting_.resize(kept);
    }
    return std::any_of(active_.begin(), active_.end(), [&](size_t v) { return x_[v] > 0; });
  }

  /// Does the row lead to a label of the frontier, which is all labels of the level?
  bool reaches(const int64_t* r, int64_t level) const {
    if (frontier_.size() < n_ / 16)
      return std::any_of(frontier_.begin(), frontier_.end(), [&](size_t j) { return r[j] > 0; });
    for (size_t from = 0; from < n_; from += chunk)
      if (leads_to(r, from, std::min(n_, from + chunk), level)) return true;
    return false;
  }

  /// Is there an arc into the level among labels [from, to)? The compiler does not know the number of steps,
  /// so it makes vector instructions of the loop instead of unrolling it.
  bool leads_to(const int64_t* r, size_t from, size_t to, int64_t level) const {
    const int64_t* d = d_.data();
    int64_t any = 0;
    for (size_t j = from; j < to; ++j)
      any |= static_cast<int64_t>(r[j] > 0) & static_cast<int64_t>(d[j] == level);
    return any != 0;
  }

  /// active_ is sorted by distance, and begins with nearest_ labels at distance 1.
  template <class Weight>
  void wave(const Weight& weight) {
    for (size_t i = active_.size(); i-- > nearest_;)
      if (x_[active_[i]] > 0) push(active_[i]);
    fresh_.clear();
    for (size_t i = 0; i < nearest_; ++i)
      if (x_[active_[i]] > 0 && !is_filled_[active_[i]]) fresh_.push_back(active_[i]);
    fill_rows(fresh_, weight);
    for (size_t i = 0; i < nearest_; ++i)
      if (x_[active_[i]] > 0) push_into_deficits(active_[i]);
  }

  void push(size_t v) {
    int64_t* r = row(v);
    const int64_t below = d_[v] - 1;
    for (size_t from = 0; from < n_; from += chunk) {
      const size_t to = std::min(n_, from + chunk);
      if (!leads_to(r, from, to, below)) continue;
      for (size_t j = from; j < to; ++j) {
        if (d_[j] != below || r[j] == 0) continue;
        const int64_t amount = std::min(x_[v], r[j]);
        r[j] -= amount;
        if (is_filled_[j]) row(j)[v] += amount;
        x_[j] += amount;
        x_[v] -= amount;
        if (x_[v] == 0) return;
      }
    }
  }

  /// Whole chunks at a time while the excess suffices.
  void push_into_deficits(size_t v) {
    int64_t* r = row(v);
    int64_t* x = x_.data();
    const auto takes = [&](size_t j) { return std::min(r[j], std::max<int64_t>(0, -x[j])); };
    for (size_t from = 0; from < n_; from += chunk) {
      const size_t to = std::min(n_, from + chunk);
      int64_t sum = 0;  // at most the sum of couplings
      for (size_t j = from; j < to; ++j) sum += takes(j);
      if (sum > x[v]) {
        for (size_t j = from; x[v] > 0; ++j) {
          const int64_t amount = std::min(x[v], takes(j));
          r[j] -= amount;
          x[j] += amount;
          x[v] -= amount;
        }
        return;
      }
      for (size_t j = from; j < to; ++j) {
        const int64_t amount = takes(j);
        r[j] -= amount;
        x[j] += amount;
      }
      x[v] -= sum;
    }
  }

  size_t n_ = 0;
  size_t stride_ = 0;
  size_t capacity_ = 0;
  std::unique_ptr<int64_t[]> residual_;
  std::vector<int64_t> x_, d_;
  std::vector<uint8_t> is_filled_;
  std::vector<size_t> filled_, fresh_;    ///< labels whose row is filled, is to be filled
  std::vector<size_t> frontier_;          ///< the labels of the last level
  std::vector<size_t> waiting_, active_;  ///< labels without a deficit: not reached yet, reached
  size_t nearest_ = 0;
};

}  // namespace concord::kit
