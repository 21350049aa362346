// SPDX-License-Identifier: MIT
#pragma once
// The pairs that a sparse prior couples, as lists of neighbours, and a way to a smaller problem that loses little: labels
// that good labellings agree on are contracted to one.
#include <cmath>
#include <cstdint>
#include <span>
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
