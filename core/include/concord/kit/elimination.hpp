// SPDX-License-Identifier: MIT
#pragma once
// A way to a smaller problem that loses nothing: labels that their score decides, and labels with few neighbours, are
// eliminated from the graph of couplings.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <concord/kit/coupling_graph.hpp>

namespace concord::kit {

/// A label with |c_v| >= 2 sum |A_vj| follows its score in some optimum. Labels of up to two neighbours are eliminated too,
/// and of three if they have no linear term; then those that come to be decided or to have so few. For its neighbours an
/// eliminated v is worth max over u_v, |c_v - 2 sum A_vj u_j|. As a function of two labels that is a constant, two linear
/// terms and a coupling. Of three labels, if even, it is a constant and three couplings. So the optimum of the rest is
/// that of the whole, less a constant. Sum |c| + sum |A| does not grow.
class Elimination {
 public:
  Elimination(const CouplingGraph& graph, Vector c)
      : c_(std::move(c)),
        rows_(static_cast<size_t>(c_.size())),
        degree_(static_cast<size_t>(c_.size())),
        is_waiting_(static_cast<size_t>(c_.size())) {
    for (Index v = 0; v < graph.size(); ++v) {
      const auto of = graph.of(v);
      row(v).assign(of.begin(), of.end());
      degree_[static_cast<size_t>(v)] = static_cast<int32_t>(of.size());
      enqueue(v);
    }
    do {
      eliminate_few();
    } while (decide_one());
    collect();
  }

  const CouplingGraph& graph() const { return rest_; }
  const Vector& c() const { return rest_c_; }
  /// Rounding may put the optimum of the whole so far above extend(z), for an optimal z of the rest. Every sum in the
  /// elimination counts with what rounding took from it: 0 for integers. A wrong sum changes the objective of the rest, on
  /// both sides of the comparison, and by twice its error the choice of a label.
  double rounding() const { return 4 * rounding_; }
  /// The labels that are left, of a labelling of all.
  Vector restrict(const Vector& u) const {
    Vector z(rest_.size());
    for (Index r = 0; r < z.size(); ++r) z[r] = u[left_[static_cast<size_t>(r)]];
    return z;
  }
  /// The best labelling of all that has these labels.
  Vector extend(const Vector& z) const {
    Vector u(c_.size());
    for (Index r = 0; r < z.size(); ++r) u[left_[static_cast<size_t>(r)]] = z[r];
    for (auto one = gone_.rbegin(); one != gone_.rend(); ++one) {
      double h = one->c;
      for (const Coupling& pair : one->pairs()) h -= 2 * pair.a * u[pair.j];
      u[one->v] = h > 0 ? 1 : -1;
    }
    return u;
  }

 private:
  static constexpr size_t most_neighbours = 3;
  static constexpr size_t longest_row =
      64;  ///< rows of neighbours are searched for a coupling only up to here

  struct Gone {
    Index v;
    double c;
    size_t count;
    std::array<Coupling, most_neighbours> pair;
    std::span<const Coupling> pairs() const { return {pair.data(), count}; }
  };

  std::vector<Coupling>& row(Index v) { return rows_[static_cast<size_t>(v)]; }
  int32_t degree(Index v) const { return degree_[static_cast<size_t>(v)]; }
  bool is_gone(Index v) const { return degree(v) < 0; }
  /// After every change of v: v may have few neighbours now, or be decided by its score.
  void enqueue(Index v) {
    const auto few = static_cast<size_t>(degree(v));
    if (few < queue_.size()) queue_[few].push_back(static_cast<int32_t>(v));
    if (is_waiting_[static_cast<size_t>(v)]) return;
    is_waiting_[static_cast<size_t>(v)] = true;
    waiting_.push_back(static_cast<int32_t>(v));
  }
  /// Leaves out of a row those that are gone.
  void tidy(Index v) {
    std::erase_if(row(v), [&](const Coupling& pair) { return is_gone(pair.j); });
  }
  /// x + y. What rounding takes from it (Knuth) is counted.
  double sum(double x, double y) {
    const double s = x + y;
    const double of_y = s - x;
    rounding_ += std::abs((x - (s - of_y)) + (y - of_y));
    return s;
  }

  void eliminate_few() {
    for (size_t few = 0; few < queue_.size();) {
      if (queue_[few].empty()) {
        ++few;
        continue;
      }
      const Index v = queue_[few].back();
      queue_[few].pop_back();
      if (degree(v) == static_cast<int32_t>(few)) eliminate(v);
      few = 0;
    }
  }
  /// Looks for a decided label among those that have changed: a pass over the neighbours for each, so after the others.
  bool decide_one() {
    while (!waiting_.empty()) {
      const Index v = waiting_.front();
      waiting_.pop_front();
      is_waiting_[static_cast<size_t>(v)] = false;
      if (!is_gone(v) && decide(v)) return true;
    }
    return false;
  }

  /// False: the score of v does not decide it.
  bool decide(Index v) {
    tidy(v);
    const double before = rounding_;
    double reach = 0;
    for (const Coupling& pair : row(v)) reach = sum(reach, 2 * std::abs(pair.a));
    if (!(std::abs(c_[v]) >= reach)) {
      rounding_ = before;
      return false;
    }
    const double u = c_[v] > 0 ? 1 : -1;
    const std::vector<Coupling> neighbours = leave({v, c_[v], 0, {}});
    for (const Coupling& pair : neighbours) {
      c_[pair.j] = sum(c_[pair.j], -2 * pair.a * u);
      enqueue(pair.j);
    }
    return true;
  }

  void eliminate(Index v) {
    if (decide(v)) return;
    Gone one{v, c_[v], row(v).size(), {}};
    std::copy(row(v).begin(), row(v).end(), one.pair.begin());
    if (one.count == 3 && one.c != 0) return;
    if (one.count > 1)
      for (const Coupling& pair : one.pairs()) {
        if (row(pair.j).size() > longest_row) tidy(pair.j);
        if (row(pair.j).size() > longest_row) return;
      }
    leave(one);
    const auto worth = [&](double u0, double u1, double u2) {
      const double u[] = {u0, u1, u2};
      double h = one.c;  // in the order of extend()
      for (size_t i = 0; i < one.count; ++i) h = sum(h, -2 * one.pair[i].a * u[i]);
      return std::abs(h);
    };
    /// (a + b - c - d)/4
    const auto quarter = [&](double a, double b, double c, double d) {
      return sum(sum(a, b), -sum(c, d)) / 4;
    };
    const Index i = one.pair[0].j, j = one.pair[1].j, k = one.pair[2].j;
    if (one.count == 1) {
      c_[i] = sum(c_[i], sum(worth(1, 0, 0), -worth(-1, 0, 0)) / 2);
    } else if (one.count == 2) {
      const double pp = worth(1, 1, 0), pm = worth(1, -1, 0), mp = worth(-1, 1, 0), mm = worth(-1, -1, 0);
      c_[i] = sum(c_[i], quarter(pp, pm, mp, mm));
      c_[j] = sum(c_[j], quarter(pp, mp, pm, mm));
      couple(i, j, quarter(pp, mm, pm, mp));
    } else {
      const double ppp = worth(1, 1, 1), ppm = worth(1, 1, -1), pmp = worth(1, -1, 1), mpp = worth(-1, 1, 1);
      couple(i, j, quarter(ppp, ppm, pmp, mpp));
      couple(i, k, quarter(ppp, pmp, ppm, mpp));
      couple(j, k, quarter(ppp, mpp, ppm, pmp));
    }
    for (const Coupling& pair : one.pairs()) enqueue(pair.j);
  }

  /// Takes v from the graph; returns its neighbours.
  std::vector<Coupling> leave(const Gone& one) {
    gone_.push_back(one);
    degree_[static_cast<size_t>(one.v)] = -1;
    std::vector<Coupling> neighbours = std::move(row(one.v));
    row(one.v) = {};
    for (const Coupling& pair : neighbours) --degree_[static_cast<size_t>(pair.j)];
    return neighbours;
  }

  /// Adds w u_i u_j to the objective: -2 A_ij grows by w.
  void couple(Index i, Index j, double w) {
    if (w == 0) return;
    add(i, j, -w / 2);
    add(j, i, -w / 2);
  }
  void add(Index i, Index j, double a) {
    auto& pairs = row(i);
    const auto at =
        std::find_if(pairs.begin(), pairs.end(), [&](const Coupling& pair) { return pair.j == j; });
    if (at == pairs.end()) {
      pairs.push_back({static_cast<int32_t>(j), a});
      ++degree_[static_cast<size_t>(i)];
    } else if ((at->a = sum(at->a, a)) == 0) {
      pairs.erase(at);
      --degree_[static_cast<size_t>(i)];
    }
  }

  void collect() {
    std::vector<int32_t> place(rows_.size(), -1);
    for (Index v = 0; v < c_.size(); ++v)
      if (!is_gone(v)) {
        place[static_cast<size_t>(v)] = static_cast<int32_t>(left_.size());
        left_.push_back(v);
      }
    rest_c_.resize(static_cast<Index>(left_.size()));
    for (size_t r = 0; r < left_.size(); ++r) {
      rest_c_[static_cast<Index>(r)] = c_[left_[r]];
      for (const Coupling& pair : row(left_[r]))
        if (!is_gone(pair.j)) rest_.coupling.push_back({place[static_cast<size_t>(pair.j)], pair.a});
      rest_.end_row();
    }
    rows_.clear();
  }

  Vector c_;
  std::vector<std::vector<Coupling>> rows_;                      ///< may name labels that are gone
  std::vector<int32_t> degree_;                                  ///< neighbours that are left; -1: gone
  std::array<std::vector<int32_t>, most_neighbours + 1> queue_;  ///< by the number of neighbours
  std::deque<int32_t> waiting_;                                  ///< changed since decide() saw them
  std::vector<bool> is_waiting_;
  double rounding_ = 0;
  std::vector<Gone> gone_;
  std::vector<Index> left_;
  CouplingGraph rest_;
  Vector rest_c_;
};

}  // namespace concord::kit
