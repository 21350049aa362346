// SPDX-License-Identifier: MIT
#pragma once
// All subproblems  constant_s + max_u { u'(c + t_s d) : e'u = beta_s }  of one c, one direction d of at most two
// values and one row e of zeros and ones, in O(V log V) altogether. That is the structure of the Hamming loss (no
// row), of F-beta (e = 1, the cardinality) and of Jaccard (e = 1 where the truth is -1).
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <concord/kit/conventions.hpp>

namespace concord::modular {

using kit::Index;
using kit::Vector;
using kit::VectorRef;

/// The maximiser of u'c with k positives among the labels of the row e; without k the row is not imposed.
inline Vector maximiser(const VectorRef& c, const VectorRef& e, std::optional<Index> k) {
  Vector u = kit::sign(c);
  if (!k) return u;
  Index left = *k;
  for (const Index v : kit::descending(c))
    if (e[v] != 0) u[v] = left-- > 0 ? 1 : -1;
  return u;
}

/// The two values of d, equal if there is only one; nothing if there are more.
inline std::optional<std::array<double, 2>> two_values(const VectorRef& d) {
  std::array<double, 2> values{d[0], d[0]};
  for (const double x : d) {
    if (x == values[0] || x == values[1]) continue;
    if (values[0] != values[1]) return std::nullopt;
    values[1] = x;
  }
  return values;
}

/// The best subproblem, its maximiser and its value; subproblem -1 if none has a feasible point.
struct Winner {
  Index subproblem = -1;
  Vector u;
  double value = 0;
};

/// The labels with one value of d, in the row or outside of it, largest c first: t d shifts their c alike and
/// keeps their order. sums[j] = the sum of the first j.
struct Group {
  double d = 0;
  std::vector<Index> order;
  std::vector<double> sums{0};

  void sort(const VectorRef& c) {
    std::sort(order.begin(), order.end(), kit::Descending(c.data()));
    for (const Index v : order) sums.push_back(sums.back() + c[v]);
  }
  Index size() const { return static_cast<Index>(order.size()); }
  Index operator[](Index j) const { return order[static_cast<size_t>(j)]; }

  /// How many of the labels have c + t d > 0.
  Index positives(const VectorRef& c, double t) const {
    return std::partition_point(order.begin(), order.end(), [&](Index v) { return c[v] + t * d > 0; }) -
           order.begin();
  }
  /// u'(c + t d) on these labels if the first j are +1: 2 (sum of the first j) - (sum of all).
  double value(double t, Index j) const {
    return 2 * sums[static_cast<size_t>(j)] - sums.back() + t * d * static_cast<double>(2 * j - size());
  }
};

/// How many labels of group `a` the top-k of c + t d takes among two groups: the first j of one and the first k-j
/// of the other. The j-th is taken while it comes before the last that the other group would give; that changes
/// from true to false once.
inline Index split(const VectorRef& c, const Group& a, const Group& b, double t, Index k) {
  const auto comes_first = [&](Index i, Index j) {
    const double x = c[i] + t * a.d;
    const double y = c[j] + t * b.d;
    return x > y || (x == y && i < j);
  };
  Index low = std::max(Index{0}, k - b.size());
  Index high = std::min(k, a.size());
  while (low < high) {
    const Index j = low + (high - low) / 2;
    if (comes_first(a[j], b[k - 1 - j])) {
      low = j + 1;
    } else {
      high = j;
    }
  }
  return low;
}

/// `beta` NaN: the row is not imposed on the subproblem. Ties between subproblems go to the smallest s, where
/// values that differ only by rounding are ties. requires two_values(d)
inline Winner solve_family(const VectorRef& c, const VectorRef& d, const VectorRef& t,
                           const VectorRef& constants, const VectorRef& e, const VectorRef& beta) {
  const std::array<double, 2> values = *two_values(d);
  std::array<Group, 4> groups;  // in the row by the value of d, then outside of it
  for (size_t g = 0; g < 4; ++g) groups[g].d = values[g % 2];
  for (Index v = 0; v < c.size(); ++v)
    groups[(e[v] != 0 ? 0 : 2) + (d[v] == values[0] ? 0 : 1)].order.push_back(v);
  for (Group& group : groups) group.sort(c);
  const Index ones = groups[0].size() + groups[1].size();
  const double magnitude = c.cwiseAbs().sum();
  const double direction = d.cwiseAbs().sum();
  Winner best;
  std::array<Index, 4> taken{};
  for (Index s = 0; s < t.size(); ++s) {
    std::array<Index, 4> j{};
    for (size_t g = 0; g < 4; ++g) j[g] = groups[g].positives(c, t[s]);
    if (!std::isnan(beta[s])) {
      const auto k = kit::k_of(ones, beta[s]);
      if (!k) continue;
      j[0] = split(c, groups[0], groups[1], t[s], *k);
      j[1] = *k - j[0];
    }
    double value = constants[s];
    for (size_t g = 0; g < 4; ++g) value += groups[g].value(t[s], j[g]);
    const double scale = std::abs(constants[s]) + magnitude + std::abs(t[s]) * direction;
    if (best.subproblem >= 0 && !kit::exceeds(value, best.value, scale)) continue;
    best.subproblem = s;
    best.value = value;
    taken = j;
  }
  if (best.subproblem < 0) return best;
  best.u = Vector::Constant(c.size(), -1);
  for (size_t g = 0; g < 4; ++g)
    for (Index j = 0; j < taken[g]; ++j) best.u[groups[g][j]] = 1;
  best.value = constants[best.subproblem] + best.u.dot(c + t[best.subproblem] * d);
  return best;
}

}  // namespace concord::modular
