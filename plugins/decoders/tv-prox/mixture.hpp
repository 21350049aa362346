// SPDX-License-Identifier: MIT
#pragma once
// The optimum of the cardinality's Lagrangian relaxation, from the level sets of x*: the set of k labels if
// there is one, else the mixture of its two neighbours, weights 1 - theta and theta, that has k on average.
#include <concord/kit/tv_prox.hpp>

namespace concord {

struct Mixture {
  kit::Vector u1, u2;
  double theta = 0;  ///< 0: u1 is the answer, and it is a labelling

  bool is_labelling() const { return theta == 0; }

  static Mixture at(const kit::LevelSets& sets, size_t k) {
    const size_t i = sets.at_most(k);
    Mixture m{sets.labelling(i), {}, 0};
    if (sets.sizes[i] == k) return m;
    m.u2 = sets.labelling(i + 1);
    m.theta = static_cast<double>(k - sets.sizes[i]) / static_cast<double>(sets.sizes[i + 1] - sets.sizes[i]);
    return m;
  }

  double value(const kit::CutObjective& f, const kit::VectorRef& c) const {
    return is_labelling() ? f(c, u1) : (1 - theta) * f(c, u1) + theta * f(c, u2);
  }

  /// F = [u, sqrt(theta (1 - theta)) (u2 - u1)]: FF' is the mixture of u1 u1' and u2 u2', with unit diagonal.
  template <class Result>
  void write(const Result& result) const {
    auto F = result.factor(is_labelling() ? 1 : 2);
    if (is_labelling()) {
      F.col(0) = u1;
    } else {
      F.col(0) = (1 - theta) * u1 + theta * u2;
      F.col(1) = std::sqrt(theta * (1 - theta)) * (u2 - u1);
    }
  }

  std::string text() const {
    const auto size = [](const kit::Vector& u) { return std::to_string((u.array() > 0).count()); };
    return is_labelling() ? "a level set has this cardinality"
                          : "no level set has this cardinality: a mixture of those with " + size(u1) + " and " +
                                size(u2) + " labels";
  }
};

}  // namespace concord
