// SPDX-License-Identifier: MIT
#pragma once
// Tabu search by flips, or by swaps when the number of positives must not change. For dense and sparse A.
//
// Every move is the best one allowed, also when it loses; a label that moved stays put for a while, so the
// search climbs out of a local optimum instead of falling back. When a round makes no progress, the next one
// starts from the best labelling known, with some labels changed at random. The budget is a number of moves,
// so the same seed gives the same answer.
#include <vector>

#include <concord/kit/local_search.hpp>
#include <concord/kit/rng.hpp>
#include <concord/sdk/options.hpp>

namespace concord::kit {

struct TabuSearch {
  Vector u;
  double value = 0;
  int64_t moves = 0;
};

namespace detail {

/// The labels that moved last, the oldest first out. A blocked label has -infinity in `block`, the others 0.
class TabuList {
 public:
  TabuList(Vector& block, Index tenure) : block_(block), ring_(static_cast<size_t>(tenure), -1) {}

  void push(Index v) {
    if (ring_.empty()) return;
    if (ring_[next_] >= 0) block_[ring_[next_]] = 0;
    ring_[next_] = v;
    block_[v] = -std::numeric_limits<double>::infinity();
    next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
  }
  void clear() {
    for (Index& v : ring_) {
      if (v >= 0) block_[v] = 0;
      v = -1;
    }
  }

 private:
  Vector& block_;
  std::vector<Index> ring_;
  size_t next_ = 0;
};

/// The first place of the value m in x, which has it. Whole blocks are compared at once: a plain search is the
/// slowest part of a move.
inline Index first_place(const Vector& x, double m) {
  constexpr Index block = 16;
  Index at = 0;
  for (; at + block <= x.size(); at += block) {
    int found = 0;
    for (Index i = 0; i < block; ++i) found |= x[at + i] == m ? 1 : 0;
    if (found != 0) break;
  }
  while (at + 1 < x.size() && x[at] != m) ++at;
  return at;
}

/// A labelling with the gains of all flips, and what is tabu.
template <class M>
class TabuWalk {
  static constexpr bool is_sparse = is_sparse_matrix<M>;

 public:
  TabuWalk(const M& A, const VectorRef& c, const Vector& u)
      : A_(A),
        c_(c),
        block_(Vector::Zero(c.size())),
        moved_(block_, tenure(c.size())),
        entered_(block_, tenure((u.array() > 0).count())),
        left_(block_, tenure((u.array() < 0).count())) {
    start(u);
  }

  const Vector& u() const { return u_; }
  double value() const { return value_; }

  /// Goes on from u, with nothing tabu.
  void start(const Vector& u) {
    for (TabuList* list : {&moved_, &entered_, &left_}) list->clear();
    u_ = u;
    constexpr double never = -std::numeric_limits<double>::infinity();
    plus_ = (u.array() > 0).select(Vector::Zero(u.size()), never);
    minus_ = (u.array() > 0).select(never, Vector::Zero(u.size()));
    const Vector Au = A_ * u;
    value_ = u.dot(c_ - Au);
    gain_ = c_ - 2 * Au;
    for (Index v = 0; v < u.size(); ++v) gain_[v] = -2 * u[v] * (gain_[v] + 2 * A_.coeff(v, v) * u[v]);
  }

  /// Flips the best label that is not tabu, or one that is if that leads above `best`.
  void best_flip(double best) {
    double largest = gain_.maxCoeff();
    const bool leads = value_ + largest > best;
    if (!leads) {
      open_ = gain_ + block_;
      largest = open_.maxCoeff();
    }
    const Index v = first_place(leads ? gain_ : open_, largest);
    flip(v);
    moved_.push(v);
  }

  /// The same for a swap of a +1 and a -1. Of the pairs only two are compared, so that a move stays O(V): the
  /// best +1 with the best -1 for it, and the best -1 with the best +1 for it. requires both kinds
  void best_swap(double best) {
    Pair pair = best_pair(gain_);
    if (value_ + pair.gain <= best) {
      open_ = gain_ + block_;
      const Pair allowed = best_pair(open_);
      if (std::isfinite(allowed.gain)) pair = allowed;  // else all of a small side are tabu
    }
    flip(pair.plus);
    flip(pair.minus);
    left_.push(pair.plus);
    entered_.push(pair.minus);
  }

  void flip(Index v) {
    value_ += gain_[v];
    const double own = gain_[v];
    const double step = 8 * u_[v];
    if constexpr (is_sparse) {
      for (typename M::InnerIterator it(A_, v); it; ++it)
        gain_[it.index()] -= step * u_[it.index()] * it.value();
    } else {
      gain_ -= step * u_.cwiseProduct(A_.col(v));
    }
    gain_[v] = -own;  // the diagonal does not couple a label with itself
    u_[v] = -u_[v];
    std::swap(plus_[v], minus_[v]);
  }

 private:
  struct Pair {
    Index plus;
    Index minus;
    double gain;
  };
  Pair best_pair(const Vector& gain) {
    const auto among = [&](const Vector& side, Index partner) {
      score_ = gain + side;
      if (partner >= 0) add_column(partner);
      const double largest = score_.maxCoeff();
      return std::pair(first_place(score_, largest), largest);
    };
    const auto plus = among(plus_, -1);
    const auto minus = among(minus_, -1);
    const auto for_plus = among(minus_, plus.first);
    const auto for_minus = among(plus_, minus.first);
    const double first = plus.second + for_plus.second;
    const double second = minus.second + for_minus.second;
    return first >= second ? Pair{plus.first, for_plus.first, first}
                           : Pair{for_minus.first, minus.first, second};
  }

  void add_column(Index v) {
    if constexpr (is_sparse) {
      for (typename M::InnerIterator it(A_, v); it; ++it) score_[it.index()] += 8 * it.value();
    } else {
      score_ += 8 * A_.col(v);
    }
  }

  static Index tenure(Index labels) { return std::clamp<Index>(labels / 4, 0, 20); }

  const M& A_;
  Vector c_;
  Vector u_;
  Vector gain_;
  Vector block_;
  Vector plus_;   ///< 0 where u = +1, -infinity elsewhere
  Vector minus_;  ///< 0 where u = -1, -infinity elsewhere
  Vector open_;
  Vector score_;
  TabuList moved_;    ///< by flips
  TabuList entered_;  ///< by swaps: became +1
  TabuList left_;     ///< by swaps: became -1
  double value_ = 0;
};

/// Flips or swaps a quarter of the labels, drawn at random.
template <class M>
void shake(TabuWalk<M>& walk, Move move, Rng& rng) {
  const auto V = static_cast<uint64_t>(walk.u().size());
  const auto draw = [&] { return static_cast<Index>(rng.below(V)); };
  for (uint64_t i = 0; i < 1 + V / 4; ++i) {
    const Index v = draw();
    walk.flip(v);
    if (move == Move::flip) continue;
    Index w = draw();
    while (walk.u()[w] != walk.u()[v]) w = draw();  // ends at v itself if no other is left, and undoes it
    walk.flip(w);
  }
}

}  // namespace detail

/// The moves after which more seldom help: a millisecond or two up to V = 159.
inline int64_t usual_tabu_moves(Index V) {
  return std::max<int64_t>(6000, 32 * V);
}

/// The budget as an option, of plugins that search by tabu_search and, where A is sparse, by graph_search.
template <class Options>
auto moves_option(int64_t Options::*moves) {
  return opt("moves", moves, 0)
      .range(0, 1e12)
      .help(
          "flips or swaps to make, or with a sparse A labels to visit; 0: 32 for each label and at least 6000, or 32000 for "
          "each label and at most 2e8");
}

/// Looks for a better labelling than u in max_moves moves; what it returns is never worse. Swaps keep 1'u.
/// stop() is called every 256 moves; when it returns true the search ends with the best so far.
template <class M, class Stop>
TabuSearch tabu_search(const M& A, const VectorRef& c, const Vector& u, Move move, int64_t max_moves,
                       uint64_t seed, Stop&& stop) {
  const Index V = u.size();
  const Index positive = (u.array() > 0).count();
  TabuSearch best{u, objective(A, c, u), 0};
  if (V == 0 || (move == Move::swap && (positive == 0 || positive == V))) return best;
  const double scale = magnitude(A, c);
  const int64_t patience = 10 * V;
  Rng rng(seed);
  detail::TabuWalk<M> walk(A, c, u);
  bool stopped = false;
  bool opposite = false;
  while (best.moves < max_moves && !stopped) {
    Vector top = walk.u();  // of this round
    double top_value = walk.value();
    for (int64_t idle = 0; idle < patience && best.moves < max_moves && !stopped; ++idle) {
      move == Move::flip ? walk.best_flip(top_value) : walk.best_swap(top_value);
      if (exceeds(walk.value(), top_value, scale)) {
        top = walk.u();
        top_value = walk.value();
        idle = 0;
      }
      stopped = ++best.moves % 256 == 0 && stop();
    }
    if (move == Move::swap) top = local_search(A, c, top, move, 16 * V, stop).u;  // all pairs
    top_value = objective(A, c, top);
    if (top_value > best.value) {
      best.u = top;
      best.value = top_value;
    }
    // Where the prior dominates u and -u are nearly as good, and no path of good moves joins them.
    opposite = move == Move::flip && !opposite;
    walk.start(opposite ? Vector(-best.u) : best.u);
    shake(walk, move, rng);
  }
  return best;
}

}  // namespace concord::kit
