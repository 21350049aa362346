// SPDX-License-Identifier: MIT
#pragma once
// Simulated annealing on a graph of couplings, by flips, or by swaps when the number of positives must not change. Labels
// are visited in turn. A visit costs O(1), and O(neighbours) if the label moves.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include <concord/kit/coupling_graph.hpp>
#include <concord/kit/rng.hpp>

namespace concord::kit {

/// How many visits of labels are left, and who may end them. The visits that a seed makes are the same everywhere.
class Visits {
 public:
  Visits(int64_t most, std::function<bool()> stop) : left_(most), stop_(std::move(stop)) {}

  /// Asks for `count` more. stop() is called once in every 2^16 visits.
  bool take(int64_t count) {
    if (left_ <= 0) return false;
    left_ -= count;
    made_ += count;
    if ((since_ += count) < (1 << 16)) return true;
    since_ = 0;
    if (stop_()) left_ = 0;
    return left_ > 0;
  }
  bool are_left() const { return left_ > 0; }
  int64_t made() const { return made_; }

 private:
  int64_t left_;
  std::function<bool()> stop_;
  int64_t made_ = 0;
  int64_t since_ = 0;
};

/// -log of 4096 evenly spaced probabilities. A loss is accepted if it is below the temperature times one of them.
class LogTable {
 public:
  LogTable() {
    for (size_t i = 0; i < entries_.size(); ++i)
      entries_[i] = -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(entries_.size()));
  }
  double draw(Rng& rng) {
    if (left_ == 0) {
      bits_ = rng.next();
      left_ = 5;
    }
    const double entry = entries_[bits_ & (entries_.size() - 1)];
    bits_ >>= 12;
    --left_;
    return entry;
  }
  double largest() const { return entries_[0]; }

 private:
  std::array<double, 4096> entries_;
  uint64_t bits_ = 0;
  int left_ = 0;
};

/// A labelling that moves. What it was given must outlive it.
class Annealing {
 public:
  Annealing(const CouplingGraph& graph, const Vector& c, Vector u) : graph_(graph), c_(c), u_(std::move(u)) {
    compute();
  }

  const Vector& u() const { return u_; }
  /// The objective, from its definition.
  double value() const {
    double sum = 0;
    for (Index v = 0; v < u_.size(); ++v) sum += u_[v] * (c_[v] + field(v)) / 2;
    return sum;
  }

  /// The temperature falls linearly from one to the other. Then labels are flipped while that gains.
  void cool_by_flips(int64_t sweeps, double from, double to, Rng& rng, LogTable& logs, Visits& visits) {
    for (int64_t s = 0; s < sweeps && visits.take(u_.size()); ++s) {
      const double temperature = at(s, sweeps, from, to);
      const double hopeless = -temperature * logs.largest();
      for (Index v = 0; v < u_.size(); ++v) {
        const double gain = gain_of(v);
        if (gain < hopeless) continue;
        if (gain < 0 && -gain > temperature * logs.draw(rng)) continue;
        if (gain == 0 && rng.next() >> 63 == 0) continue;  // every second flip that changes nothing
        flip(v);
      }
    }
    compute();
    ascend();
  }

  /// The same by swaps, with some sweeps at temperature 0 in the end. The partner of a label is the best of a few of the other sign, drawn at random.
  /// requires labels of both signs
  void cool_by_swaps(int64_t sweeps, double from, double to, Rng& rng, LogTable& logs, Visits& visits) {
    constexpr int frozen_sweeps = 8;
    Sides sides(u_);
    for (int64_t s = 0; s < sweeps && visits.take(u_.size()); ++s)
      swap_all(sides, at(s, sweeps, from, to), rng, logs);
    for (int s = 0; s < frozen_sweeps; ++s) swap_all(sides, 0, rng, logs);
  }

 private:
  /// The labels at -1 and those at +1, and where each stands among its like.
  struct Sides {
    explicit Sides(const Vector& u) : place(static_cast<size_t>(u.size())) {
      for (Index v = 0; v < u.size(); ++v) {
        auto& side = of[u[v] > 0 ? 1 : 0];
        place[static_cast<size_t>(v)] = side.size();
        side.push_back(v);
      }
    }
    void exchange(Index v, Index w) {
      const size_t at_v = place[static_cast<size_t>(v)], at_w = place[static_cast<size_t>(w)];
      const bool v_is_first = at_v < of[0].size() && of[0][at_v] == v;
      of[v_is_first ? 0 : 1][at_v] = w;
      of[v_is_first ? 1 : 0][at_w] = v;
      std::swap(place[static_cast<size_t>(v)], place[static_cast<size_t>(w)]);
    }
    std::array<std::vector<Index>, 2> of;
    std::vector<size_t> place;
  };

  void swap_all(Sides& sides, double temperature, Rng& rng, LogTable& logs) {
    for (Index v = 0; v < u_.size(); ++v) {
      const auto& others = sides.of[u_[v] > 0 ? 0 : 1];
      Index w = others[rng.below(others.size())];
      for (int more = 0; more < 3; ++more) {
        const Index x = others[rng.below(others.size())];
        if (gain_of(x) > gain_of(w)) w = x;
      }
      const double gain = gain_of(v) + gain_of(w) + 8 * coupling(v, w);
      if (gain < 0 && -gain > temperature * logs.draw(rng)) continue;
      flip(v);
      flip(w);
      sides.exchange(v, w);
    }
  }

  static double at(int64_t s, int64_t sweeps, double from, double to) {
    return from + (to - from) * static_cast<double>(s) / static_cast<double>(sweeps);
  }

  /// c_v - 2 sum_j A_vj u_j
  double field(Index v) const {
    double sum = 0;
    for (const Coupling& pair : graph_.of(v)) sum += pair.a * u_[pair.j];
    return c_[v] - 2 * sum;
  }
  double gain_of(Index v) const { return -2 * u_[v] * h_[v]; }
  double coupling(Index v, Index w) const {
    for (const Coupling& pair : graph_.of(v))
      if (pair.j == w) return pair.a;
    return 0;
  }
  void compute() {
    h_.resize(u_.size());
    double largest = 0;
    for (Index v = 0; v < u_.size(); ++v) {
      h_[v] = field(v);
      double reach = std::abs(c_[v]);
      for (const Coupling& pair : graph_.of(v)) reach += 2 * std::abs(pair.a);
      largest = std::max(largest, reach);
    }
    // As in local_search: gains after V flips are off by less, so whoever gains more is better, and the ascent ends.
    tolerance_ = 4 * static_cast<double>(u_.size() + 4) * std::numeric_limits<double>::epsilon() * largest;
  }
  void flip(Index v) {
    const double step = 4 * u_[v];
    for (const Coupling& pair : graph_.of(v)) h_[pair.j] += step * pair.a;
    u_[v] = -u_[v];
  }
  void ascend() {
    int64_t flips = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (Index v = 0; v < u_.size(); ++v) {
        if (gain_of(v) <= tolerance_) continue;
        flip(v);
        moved = true;
        if (++flips % u_.size() == 0) compute();
      }
    }
  }

  const CouplingGraph& graph_;
  const Vector& c_;
  Vector u_;
  Vector h_;  ///< the field, of which the gains are made: a flip changes it in its neighbours' places only
  double tolerance_ = 0;
};

}  // namespace concord::kit
