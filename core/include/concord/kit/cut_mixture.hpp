// SPDX-License-Identifier: MIT
#pragma once
// The optimum of the cardinality's Lagrangian relaxation for an attractive prior: a minimum cut of k labels
// if there is one. Else a smaller and a larger cut are mixed, with weights 1 - theta and theta, to k labels
// on average.
#include <cmath>
#include <string>
#include <utility>

#include <concord/kit/tv_prox.hpp>

namespace concord::kit {

class CutMixture {
 public:
  CutMixture() = default;
  explicit CutMixture(Vector u) : u1_(std::move(u)) {}
  /// requires u1 to have fewer than k positive labels and u2 more
  CutMixture(Vector u1, Vector u2, Index k) : u1_(std::move(u1)), u2_(std::move(u2)) {
    const Index k1 = (u1_.array() > 0).count();
    const Index k2 = (u2_.array() > 0).count();
    theta_ = static_cast<double>(k - k1) / static_cast<double>(k2 - k1);
    text_ = std::to_string(k1) + " and " + std::to_string(k2);
  }
  /// From level sets that enclose k.
  static CutMixture at(const LevelSets& sets, size_t k) {
    const size_t i = sets.at_most(k);
    return sets.sizes[i] == k ? CutMixture(sets.labelling(i))
                              : CutMixture(sets.labelling(i), sets.labelling(i + 1), static_cast<Index>(k));
  }

  bool is_labelling() const { return theta_ == 0; }

  double value(const CutObjective& f, const VectorRef& c) const {
    return is_labelling() ? f(c, u1_) : (1 - theta_) * f(c, u1_) + theta_ * f(c, u2_);
  }

  /// F = [u, sqrt(theta (1 - theta)) (u2 - u1)]: FF' is the mixture of u1 u1' and u2 u2', with unit diagonal.
  Matrix factor() const {
    if (is_labelling()) return u1_;
    Matrix F(u1_.size(), 2);
    F.col(0) = (1 - theta_) * u1_ + theta_ * u2_;
    F.col(1) = std::sqrt(theta_ * (1 - theta_)) * (u2_ - u1_);
    return F;
  }

  std::string text() const {
    return is_labelling()
               ? "a minimum cut has this cardinality"
               : "no minimum cut found has this cardinality: a mixture of those with " + text_ + " labels";
  }

 private:
  Vector u1_, u2_;
  double theta_ = 0;  ///< 0: u1 is the answer
  std::string text_;
};

}  // namespace concord::kit
