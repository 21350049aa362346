// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation of kit/sdp.hpp for a sparse A and no cardinality, without a dense copy of A: the bound that any
// y proves, by sparse factorisations, and the check of a factor X.
#include <Eigen/SparseCore>
#include <cstdint>

#include <concord/kit/sdp_answer.hpp>

namespace concord::kit {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int64_t>;

/// One problem, without a copy of A, which is symmetric with a zero diagonal.
struct SparseSdpProblem {
  const SparseRows& A;
  Eigen::Ref<const Vector> c;

  Index labels() const { return A.rows(); }
  Index order() const { return A.rows() + 1; }  ///< n
  double scale() const;                         ///< as SdpProblem::scale
};

/// sum y + n lambda_max(C - Diag y) or a little more, rounding included: no labelling has a larger objective. Of up to 300
/// labels it is that of the dense problem, of more by_factorisations.
double proven_bound(const SparseSdpProblem& problem, const Vector& y);
double proven_bound_by_factorisations(const SparseSdpProblem& problem, const Vector& y);

/// u'c - <A, FF'>
double factor_value(const SparseSdpProblem& problem, const Matrix& F);

/// The answer's X, checked, as F = [u, G]. M would be dense, and is refused.
Matrix verified_factor(const SparseSdpProblem& problem, const SdpAnswer& answer);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp_sparse.hpp>
#endif
