// SPDX-License-Identifier: MIT
#pragma once
// The symmetric eigenproblem in pieces that may run side by side. The pieces depend on the size of the matrix alone, so that
// the bits do not depend on who runs them. M = Q T Q' by LAPACK; then T is torn in the middle (Cuppen),
//   T = [T1 0; 0 T2] + rho vv',
// both halves are decomposed, and joined by the secular equation (LAPACK's dlaed2 and dlaed4). The columns of the
// eigenvectors are found, and multiplied by Q, a few at a time.
#include <Eigen/Core>
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <functional>
#include <lapack.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/spectral.hpp>

extern "C" {
void dlaed2_(int* k, const int* n, const int* n1, double* d, double* q, const int* ldq, int* indxq,
             double* rho, double* z, double* dlamda, double* w, double* q2, int* indx, int* indxc, int* indxp,
             int* coltyp, int* info);
void dlaed3_(const int* k, const int* n, const int* n1, double* d, double* q, const int* ldq,
             const double* rho, double* dlamda, const double* q2, const int* indx, const int* ctot, double* w,
             double* s, int* info);
void dlaed4_(const int* n, const int* i, const double* d, const double* z, double* delta, const double* rho,
             double* dlam, int* info);
}

namespace concord::kit {

namespace detail {

constexpr Eigen::Index divided_columns = 32;  ///< of the eigenvectors, in one piece

inline void require_lapack(const char* routine, int info) {
  if (info != 0)
    throw std::runtime_error(std::string(routine) + " did not converge (info " + std::to_string(info) + ")");
}

/// out (+)= factor XY or X'Y.
inline void add_product(bool transposed, Eigen::Index rows, Eigen::Index columns, Eigen::Index inner,
                        double factor, const double* X, Eigen::Index ldx, const double* Y, Eigen::Index ldy,
                        double keep, double* out, Eigen::Index ldo) {
  if (rows == 0 || columns == 0) return;
  cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, static_cast<int>(rows),
              static_cast<int>(columns), static_cast<int>(inner), factor, X,
              static_cast<int>(std::max<Eigen::Index>(ldx, 1)), Y,
              static_cast<int>(std::max<Eigen::Index>(ldy, 1)), keep, out, static_cast<int>(ldo));
}

/// Calls work(first, count) for the pieces of n columns.
template <class Work>
void for_columns(Eigen::Index n, const InPieces& run, Work&& work) {
  constexpr Eigen::Index size = divided_columns;
  run((n + size - 1) / size,
      [&](Eigen::Index piece) { work(piece * size, std::min(size, n - piece * size)); });
}

/// The eigenvectors of a tridiagonal matrix, in no order. d: the diagonal, then the eigenvalues; e: beside the diagonal.
class DividedTridiagonal {
 public:
  DividedTridiagonal(Eigen::VectorXd& d, Eigen::VectorXd& e, const InPieces& run)
      : d_(d), n_(static_cast<int>(d.size())), n1_(n_ / 2), Q_(Eigen::MatrixXd::Zero(n_, n_)) {
    rho_ = e[n1_ - 1];
    d[n1_ - 1] -= std::abs(rho_);
    d[n1_] -= std::abs(rho_);
    run(2, [&](Eigen::Index half) { half == 0 ? decompose(0, n1_, e) : decompose(n1_, n_ - n1_, e); });
    join(run);
  }

  const Eigen::MatrixXd& vectors() const { return Q_; }

 private:
  void decompose(int first, int n, Eigen::VectorXd& e) {
    std::vector<double> work(static_cast<size_t>(1 + 4 * n + n * n));
    std::vector<int> iwork(static_cast<size_t>(3 + 5 * n));
    const int lwork = static_cast<int>(work.size()), liwork = static_cast<int>(iwork.size());
    int info = 0;
    LAPACK_dstedc("I", &n, d_.data() + first, e.data() + first, &Q_(first, first), &n_, work.data(), &lwork,
                  iwork.data(), &liwork, &info);
    require_lapack("dstedc", info);
  }

  void join(const InPieces& run) {
    const int n2 = n_ - n1_;
    Eigen::VectorXd z(n_), poles(n_), w(n_);
    z << Q_.row(n1_ - 1).head(n1_).transpose(), Q_.row(n1_).tail(n2).transpose();
    std::vector<double> Q2(static_cast<size_t>(n_) *
                           static_cast<size_t>(n_ + 1));  // deflated columns are whole ones
    const auto n = static_cast<size_t>(n_);
    std::vector<int> sorted(n), indx(n), order(n), indxp(n), types(std::max<size_t>(n, 4));
    std::iota(sorted.begin(), sorted.begin() + n1_, 1);
    std::iota(sorted.begin() + n1_, sorted.end(), 1);
    int k = 0, info = 0;
    dlaed2_(&k, &n_, &n1_, d_.data(), Q_.data(), &n_, sorted.data(), &rho_, z.data(), poles.data(), w.data(),
            Q2.data(), indx.data(), order.data(), indxp.data(), types.data(), &info);
    require_lapack("dlaed2", info);
    if (k == 0) return;  // nothing but deflation: d_ and Q_ are the answer
    if (k <= 2) {
      std::vector<double> room(2 * n);
      dlaed3_(&k, &n_, &n1_, d_.data(), Q_.data(), &n_, &rho_, poles.data(), Q2.data(), order.data(),
              types.data(), w.data(), room.data(), &info);
      return require_lapack("dlaed3", info);
    }
    for_columns(k, run, [&](Eigen::Index first, Eigen::Index count) {
      for (Eigen::Index j = first; j < first + count; ++j) {
        const int number = static_cast<int>(j) + 1;
        int failed = 0;
        dlaed4_(&k, &number, poles.data(), w.data(), Q_.col(j).data(), &rho_, &d_[j], &failed);
        require_lapack("dlaed4", failed);
      }
    });
    // The z whose roots those found are exactly (Gu, Eisenstat): its vectors are orthogonal.
    Eigen::VectorXd exact(k);
    for_columns(k, run, [&](Eigen::Index first, Eigen::Index count) {
      for (Eigen::Index i = first; i < first + count; ++i) exact[i] = Q_(i, i);
      for (Eigen::Index j = 0; j < k; ++j)
        for (Eigen::Index i = first; i < first + count; ++i)
          if (i != j) exact[i] *= Q_(i, j) / (poles[i] - poles[j]);
      for (Eigen::Index i = first; i < first + count; ++i)
        exact[i] = std::copysign(std::sqrt(-exact[i]), w[i]);
    });
    // Columns of types 1 and 2 live in the first half, those of types 2 and 3 in the second.
    const int above = types[0] + types[1], below = types[1] + types[2];
    for_columns(k, run, [&](Eigen::Index first, Eigen::Index count) {
      Eigen::MatrixXd S(k, count);
      for (Eigen::Index j = 0; j < count; ++j) {
        const Eigen::VectorXd s = exact.cwiseQuotient(Q_.col(first + j).head(k));
        const double norm = s.norm();
        for (Eigen::Index i = 0; i < k; ++i) S(i, j) = s[order[static_cast<size_t>(i)] - 1] / norm;
      }
      Q_.middleCols(first, count).setZero();
      add_product(false, n1_, count, above, 1, Q2.data(), n1_, S.data(), k, 0, &Q_(0, first), n_);
      add_product(false, n2, count, below, 1, Q2.data() + static_cast<std::ptrdiff_t>(n1_) * above, n2,
                  S.data() + types[0], k, 0, &Q_(n1_, first), n_);
    });
  }

  Eigen::VectorXd& d_;
  int n_, n1_;
  double rho_ = 0;
  Eigen::MatrixXd Q_;
};

/// Q of a tridiagonal reduction: a product of blocks I - V T V' of Householder reflections.
class Reflections {
 public:
  /// M and tau as dsytrd leaves them: reflection i is 1 in row i + 1, and below that column i of M.
  Reflections(const Eigen::MatrixXd& M, const Eigen::VectorXd& tau, const InPieces& run) {
    const Eigen::Index count = M.rows() - 1;
    blocks_.resize(static_cast<size_t>((count + size - 1) / size));
    run(static_cast<Eigen::Index>(blocks_.size()), [&](Eigen::Index b) {
      const Eigen::Index first = b * size, width = std::min(size, count - first);
      Block& block = blocks_[static_cast<size_t>(b)];
      block.V = M.block(first + 1, first, count - first, width).triangularView<Eigen::UnitLower>();
      const Eigen::MatrixXd products = block.V.transpose() * block.V;
      block.T.setZero(width, width);
      for (Eigen::Index i = 0; i < width; ++i) {
        const double t = tau[first + i];
        block.T(i, i) = t;
        block.T.col(i).head(i) = -t * (block.T.topLeftCorner(i, i) * products.col(i).head(i));
      }
    });
  }

  /// Replaces X by QX.
  void apply(Eigen::MatrixXd& X) const {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      const Eigen::Index rows = block->V.rows(), width = block->V.cols();
      double* const below = &X(X.rows() - rows, 0);
      Eigen::MatrixXd inner(width, X.cols());
      add_product(true, width, X.cols(), rows, 1, block->V.data(), rows, below, X.rows(), 0, inner.data(),
                  width);
      const Eigen::MatrixXd turned = block->T.triangularView<Eigen::Upper>() * inner;
      add_product(false, rows, X.cols(), width, -1, block->V.data(), rows, turned.data(), width, 1, below,
                  X.rows());
    }
  }

 private:
  static constexpr Eigen::Index size = 32;
  struct Block {
    Eigen::MatrixXd V, T;
  };
  std::vector<Block> blocks_;
};

}  // namespace detail

/// Ascending eigenvalues of the symmetric matrix M, which becomes the matrix of eigenvectors. requires M.rows() >= 4, and
/// entries that are not so large or small that their squares cannot be held
inline void divided_symmetric(Eigen::MatrixXd& M, Eigen::VectorXd& values, const InPieces& run) {
  const int n = static_cast<int>(M.rows());
  Eigen::VectorXd e(n), tau(n);
  values.resize(n);
  int info = 0, query = -1;
  double work_size = 0;
  LAPACK_dsytrd("L", &n, M.data(), &n, values.data(), e.data(), tau.data(), &work_size, &query, &info);
  std::vector<double> work(static_cast<size_t>(work_size));
  const int lwork = static_cast<int>(work.size());
  LAPACK_dsytrd("L", &n, M.data(), &n, values.data(), e.data(), tau.data(), work.data(), &lwork, &info);
  detail::require_lapack("dsytrd", info);
  const detail::Reflections Q(M, tau, run);
  Eigen::VectorXd found = values;
  const detail::DividedTridiagonal T(found, e, run);
  std::vector<Eigen::Index> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return found[a] < found[b]; });
  detail::for_columns(n, run, [&](Eigen::Index first, Eigen::Index count) {
    Eigen::MatrixXd X(n, count);
    for (Eigen::Index j = 0; j < count; ++j) {
      const Eigen::Index from = order[static_cast<size_t>(first + j)];
      X.col(j) = T.vectors().col(from);
      values[first + j] = found[from];
    }
    Q.apply(X);
    M.middleCols(first, count) = X;
  });
}

}  // namespace concord::kit
