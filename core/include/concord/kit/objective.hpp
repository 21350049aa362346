// SPDX-License-Identifier: MIT
#pragma once
// The objective u'c - u'Au and what a flip does to it, for dense and sparse A alike.
#include <Eigen/SparseCore>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <concord/kit/conventions.hpp>

namespace concord::kit {

/// Calls f with the matrix of a prior (anything with is_sparse(), sparse(), dense()), dense or sparse.
template <class Prior, class F>
auto with_matrix(const Prior& prior, F&& f) {
  return prior.is_sparse() ? f(prior.sparse()) : f(prior.dense());
}

template <class M>
constexpr bool is_sparse_matrix =
    std::is_base_of_v<Eigen::SparseMatrixBase<std::remove_cvref_t<M>>, std::remove_cvref_t<M>>;

/// u'c - u'Au
template <class M>
double objective(const M& A, const VectorRef& c, const VectorRef& u) {
  const Vector Au = A * u;
  return u.dot(c - Au);
}

/// Sum |c| + sum |A|: no labelling's objective is larger, and rounding errors are proportional to it.
template <class M>
double magnitude(const M& A, const VectorRef& c) {
  return c.cwiseAbs().sum() + A.cwiseAbs().sum();
}

/// Where a search for labels begins: at `start` (V labels), or at those of the relaxed u if it is null.
inline Vector first_labels(const int8_t* start, const VectorRef& u, const std::optional<Index>& k) {
  if (start == nullptr) return labels_of(u, k);
  return Eigen::Map<const Eigen::Array<int8_t, Eigen::Dynamic, 1>>(start, u.size()).cast<double>();
}

/// The candidate, or `start` (V labels, or null for none) unless the candidate is strictly better.
template <class M>
Vector better_of(const M& A, const VectorRef& c, Vector candidate, const int8_t* start) {
  if (start == nullptr) return candidate;
  const Vector before =
      Eigen::Map<const Eigen::Array<int8_t, Eigen::Dynamic, 1>>(start, c.size()).cast<double>();
  return objective(A, c, candidate) > objective(A, c, before) ? candidate : before;
}

/// A labelling u that changes by flips, with its objective and its field h_v = c_v - 2 sum_{j != v} A_vj u_j.
/// Flipping v gains -2 u_v h_v. Rounding errors add up with the flips; `resync` removes them.
/// A must be symmetric and outlive the object.
template <class M>
class Labelling {
 public:
  Labelling(const M& A, Vector c, Vector u) : A_(A), c_(std::move(c)), u_(std::move(u)) { resync(); }

  Index size() const { return u_.size(); }
  const Vector& u() const { return u_; }
  double value() const { return value_; }
  double gain(Index v) const { return -2 * u_[v] * h_[v]; }

  /// O(V), or the number of entries of row v of a sparse A.
  void flip(Index v) {
    value_ += gain(v);
    const double own = h_[v];
    const double step = 4 * u_[v];
    if constexpr (is_sparse_matrix<M>) {
      for (typename M::InnerIterator it(A_, v); it; ++it) h_[it.index()] += step * it.value();
    } else {
      h_ += step * A_.col(v);
    }
    h_[v] = own;  // the diagonal does not couple a label with itself
    u_[v] = -u_[v];
  }

  /// Objective and field from their definitions.
  void resync() {
    const Vector Au = A_ * u_;
    value_ = u_.dot(c_ - Au);
    h_ = c_ - 2 * Au;
    for (Index v = 0; v < size(); ++v) h_[v] += 2 * A_.coeff(v, v) * u_[v];
  }

 private:
  const M& A_;
  Vector c_;
  Vector u_;
  Vector h_;
  double value_ = 0;
};

}  // namespace concord::kit
