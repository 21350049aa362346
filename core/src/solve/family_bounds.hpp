// SPDX-License-Identifier: MIT
#pragma once
// The spectral bound of every subproblem of a family, by which the host's loop over them leaves most out.
#include <Eigen/Core>

#include <concord/kit/spectral.hpp>

#include "solve/family.hpp"

namespace concord {

class FamilyBounds {
 public:
  /// A is decomposed when a bound is first asked for.
  explicit FamilyBounds(Eigen::MatrixXd A);

  /// Several subproblems, each with a cardinality or without.
  static bool apply_to(const FamilyData& family);

  /// bound(s) >= constant_s + u'(c + D t_s) - u'Au for every labelling u of subproblem s; the spectral values, to
  /// rounding. requires apply_to(family)
  Eigen::VectorXd of(const Eigen::VectorXd& c, const FamilyData& family) const;

 private:
  kit::SpectralFactors factors_;
};

}  // namespace concord
