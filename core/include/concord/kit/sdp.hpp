// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation that every SDP decoder solves:
//   maximise <C, M>  over  diag M = 1, M >= 0,   C = [[-A, c/2], [c'/2, 0]],  n = V + 1,
// and with 1'u = beta one of two forms of the cardinality, a = (1; -beta):
//   lifted  M a = 0, that is U1 = beta u and 1'u = beta: as tight as the spectral relaxation, or tighter;
//   row     sum_v M_vn = beta, the paper's: it says nothing about U.
// For every y the dual bound is  sum y + n lambda_max(C - Diag y), lambda_max over a^perp if lifted; in row
// form C - mu E takes the place of C (E symmetric, 1/2 at (v, n)) and mu beta is added. tr M = n is what makes
// it valid for every y, so it is a proof whatever the solver that found y.
#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/conventions.hpp>

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

  /// C, and in row form C - mu E.
  Matrix cost(double mu = 0) const {
    const Index V = labels();
    Matrix C(V + 1, V + 1);
    C.topLeftCorner(V, V) = -A;
    C.col(V).head(V) = (c.array() - mu) / 2;
    C.row(V).head(V) = C.col(V).head(V).transpose();
    C(V, V) = 0;
    return C;
  }

  /// a = (1; -beta). requires a cardinality
  Vector a() const {
    Vector out = Vector::Ones(order());
    out[labels()] = -beta;
    return out;
  }

  /// What gaps are relative to when the value is near zero: the Frobenius norm of C.
  double scale() const { return std::sqrt(A.squaredNorm() + c.squaredNorm() / 2); }
};

/// N, an orthonormal basis of a^perp: the last n-1 columns of the Householder reflection that sends a to a
/// multiple of e_1. Never formed where a product will do.
class Complement {
 public:
  explicit Complement(Vector a) : v_(std::move(a)) {
    v_[0] += std::copysign(v_.norm(), v_[0]);
    f_ = 2 / v_.squaredNorm();
  }

  /// N'SN for a symmetric S.
  Matrix restrict(const Matrix& S) const {
    // H = I - f vv' gives HSH = S - vy' - yv', y = f Sv - f^2/2 (v'Sv) v.
    Vector y = f_ * (S * v_);
    y -= (0.5 * f_ * v_.dot(y)) * v_;
    const Index m = v_.size() - 1;
    Matrix out = S.bottomRightCorner(m, m);
    out.noalias() -= v_.tail(m) * y.tail(m).transpose();
    out.noalias() -= y.tail(m) * v_.tail(m).transpose();
    return out;
  }

  /// N Z, n x columns.
  Matrix expand(const Matrix& Z) const {
    Matrix out = Matrix::Zero(v_.size(), Z.cols());
    out.bottomRows(Z.rows()) = Z;
    const Eigen::RowVectorXd along = f_ * (v_.tail(Z.rows()).transpose() * Z);
    out.noalias() -= v_ * along;
    return out;
  }

 private:
  Vector v_;
  double f_ = 0;
};

/// F = [u, G] (V x min(r, n)) of M = X'X, X r x n with unit columns: X is rotated by the Householder reflection that
/// sends its last column to e_1, so that the first coordinate of x_v is u_v = M_vn.
inline Matrix factor_of(const Eigen::Ref<const Matrix>& X) {
  const Index V = X.cols() - 1;
  Vector w = X.col(V);
  const double s = w[0] > 0 ? -1 : 1;  // the reflection sends x_n to s e_1, away from cancellation
  w[0] -= s;
  Matrix F = X.leftCols(V).transpose();
  F.noalias() -= (F * w) * (2 / w.squaredNorm()) * w.transpose();
  F.col(0) *= s;
  if (X.rows() <= V + 1) return F;
  // GG' has rank V at most: G' = QR gives GG' = R'R.
  const Eigen::HouseholderQR<Matrix> qr(F.rightCols(X.rows() - 1).transpose());
  Matrix G = qr.matrixQR().topRows(V).triangularView<Eigen::Upper>().toDenseMatrix().transpose();
  Matrix small(V, V + 1);
  small << F.col(0), G;
  return small;
}

}  // namespace concord::kit
