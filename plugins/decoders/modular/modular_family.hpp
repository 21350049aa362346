// SPDX-License-Identifier: MIT
#pragma once
// All subproblems  constant_s + max_u { u'(c + t_s y) : 1'u = beta_s }  of one c and one y in {-1,+1}^V,
// which is the structure of the Hamming and F-beta losses, in O(V log V) altogether.
#include <algorithm>
#include <vector>

#include <concord/kit/conventions.hpp>

namespace concord::modular {

using kit::Index;
using kit::Vector;
using kit::VectorRef;

/// The best subproblem, its maximiser and its value; subproblem -1 if none has a feasible point.
struct Winner {
  Index subproblem = -1;
  Vector u;
  double value = 0;
};

/// The labels with y_v = side, largest c first, and sums[j] = the sum of the first j of them.
struct Side {
  std::vector<Index> order;
  std::vector<double> sums{0};

  Side(const VectorRef& c, const VectorRef& y, double side) {
    for (Index v = 0; v < c.size(); ++v)
      if (y[v] == side) order.push_back(v);
    std::sort(order.begin(), order.end(), kit::Descending(c.data()));
    for (const Index v : order) sums.push_back(sums.back() + c[v]);
  }
  Index size() const { return static_cast<Index>(order.size()); }
  Index operator[](Index j) const { return order[static_cast<size_t>(j)]; }
  double sum(Index j) const { return sums[static_cast<size_t>(j)]; }

  /// How many of the labels have c + shift > 0.
  Index positives(const VectorRef& c, double shift) const {
    return std::partition_point(order.begin(), order.end(), [&](Index v) { return c[v] + shift > 0; }) -
           order.begin();
  }
};

/// How many labels with y = +1 the top-k of c + t y takes. Adding t to one side and -t to the other keeps the
/// order within each, so the top-k is the first j of one and the first k-j of the other. The j-th is taken
/// while it comes before the last that the other side would give; that changes from true to false once.
inline Index split(const VectorRef& c, const Side& plus, const Side& minus, double t, Index k) {
  const auto comes_first = [&](Index a, Index b) {
    const double x = c[a] + t;
    const double y = c[b] - t;
    return x > y || (x == y && a < b);
  };
  Index low = std::max(Index{0}, k - minus.size());
  Index high = std::min(k, plus.size());
  while (low < high) {
    const Index j = low + (high - low) / 2;
    if (comes_first(plus[j], minus[k - 1 - j])) {
      low = j + 1;
    } else {
      high = j;
    }
  }
  return low;
}

/// `beta` NaN: the subproblem has no cardinality. Ties between subproblems go to the smallest s, where values
/// that differ only by rounding are ties.
inline Winner solve_family(const VectorRef& c, const VectorRef& y, const VectorRef& t,
                           const VectorRef& constants, const VectorRef& beta) {
  const Index V = c.size();
  const Side plus(c, y, 1);
  const Side minus(c, y, -1);
  const double sum = c.sum();
  const double magnitude = c.cwiseAbs().sum();
  Winner best;
  Index taken_plus = 0;
  Index taken_minus = 0;
  for (Index s = 0; s < t.size(); ++s) {
    Index j = 0;
    Index m = 0;
    if (std::isnan(beta[s])) {
      j = plus.positives(c, t[s]);
      m = minus.positives(c, -t[s]);
    } else if (const auto k = kit::k_of(V, beta[s])) {
      j = split(c, plus, minus, t[s], *k);
      m = *k - j;
    } else {
      continue;
    }
    // u'c = 2 (sum of the c taken) - 1'c, and u'y = (2j - |plus|) - (2m - |minus|).
    const auto agreement = static_cast<double>(2 * (j - m) - plus.size() + minus.size());
    const double value = constants[s] + 2 * (plus.sum(j) + minus.sum(m)) - sum + t[s] * agreement;
    const double scale = std::abs(constants[s]) + magnitude + std::abs(t[s]) * static_cast<double>(V);
    if (best.subproblem >= 0 && !kit::exceeds(value, best.value, scale)) continue;
    best.subproblem = s;
    best.value = value;
    taken_plus = j;
    taken_minus = m;
  }
  if (best.subproblem < 0) return best;
  best.u = Vector::Constant(V, -1);
  for (Index j = 0; j < taken_plus; ++j) best.u[plus[j]] = 1;
  for (Index m = 0; m < taken_minus; ++m) best.u[minus[m]] = 1;
  best.value = constants[best.subproblem] + best.u.dot(c + t[best.subproblem] * y);
  return best;
}

}  // namespace concord::modular
