// SPDX-License-Identifier: MIT
#pragma once
// The parts of LAPACK and BLAS that the spectral decoders use. Only declarations: who calls them links
// LAPACK.
#include <Eigen/Core>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/spectral.hpp>

extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda, double* wr,
            double* wi, double* vl, const int* ldvl, double* vr, const int* ldvr, double* work,
            const int* lwork, int* info);
}

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
  dsyevd_("V", "L", &n, M.data(), &n, values.data(), &work_size, &query, &iwork_size, &query, &info);
  std::vector<double> work(static_cast<size_t>(work_size));
  std::vector<int> iwork(static_cast<size_t>(iwork_size));
  const int lwork = static_cast<int>(work_size);
  dsyevd_("V", "L", &n, M.data(), &n, values.data(), work.data(), &lwork, iwork.data(), &iwork_size, &info);
  if (info != 0) throw std::runtime_error("dsyevd did not converge (info " + std::to_string(info) + ")");
}

/// The faster of the two symmetric solvers for the size (measured: docs/bench/spectral.md).
inline void fastest_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values) {
  if (M.rows() < 120) {
    eigen_symmetric(M, values);
  } else {
    lapack_symmetric(M, values);
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
  const double one = 1;
  const double zero = 0;
  dgemm_(transposed ? "T" : "N", "N", &m, &n, &k, &one, E.data(), &lda, X.data(), &ldb, &zero, out.data(),
         &ldc);
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
  dgeev_("N", "N", &n, M.data(), &n, real.data(), imaginary.data(), nullptr, &one, nullptr, &one, &work_size,
         &query, &info);
  std::vector<double> work(static_cast<size_t>(work_size));
  const int lwork = static_cast<int>(work_size);
  dgeev_("N", "N", &n, M.data(), &n, real.data(), imaginary.data(), nullptr, &one, nullptr, &one, work.data(),
         &lwork, &info);
  if (info != 0) throw std::runtime_error("dgeev did not converge (info " + std::to_string(info) + ")");
}

}  // namespace concord::kit
