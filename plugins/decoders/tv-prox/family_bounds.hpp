// SPDX-License-Identifier: MIT
#pragma once
// Upper bounds for all subproblems of a family from the prox of one of them. The relaxed value phi_k of the
// linear term c + D t0 is a maximum over mixtures of labellings with k labels on average. So for another t
//   phi_k(c + D t) <= phi_k(c + D t0) + max { (t - t0)'D'u : |u_v| <= 1, 1'u = 2k - V }.
// The maximum is at most the sum of the maxima of the columns of D. The maximum of a column is the sum of its
// k largest (or smallest) entries minus the rest. For t0 = 0 and the F-beta loss the bound is
// maxloss_k + phi_k.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <concord/kit/conventions.hpp>
#include <concord/plugin.hpp>

namespace concord::tv_prox {

class FamilyBounds {
 public:
  explicit FamilyBounds(const Family& family) : family_(family) {
    const Matrix D = family.D();
    largest_.resize(D.rows() + 1, D.cols());
    smallest_.resize(D.rows() + 1, D.cols());
    for (int64_t d = 0; d < D.cols(); ++d) {
      Vector sorted = D.col(d);
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      accumulate(sorted, largest_.col(d));
      accumulate(sorted.reverse(), smallest_.col(d));
    }
    absolute_ = D.cwiseAbs().colwise().sum();
    for (int64_t s = 0; s < family.size(); ++s) {
      const bool free = family.row_count() == 0 || std::isnan(family.beta()(0, s));
      k_.push_back(free ? std::nullopt : kit::k_of(D.rows(), family.beta()(0, s)));
      const bool feasible = free || k_.back();
      bounds_.push_back(feasible ? std::numeric_limits<double>::infinity() : closed);
    }
  }

  /// The cardinality of s, if it has one.
  std::optional<int64_t> k(int64_t s) const { return k_[static_cast<size_t>(s)]; }

  /// Takes in phi(k) of the linear term c + D t0.
  template <class Phi>
  void tighten(const Vector& t0, const Phi& phi) {
    for (int64_t s = 0; s < family_.size(); ++s) {
      double& bound = bounds_[static_cast<size_t>(s)];
      if (bound == closed) continue;
      const auto k = this->k(s);
      double gain = 0;
      for (int64_t d = 0; d < t0.size(); ++d) {
        const double t = family_.t()(d, s) - t0[d];
        gain += !k ? std::abs(t) * absolute_[d] : t * (t > 0 ? largest_ : smallest_)(*k, d);
      }
      bound = std::min(bound, family_.constants()[s] + phi(k) + gain);
    }
  }

  /// The open subproblem of largest bound, the first of them, and its bound (-infinity: none is open).
  std::pair<int64_t, double> most_promising() const {
    const auto it = std::max_element(bounds_.begin(), bounds_.end());
    return {it - bounds_.begin(), *it};
  }
  void close(int64_t s) { bounds_[static_cast<size_t>(s)] = closed; }
  int64_t open() const {
    return static_cast<int64_t>(bounds_.size()) - std::count(bounds_.begin(), bounds_.end(), closed);
  }

 private:
  static constexpr double closed = -std::numeric_limits<double>::infinity();

  /// out[k] = the sum of the first k entries minus the rest.
  template <class Sorted, class Out>
  static void accumulate(const Sorted& sorted, Out out) {
    out[0] = -sorted.sum();
    for (int64_t k = 0; k < sorted.size(); ++k) out[k + 1] = out[k] + 2 * sorted[k];
  }

  const Family& family_;
  Matrix largest_, smallest_;
  Vector absolute_;
  std::vector<std::optional<int64_t>> k_;
  std::vector<double> bounds_;
};

}  // namespace concord::tv_prox
