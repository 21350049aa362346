// SPDX-License-Identifier: MIT
#include "solve/family.hpp"

#include <algorithm>
#include <vector>

#include <concord/kit/lapack.hpp>
#include <concord/kit/spectral_family.hpp>

namespace concord {

FamilyBounds::FamilyBounds(const PriorMatrix& A) {
  if (A.is_sparse())
    sparse_ = A.sparse();
  else
    factors_.emplace(A.dense(), kit::lapack_algebra());
}

const kit::SpectralFactors& FamilyBounds::factors() const {
  std::call_once(once_, [&] {
    if (!factors_) factors_.emplace(Eigen::MatrixXd(sparse_), kit::lapack_algebra());
  });
  return *factors_;
}

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
  kit::solve_spectral_families(factors(), {&question, 1}, {&answer, 1}, false);
  return bounds;
}

namespace {

/// Each class holds those before it; the numbers of the border were given in another order.
constexpr int32_t kByBreadth[] = {CONCORD_CONSTRAINTS_NONE, CONCORD_CONSTRAINTS_CARDINALITY,
                                  CONCORD_CONSTRAINTS_SUBSET, CONCORD_CONSTRAINTS_ROWS};

auto breadth(int32_t constraints) {
  return std::find(std::begin(kByBreadth), std::end(kByBreadth), constraints) - std::begin(kByBreadth);
}

}  // namespace

int32_t class_of_rows(std::span<const concord_row> rows, int64_t labels) {
  if (rows.empty()) return CONCORD_CONSTRAINTS_NONE;
  if (rows.size() > 1) return CONCORD_CONSTRAINTS_ROWS;
  const double* e = rows.front().coefficients;
  if (e == nullptr) return CONCORD_CONSTRAINTS_CARDINALITY;
  const bool is_subset = std::all_of(e, e + labels, [](double x) { return x == 0 || x == 1; });
  return is_subset ? CONCORD_CONSTRAINTS_SUBSET : CONCORD_CONSTRAINTS_ROWS;
}

int32_t class_of_rows(const FamilyData& family) {
  std::vector<concord_row> rows;
  for (int64_t r = 0; r < family.rows.cols(); ++r) rows.push_back(family.row(r, 0));
  return class_of_rows(rows, family.labels());
}

bool covers(int32_t can, int32_t needed) {
  return breadth(needed) <= breadth(can);
}

const char* rows_of_class(int32_t constraints) {
  static constexpr const char* names[] = {"no equality row", "a cardinality",
                                          "an equality row of zeros and ones", "general equality rows"};
  return names[breadth(constraints)];
}

const char* takes_of_class(int32_t constraints) {
  static constexpr const char* names[] = {"takes none", "takes only a cardinality",
                                          "takes only one equality row of zeros and ones", "takes any rows"};
  return names[breadth(constraints)];
}

}  // namespace concord
