// SPDX-License-Identifier: MIT
#pragma once
// The pairs that a sparse prior couples, as lists of neighbours, and two ways to a smaller problem that loses nothing or
// little: labels with few neighbours are eliminated, and labels that good labellings agree on are contracted to one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <concord/kit/objective.hpp>

namespace concord::kit {

struct Coupling {
  int32_t j;
  double a;
};

/// The neighbours of label v are coupling[start[v]], ..., coupling[start[v + 1] - 1]. Symmetric, without a diagonal.
struct CouplingGraph {
  std::vector<int64_t> start{0};
  std::vector<Coupling> coupling;

  Index size() const { return static_cast<Index>(start.size()) - 1; }
  std::span<const Coupling> of(Index v) const {
    const auto i = static_cast<size_t>(v);
    return {coupling.data() + start[i], static_cast<size_t>(start[i + 1] - start[i])};
  }
  void end_row() { start.push_back(static_cast<int64_t>(coupling.size())); }
  /// The root mean square, over the labels, of what a flip gains at random labels and c = 0: the unit of temperatures.
  double scale() const {
    double squares = 0;
    for (const Coupling& pair : coupling) squares += 16 * pair.a * pair.a;
    return size() == 0 ? 0 : std::sqrt(squares / static_cast<double>(size()));
  }
};

/// Of a sparse matrix with both triangles; zeros and the diagonal are left out.
template <class M>
CouplingGraph coupling_graph(const M& A) {
  CouplingGraph graph;
  graph.start.reserve(static_cast<size_t>(A.rows()) + 1);
  graph.coupling.reserve(static_cast<size_t>(A.nonZeros()));
  for (Index v = 0; v < A.rows(); ++v) {
    for (typename M::InnerIterator it(A, v); it; ++it)
      if (it.index() != v && it.value() != 0)
        graph.coupling.push_back({static_cast<int32_t>(it.index()), it.value()});
    graph.end_row();
  }
  return graph;
}

/// Labels of up to two neighbours are eliminated, and of three if they have no linear term; then those that come to have
/// so few. For its neighbours an eliminated v is worth max over u_v, |c_v - 2 sum A_vj u_j|. As a function of two labels
/// that is a constant, two linear terms and a coupling. Of three labels, if even, it is a constant and three couplings. So the
/// optimum of the rest is that of the whole, less a constant.
class Elimination {
 public:
  Elimination(const CouplingGraph& graph, Vector c)
      : c_(std::move(c)), rows_(static_cast<size_t>(c_.size())), degree_(static_cast<size_t>(c_.size())) {
    for (Index v = 0; v < graph.size(); ++v) {
      const auto of = graph.of(v);
      row(v).assign(of.begin(), of.end());
      degree_[static_cast<size_t>(v)] = static_cast<int32_t>(of.size());
      enqueue(v);
    }
    for (size_t few = 0; few < queue_.size();) {
      if (queue_[few].empty()) {
        ++few;
        continue;
      }
      const Index v = queue_[few].back();
      queue_[few].pop_back();
      if (degree(v) == static_cast<int32_t>(few) && !is_gone(v)) eliminate(v);
      few = 0;
    }
    collect();
  }

  const CouplingGraph& graph() const { return rest_; }
  const Vector& c() const { return rest_c_; }
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
  void enqueue(Index v) {
    const auto few = static_cast<size_t>(degree(v));  // huge for one that is gone
    if (few < queue_.size()) queue_[few].push_back(static_cast<int32_t>(v));
  }
  /// Leaves out of a row those that are gone.
  void tidy(Index v) {
    std::erase_if(row(v), [&](const Coupling& pair) { return is_gone(pair.j); });
  }

  void eliminate(Index v) {
    tidy(v);
    Gone one{v, c_[v], row(v).size(), {}};
    std::copy(row(v).begin(), row(v).end(), one.pair.begin());
    if (one.count == 3 && one.c != 0) return;
    if (one.count > 1)
      for (const Coupling& pair : one.pairs()) {
        if (row(pair.j).size() > longest_row) tidy(pair.j);
        if (row(pair.j).size() > longest_row) return;
      }
    gone_.push_back(one);
    degree_[static_cast<size_t>(v)] = -1;
    std::vector<Coupling>().swap(row(v));
    for (const Coupling& pair : one.pairs()) --degree_[static_cast<size_t>(pair.j)];
    const auto worth = [&](double u0, double u1, double u2) {
      return std::abs(one.c - 2 * (one.pair[0].a * u0 + one.pair[1].a * u1 + one.pair[2].a * u2));
    };
    const Index i = one.pair[0].j, j = one.pair[1].j, k = one.pair[2].j;
    if (one.count == 1) {
      c_[i] += (worth(1, 0, 0) - worth(-1, 0, 0)) / 2;
    } else if (one.count == 2) {
      const double pp = worth(1, 1, 0), pm = worth(1, -1, 0), mp = worth(-1, 1, 0), mm = worth(-1, -1, 0);
      c_[i] += (pp + pm - mp - mm) / 4;
      c_[j] += (pp - pm + mp - mm) / 4;
      couple(i, j, (pp - pm - mp + mm) / 4);
    } else if (one.count == 3) {
      const double ppp = worth(1, 1, 1), ppm = worth(1, 1, -1), pmp = worth(1, -1, 1), mpp = worth(-1, 1, 1);
      couple(i, j, (ppp + ppm - pmp - mpp) / 4);
      couple(i, k, (ppp - ppm + pmp - mpp) / 4);
      couple(j, k, (ppp - ppm - pmp + mpp) / 4);
    }
    for (const Coupling& pair : one.pairs()) enqueue(pair.j);
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
    } else if ((at->a += a) == 0) {
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
  std::vector<std::vector<Coupling>> rows_;  ///< may name labels that are gone
  std::vector<int32_t> degree_;              ///< neighbours that are left; -1: gone
  std::array<std::vector<int32_t>, most_neighbours + 1> queue_;
  std::vector<Gone> gone_;
  std::vector<Index> left_;
  CouplingGraph rest_;
  Vector rest_c_;
};

/// Neighbours whose labels are in the same relation in both labellings become one label. What is left decides, for every
/// such group, whether its labels are those of `base` or their opposites.
class Contraction {
 public:
  Contraction(const CouplingGraph& whole, const Vector& c, const Vector& base, const Vector& other)
      : base_(base), group_(static_cast<size_t>(base.size()), -1) {
    const std::vector<int32_t> order = find_groups(whole, other);
    c_ = Vector::Zero(groups_);
    Vector sum = Vector::Zero(groups_);
    std::vector<int32_t> touched;
    for (size_t i = 0; i < order.size();) {
      const int32_t g = group_[static_cast<size_t>(order[i])];
      touched.clear();
      for (; i < order.size() && group_[static_cast<size_t>(order[i])] == g; ++i) {
        const Index v = order[i];
        c_[g] += c[v] * base[v];
        for (const Coupling& pair : whole.of(v)) {
          const int32_t h = group_[static_cast<size_t>(pair.j)];
          if (h == g) continue;
          touched.push_back(h);
          sum[h] += pair.a * base[v] * base[pair.j];
        }
      }
      for (const int32_t h : touched) {
        if (sum[h] != 0) graph_.coupling.push_back({h, sum[h]});
        sum[h] = 0;
      }
      graph_.end_row();
    }
  }

  const CouplingGraph& graph() const { return graph_; }
  const Vector& c() const { return c_; }
  Vector extend(const Vector& z) const {
    Vector u(base_.size());
    for (Index v = 0; v < u.size(); ++v) u[v] = base_[v] * z[group_[static_cast<size_t>(v)]];
    return u;
  }

 private:
  /// The labels, group after group.
  std::vector<int32_t> find_groups(const CouplingGraph& whole, const Vector& other) {
    std::vector<int32_t> order;
    order.reserve(group_.size());
    for (Index v = 0; v < base_.size(); ++v) {
      if (group_[static_cast<size_t>(v)] >= 0) continue;
      const size_t first = order.size();
      order.push_back(static_cast<int32_t>(v));
      group_[static_cast<size_t>(v)] = groups_;
      for (size_t i = first; i < order.size(); ++i)
        for (const Coupling& pair : whole.of(order[i])) {
          int32_t& of_neighbour = group_[static_cast<size_t>(pair.j)];
          if (of_neighbour >= 0 || base_[pair.j] * other[pair.j] != base_[v] * other[v]) continue;
          of_neighbour = groups_;
          order.push_back(pair.j);
        }
      ++groups_;
    }
    return order;
  }

  Vector base_;
  std::vector<int32_t> group_;
  int32_t groups_ = 0;
  CouplingGraph graph_;
  Vector c_;
};

}  // namespace concord::kit
