// SPDX-License-Identifier: MIT
#pragma once
// Steepest ascent by flips, or by swaps when the number of positives must not change. For dense and sparse A.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <concord/kit/objective.hpp>

namespace concord::kit {

enum class Move { flip, swap };

struct LocalSearch {
  Vector u;
  double value = 0;
  int64_t moves = 0;
  bool local_optimum = false;  ///< no move gains more than rounding; false: cut by max_moves or stop
};

namespace detail {

template <class M>
class Ascent {
 public:
  Ascent(const M& A, const VectorRef& c, Vector u)
      : A_(A), state_(A, c, std::move(u)), reach_(Vector::Zero(c.size())) {
    Vector row = c.cwiseAbs();
    for (Index v = 0; v < c.size(); ++v) {
      for (Eigen::InnerIterator<M> it(A, v); it; ++it) {
        row[v] += 2 * std::abs(it.value());
        reach_[v] = std::max(reach_[v], it.value());
      }
    }
    // |h_v| <= row_v. After at most V flips since a resync a computed gain, of a swap too, is off by less
    // than this. A move that gains more raises the true objective, so no labelling comes twice: the search
    // ends.
    tolerance_ = 4 * static_cast<double>(c.size() + 4) * std::numeric_limits<double>::epsilon() *
                 (c.size() > 0 ? row.maxCoeff() : 0);
  }

  Labelling<M>& state() { return state_; }

  /// Makes the best move, ties to the lowest v, if it gains anything.
  bool step(Move move) { return move == Move::flip ? best_flip() : best_swap(); }

 private:
  bool best_flip() {
    double best = tolerance_;
    Index at = -1;
    for (Index v = 0; v < state_.size(); ++v) {
      if (state_.gain(v) > best) {
        best = state_.gain(v);
        at = v;
      }
    }
    if (at < 0) return false;
    state_.flip(at);
    return true;
  }

  /// A swap of u_v = +1 and u_w = -1 gains gain_v + gain_w + 8 A_vw. For each v that could still win, the w
  /// with A_vw > 0 are tried one by one. Any other gains at most gain_v + gain_w, so with the w in the order
  /// of their gains the scan ends early. Ties: the lowest v, then the w tried first.
  bool best_swap() {
    std::vector<Index> plus;
    std::vector<Index> minus;
    Vector gain(state_.size());
    for (Index v = 0; v < state_.size(); ++v) {
      gain[v] = state_.gain(v);
      (state_.u()[v] > 0 ? plus : minus).push_back(v);
    }
    if (minus.empty()) return false;
    std::sort(minus.begin(), minus.end(), Descending(gain.data()));
    double best = tolerance_;
    Index out = -1;
    Index in = -1;
    const auto consider = [&](Index v, Index w, double A_vw) {
      const double both = gain[v] + gain[w] + 8 * A_vw;
      if (both <= best) return;
      best = both;
      out = v;
      in = w;
    };
    for (const Index v : plus) {
      if (gain[v] + gain[minus.front()] + 8 * reach_[v] <= best) continue;
      for (Eigen::InnerIterator<M> it(A_, v); it; ++it)
        if (it.value() > 0 && state_.u()[it.index()] < 0) consider(v, it.index(), it.value());
      for (const Index w : minus) {
        if (gain[v] + gain[w] <= best) break;
        consider(v, w, A_.coeff(v, w));
      }
    }
    if (out < 0) return false;
    state_.flip(out);
    state_.flip(in);
    return true;
  }

  const M& A_;
  Labelling<M> state_;
  Vector reach_;  ///< reach_v = max(0, max_j A_vj)
  double tolerance_;
};

}  // namespace detail

/// Improves the labelling u until no move helps, at most max_moves times. stop() is called every 64 moves;
/// when it returns true the search ends where it is. The result is never worse than u. Swaps keep 1'u.
template <class M, class Stop>
LocalSearch local_search(const M& A, const VectorRef& c, Vector u, Move move, int64_t max_moves,
                         Stop&& stop) {
  detail::Ascent<M> ascent(A, c, std::move(u));
  const int64_t resync_after = std::max<int64_t>(1, c.size() / 2);  // a swap is two flips
  LocalSearch result;
  while (result.moves < max_moves && !(result.moves % 64 == 63 && stop())) {
    result.local_optimum = !ascent.step(move);
    if (result.local_optimum) break;
    if (++result.moves % resync_after == 0) ascent.state().resync();
  }
  ascent.state().resync();
  result.u = ascent.state().u();
  result.value = ascent.state().value();
  return result;
}

/// What a rounding that searches answers, where search(A, c, u, move) returns labels from the labels u on. A is dense or
/// sparse; the move keeps a cardinality if there is one. Problem and Relaxed are the SDK's.
template <class Problem, class Relaxed, class Search>
Eigen::Array<int8_t, Eigen::Dynamic, 1> searched_labels(const Problem& problem, const Relaxed& relaxed,
                                                        const int8_t* start, Search&& search) {
  const auto c = problem.request.c();
  const auto k = problem.request.k();
  const Vector u = first_labels(start, relaxed.u(), k);
  const Vector found = with_matrix(
      problem.prior, [&](const auto& A) -> Vector { return search(A, c, u, k ? Move::swap : Move::flip); });
  return found.array().template cast<int8_t>();
}

}  // namespace concord::kit
