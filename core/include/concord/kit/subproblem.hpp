// SPDX-License-Identifier: MIT
#pragma once
// A problem with some of its labels fixed, and the labels that no search is needed for.
//
// Fixing the labels of a set F leaves c_R - 2 A_RF u_F on the rest R, the constant u_F'c_F - u_F'A_FF u_F, and
// k less the fixed +1s.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <concord/kit/objective.hpp>

namespace concord::kit {

/// -1 or +1 for a fixed label, 0 for a free one.
using Fixings = std::vector<int8_t>;

struct Subproblem {
  Matrix A;
  Vector c;
  double constant = 0;
  std::optional<Index> k;
  std::vector<Index> free;  ///< its labels as the whole problem numbers them, ascending

  Index size() const { return c.size(); }

  Subproblem(const Eigen::Ref<const Matrix>& whole_A, const VectorRef& whole_c, std::optional<Index> whole_k,
             const Fixings& fixed)
      : k(whole_k) {
    const Index V = whole_c.size();
    Vector u = Vector::Zero(V);
    for (Index v = 0; v < V; ++v) {
      u[v] = fixed[static_cast<size_t>(v)];
      if (u[v] == 0) free.push_back(v);
      if (k && u[v] > 0) --*k;
    }
    const auto m = static_cast<Index>(free.size());
    const Vector Au = whole_A * u;
    constant = u.dot(whole_c - Au);
    A.resize(m, m);
    c.resize(m);
    for (Index j = 0; j < m; ++j) {
      const Index w = free[static_cast<size_t>(j)];
      c[j] = whole_c[w] - 2 * Au[w];
      for (Index i = 0; i < m; ++i) A(i, j) = whole_A(free[static_cast<size_t>(i)], w);
    }
  }

  /// Writes labels of the free ones into a labelling of the whole problem.
  void place(const VectorRef& labels, Fixings& whole) const {
    for (Index i = 0; i < size(); ++i)
      whole[static_cast<size_t>(free[static_cast<size_t>(i)])] = labels[i] > 0 ? 1 : -1;
  }
};

namespace detail {

/// Without a cardinality: where |c_v| >= 2 sum_j |A_vj| some optimum has u_v = sign(c_v). Where the
/// inequality is strict, every optimum has. Equal ones are fixed one at a time, as each changes the fields of
/// the others.
inline bool fix_by_score(const Subproblem& p, Vector& decided) {
  const Vector reach = 2 * p.A.cwiseAbs().colwise().sum().transpose();
  const auto label = [&](Index v) { return p.c[v] > 0 ? 1.0 : -1.0; };
  Index equal = -1;
  for (Index v = 0; v < p.size(); ++v) {
    if (std::abs(p.c[v]) > reach[v] || reach[v] == 0) decided[v] = label(v);
    if (std::abs(p.c[v]) == reach[v]) equal = v;
  }
  if (equal >= 0 && decided.isZero(0)) decided[equal] = label(equal);
  return !decided.isZero(0);
}

/// With a cardinality: where c_v - c_w >= 2 sum_{j != v,w} |A_vj - A_wj|, swapping (u_v, u_w) = (-1, +1)
/// loses nothing, so some optimum has no such pair: "v before w". Equals go by index, so that swaps cannot go
/// in circles. A label with k others before it is -1. A label that is before V - k others is +1.
inline bool fix_by_order(const Subproblem& p, Vector& decided) {
  const Index m = p.size();
  std::vector<Index> before(static_cast<size_t>(m), 0);
  std::vector<Index> after(static_cast<size_t>(m), 0);
  const std::vector<Index> order = descending(p.c);
  const Vector sums = p.A.colwise().sum();
  for (size_t a = 0; a < order.size(); ++a) {
    for (size_t b = a + 1; b < order.size(); ++b) {
      const Index v = order[a];
      const Index w = order[b];
      if (p.c[v] - p.c[w] < 2 * std::abs(sums[v] - sums[w])) continue;  // most pairs end here
      const double both = 2 * std::abs(p.A(v, w));                      // counted twice by the sum over all j
      if (p.c[v] - p.c[w] < 2 * ((p.A.col(v) - p.A.col(w)).lpNorm<1>() - both)) continue;
      ++after[static_cast<size_t>(v)];
      ++before[static_cast<size_t>(w)];
    }
  }
  for (Index v = 0; v < m; ++v) {
    if (before[static_cast<size_t>(v)] >= *p.k) decided[v] = -1;
    if (after[static_cast<size_t>(v)] >= m - *p.k) decided[v] = 1;
  }
  return !decided.isZero(0);
}

}  // namespace detail

/// Fixes what the scores alone decide, again and again as the rest shrinks. Some optimum of the problem with
/// the fixings before has those after. requires a zero diagonal of A
inline Subproblem reduce(const Eigen::Ref<const Matrix>& A, const VectorRef& c, std::optional<Index> k,
                         Fixings& fixed) {
  for (;;) {
    Subproblem p(A, c, k, fixed);
    Vector decided = Vector::Zero(p.size());
    const bool any = p.k ? detail::fix_by_order(p, decided) : detail::fix_by_score(p, decided);
    if (!any) return p;
    for (Index i = 0; i < p.size(); ++i)
      if (decided[i] != 0)
        fixed[static_cast<size_t>(p.free[static_cast<size_t>(i)])] = static_cast<int8_t>(decided[i]);
  }
}

}  // namespace concord::kit
