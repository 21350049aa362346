// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp.hpp.
#include <concord/kit/sdp.hpp>

namespace concord::kit {

CONCORD_KIT_INLINE Matrix SdpProblem::cost(double mu) const {
  const Index V = labels();
  Matrix C(V + 1, V + 1);
  C.topLeftCorner(V, V) = -A;
  C.col(V).head(V) = (c.array() - mu) / 2;
  C.row(V).head(V) = C.col(V).head(V).transpose();
  C(V, V) = 0;
  return C;
}

CONCORD_KIT_INLINE Vector SdpProblem::a() const {
  Vector out = Vector::Ones(order());
  out[labels()] = -beta;
  return out;
}

CONCORD_KIT_INLINE double SdpProblem::scale() const {
  return std::sqrt(A.squaredNorm() + c.squaredNorm() / 2);
}

CONCORD_KIT_INLINE Complement::Complement(Vector a) : v_(std::move(a)) {
  v_[0] += std::copysign(v_.norm(), v_[0]);
  f_ = 2 / v_.squaredNorm();
}

CONCORD_KIT_INLINE Matrix Complement::restrict(const Matrix& S) const {
  // H = I - f vv' gives HSH = S - vy' - yv', y = f Sv - f^2/2 (v'Sv) v.
  Vector y = f_ * (S * v_);
  y -= (0.5 * f_ * v_.dot(y)) * v_;
  const Index m = v_.size() - 1;
  Matrix out = S.bottomRightCorner(m, m);
  out.noalias() -= v_.tail(m) * y.tail(m).transpose();
  out.noalias() -= y.tail(m) * v_.tail(m).transpose();
  return out;
}

CONCORD_KIT_INLINE Matrix Complement::expand(const Matrix& Z) const {
  Matrix out = Matrix::Zero(v_.size(), Z.cols());
  out.bottomRows(Z.rows()) = Z;
  const Eigen::RowVectorXd along = f_ * (v_.tail(Z.rows()).transpose() * Z);
  out.noalias() -= v_ * along;
  return out;
}

CONCORD_KIT_INLINE Matrix factor_of(const Eigen::Ref<const Matrix>& X) {
  const Index V = X.cols() - 1;
  Vector w = X.col(V);
  const double s = w[0] > 0 ? -1 : 1;  // the reflection sends x_n to s e_1, away from cancellation
  w[0] -= s;
  Matrix F = X.leftCols(V).transpose();
  F.noalias() -= (F * w) * (2 / w.squaredNorm()) * w.transpose();
  F.col(0) *= s;
  if (X.rows() <= V + 1) return F;
  // GG' has rank V at most: G' = QR gives GG' = R'R.
  Matrix small(V, V + 1);
  small << F.col(0), qr_triangle(F.rightCols(X.rows() - 1).transpose()).transpose();
  return small;
}

}  // namespace concord::kit
