// SPDX-License-Identifier: MIT
#include "solve/family_bounds.hpp"

#include <concord/kit/lapack.hpp>
#include <concord/kit/spectral_family.hpp>

namespace concord {

FamilyBounds::FamilyBounds(Eigen::MatrixXd A) : factors_(std::move(A), kit::lapack_algebra()) {}

bool FamilyBounds::apply_to(const FamilyData& family) {
  return family.size() > 1 &&
         (family.rows.cols() == 0 || (family.rows.cols() == 1 && family.is_cardinality(0)));
}

Eigen::VectorXd FamilyBounds::of(const Eigen::VectorXd& c, const FamilyData& family) const {
  Eigen::VectorXd u(family.labels());
  Eigen::VectorXd bounds(family.size());
  const kit::SpectralFamily question{c.data(),
                                     family.size(),
                                     family.D.cols(),
                                     family.D.data(),
                                     family.constants.data(),
                                     family.t.data(),
                                     family.rows.cols() == 0 ? nullptr : family.beta.data()};
  kit::FamilyAnswer answer;
  answer.u = u.data();
  answer.bounds = bounds.data();
  kit::solve_spectral_families(factors_, {&question, 1}, {&answer, 1}, false);
  return bounds;
}

}  // namespace concord
