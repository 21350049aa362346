// SPDX-License-Identifier: MIT
#pragma once
// The conventions that make answers comparable between decoders: how ties are broken, and k against beta.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace concord::kit {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using VectorRef = Eigen::Ref<const Vector>;

/// The order "largest first, ties to the lower index": a total order, so every sort gives the same result.
class Descending {
 public:
  explicit Descending(const double* x) : x_(x) {}
  bool operator()(Index i, Index j) const { return x_[i] > x_[j] || (x_[i] == x_[j] && i < j); }

 private:
  const double* x_;
};

/// The indices of x in that order.
inline std::vector<Index> descending(const VectorRef& x) {
  std::vector<Index> order(static_cast<size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), Descending(x.data()));
  return order;
}

/// The labels of x above a level; sign(0) = -1.
inline Vector sign(const VectorRef& x, double level = 0) {
  return (x.array() > level).select(Vector::Ones(x.size()), -1);
}

/// +1 on the k largest entries, -1 elsewhere; O(V). requires 0 <= k <= V
inline Vector top_k(const VectorRef& x, Index k) {
  if (k < 0 || k > x.size()) throw std::invalid_argument("top_k: k must lie between 0 and V");
  std::vector<Index> order(static_cast<size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  if (k < x.size()) std::nth_element(order.begin(), order.begin() + k, order.end(), Descending(x.data()));
  Vector u = Vector::Constant(x.size(), -1);
  for (auto it = order.begin(); it != order.begin() + k; ++it) u[*it] = 1;
  return u;
}

/// The labels of x: the k largest under a cardinality, else the positive ones.
inline Vector labels_of(const VectorRef& x, const std::optional<Index>& k) {
  return k ? top_k(x, *k) : sign(x);
}

/// 1'u = beta = 2k - V for a labelling with k positives.
inline double beta_of(Index V, Index k) {
  return static_cast<double>(2 * k - V);
}

/// The k of a beta, or nothing if no labelling has 1'u = beta.
inline std::optional<Index> k_of(Index V, double beta) {
  const double k = (beta + static_cast<double>(V)) / 2;
  if (!(k >= 0 && k <= static_cast<double>(V)) || k != std::floor(k)) return std::nullopt;
  return static_cast<Index>(k);
}

/// Is the labelling u on the equality row e'u = beta? Exactly, for rows of small integers.
inline bool on_row(const VectorRef& e, double beta, const VectorRef& u) {
  return std::abs(e.dot(u) - beta) <= 1e-9 * e.cwiseAbs().sum();
}

/// Is a value above the best so far by more than rounding? Candidates that tie on paper differ by a few units
/// in the last place of the terms they were summed from (`scale`, the sum of their magnitudes); with this
/// test the first of them wins, whatever the order of summation.
inline bool exceeds(double value, double best, double scale) {
  return value > best + 16 * std::numeric_limits<double>::epsilon() * scale;
}

}  // namespace concord::kit
