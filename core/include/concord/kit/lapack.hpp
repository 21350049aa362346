// SPDX-License-Identifier: MIT
#pragma once
// The parts of LAPACK and BLAS that the spectral decoders use. Who includes this needs the headers cblas.h (of OpenBLAS, say)
// and lapack.h (of LAPACKE, whose functions are not used: only the declarations), and links LAPACK.
#include <Eigen/Core>
#include <cblas.h>
#include <lapack.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/divided_eigen.hpp>
#include <concord/kit/spectral.hpp>

namespace concord::kit {

inline int lapack_order(Eigen::Index n) {
  if (n > 30000) throw std::length_error("LAPACK's 32-bit indices end at about 30000 rows");
  return static_cast<int>(n);
}

/// Ascending eigenvalues of the symmetric matrix M, which becomes the matrix of eigenvectors (dsyevd).
inline void lapack_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values) {
  const int n = lapack_order(M.rows());
  values.resize(n);
  int info = 0;
  int query = -1;
  double work_size = 0;
  int iwork_size = 0;
  LAPACK_dsyevd("V", "L", &n, M.data(), &n, values.data(), &work_size, &query, &iwork_size, &query, &info);
  std::vector<double> work(static_cast<size_t>(work_size));
  std::vector<int> iwork(static_cast<size_t>(iwork_size));
  const int lwork = static_cast<int>(work_size);
  LAPACK_dsyevd("V", "L", &n, M.data(), &n, values.data(), work.data(), &lwork, iwork.data(), &iwork_size,
                &info);
  if (info != 0) throw std::runtime_error("dsyevd did not converge (info " + std::to_string(info) + ")");
}

/// The fastest symmetric solver for the size (measured: docs/bench/spectral.md).
inline void fastest_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values, const InPieces& run) {
  lapack_order(M.rows());
  if (M.rows() < 120) {
    eigen_symmetric(M, values);
  } else {
    divided_symmetric(M, values, run);
  }
}

/// out = EX or E'X (dgemm). A single column is a matrix-vector product, which Eigen does as well.
inline void blas_product(const Eigen::MatrixXd& E, bool transposed,
                         const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> out) {
  if (X.cols() == 1) return eigen_product(E, transposed, X, out);
  const int m = lapack_order(out.rows());
  const int n = lapack_order(out.cols());
  const int k = lapack_order(X.rows());
  const int lda = lapack_order(E.rows());
  const int ldb = static_cast<int>(X.outerStride());
  const int ldc = static_cast<int>(out.outerStride());
  cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, 1, E.data(), lda,
              X.data(), ldb, 0, out.data(), ldc);
}

inline DenseAlgebra lapack_algebra() {
  return {fastest_symmetric, blas_product};
}

/// Real and imaginary parts of the eigenvalues of the square matrix M, which is destroyed (dgeev).
inline void lapack_eigenvalues(Eigen::MatrixXd& M, Eigen::VectorXd& real, Eigen::VectorXd& imaginary) {
  const int n = lapack_order(M.rows());
  real.resize(n);
  imaginary.resize(n);
  int info = 0;
  int query = -1;
  const int one = 1;
  double work_size = 0;
  LAPACK_dgeev("N", "N", &n, M.data(), &n, real.data(), imaginary.data(), nullptr, &one, nullptr, &one,
               &work_size, &query, &info);
  std::vector<double> work(static_cast<size_t>(work_size));
  const int lwork = static_cast<int>(work_size);
  LAPACK_dgeev("N", "N", &n, M.data(), &n, real.data(), imaginary.data(), nullptr, &one, nullptr, &one,
               work.data(), &lwork, &info);
  if (info != 0) throw std::runtime_error("dgeev did not converge (info " + std::to_string(info) + ")");
}

}  // namespace concord::kit
