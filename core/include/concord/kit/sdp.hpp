// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation that every SDP decoder solves:
//   maximise <C, M>  over  diag M = 1, M >= 0,   C = [[-A, c/2], [c'/2, 0]],  n = V + 1,
// and with 1'u = beta one of two forms of the cardinality, a = (1; -beta):
//   lifted  M a = 0, that is U1 = beta u and 1'u = beta: as tight as the spectral relaxation, or tighter;
//   row     sum_v M_vn = beta, the paper's: it says nothing about U.
// For every y the dual bound is  sum y + n lambda_max(C - Diag y), lambda_max over a^perp if lifted. In row
// form C - mu E takes the place of C (E symmetric, 1/2 at (v, n)) and mu beta is added. The bound holds for
// every y because tr M = n, so it is a proof, whichever solver found y.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/dense.hpp>

namespace concord::kit {

enum class CardinalityForm { lifted, row };

/// One problem, without a copy of A. The diagonal of A must be zero.
struct SdpProblem {
  Eigen::Ref<const Matrix> A;
  Eigen::Ref<const Vector> c;
  double beta = std::numeric_limits<double>::quiet_NaN();  ///< 1'u = beta; NaN: no cardinality
  CardinalityForm form = CardinalityForm::lifted;

  Index labels() const { return A.rows(); }
  Index order() const { return A.rows() + 1; }  ///< n
  bool has_cardinality() const { return !std::isnan(beta); }
  bool is_lifted() const { return has_cardinality() && form == CardinalityForm::lifted; }
  bool is_row() const { return has_cardinality() && form == CardinalityForm::row; }

  Matrix cost(double mu = 0) const;  ///< C, and in row form C - mu E
  Vector a() const;                  ///< (1; -beta). requires a cardinality
  double scale() const;  ///< what gaps are relative to when the value is near zero: the Frobenius norm of C
};

/// N, an orthonormal basis of a^perp: the last n-1 columns of the Householder reflection that sends a to a
/// multiple of e_1. Never formed where a product will do.
class Complement {
 public:
  explicit Complement(Vector a);

  Matrix restrict(const Matrix& S) const;  ///< N'SN for a symmetric S
  Matrix expand(const Matrix& Z) const;    ///< N Z, n x columns

 private:
  Vector v_;
  double f_ = 0;
};

/// F = [u, G] (V x min(r, n)) of M = X'X, X r x n with unit columns: X is rotated by the Householder reflection that
/// sends its last column to e_1, so that the first coordinate of x_v is u_v = M_vn.
Matrix factor_of(const Eigen::Ref<const Matrix>& X);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp.hpp>
#endif
