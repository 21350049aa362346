// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/dense.hpp, which includes this file unless they are compiled in a library.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <concord/kit/dense.hpp>

namespace concord::kit {

CONCORD_KIT_INLINE bool eigen_definite(Matrix& S) {
  return Eigen::LLT<Eigen::Ref<Matrix>>(S).info() == Eigen::Success;
}

CONCORD_KIT_INLINE bool symmetric_eigen(const Matrix& S, Vector& values, Matrix* vectors) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      S, vectors == nullptr ? Eigen::EigenvaluesOnly : Eigen::ComputeEigenvectors);
  values = solver.eigenvalues();
  if (solver.info() != Eigen::Success) return false;
  if (vectors != nullptr) *vectors = solver.eigenvectors();
  return true;
}

CONCORD_KIT_INLINE bool generalised_eigen(const Matrix& K, const Matrix& B, Vector& values, Matrix& vectors) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(K, B);
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
  return solver.info() == Eigen::Success;
}

CONCORD_KIT_INLINE Vector ldlt_solve(const Matrix& S, const Vector& b) {
  return S.ldlt().solve(b);
}

CONCORD_KIT_INLINE Matrix qr_triangle(const Matrix& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  return qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

CONCORD_KIT_INLINE void eigen_product(const Matrix& E, bool transposed, const Eigen::Ref<const Matrix>& X,
                                      Eigen::Ref<Matrix> out) {
  if (transposed) {
    out.noalias() = E.transpose() * X;
  } else {
    out.noalias() = E * X;
  }
}

}  // namespace concord::kit
