// SPDX-License-Identifier: MIT
#pragma once
// Is a sparse symmetric matrix positive definite? By Eigen's simplicial Cholesky factorisation in an order of minimum degree.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstdint>
#include <vector>

#include <concord/kit/conventions.hpp>

namespace concord::kit {

/// Of the matrices [[alpha A, -h], [-h', 0]] with a diagonal that changes.
class SparseCholesky {
 public:
  template <class M>
  SparseCholesky(const M& A, double alpha, const Vector& h) {
    const auto V = static_cast<int32_t>(A.rows());
    std::vector<Eigen::Triplet<double, int32_t>> entries;
    entries.reserve(static_cast<size_t>(A.nonZeros() / 2 + 2 * V + 1));
    for (int32_t v = 0; v < V; ++v) {
      for (typename M::InnerIterator it(A, v); it; ++it)
        if (it.index() > v) entries.emplace_back(static_cast<int32_t>(it.index()), v, alpha * it.value());
      if (h[v] != 0) entries.emplace_back(V, v, -h[v]);
    }
    for (int32_t v = 0; v <= V; ++v) entries.emplace_back(v, v, 1.0);
    S_.resize(V + 1, V + 1);
    S_.setFromTriplets(entries.begin(), entries.end());
    factor_.analyzePattern(S_);
  }

  /// The multiplications of a factorisation: the squares of the lengths of the columns of its factor.
  double multiplications() const { return factor_.multiplications(); }

  bool is_definite(const Eigen::ArrayXd& diagonal) {
    for (int32_t v = 0; v < S_.cols(); ++v)
      S_.valuePtr()[S_.outerIndexPtr()[v]] = diagonal[v];  // rows below follow
    factor_.factorize(S_);
    return factor_.info() == Eigen::Success && factor_.is_finite();
  }

 private:
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int32_t>;
  /// The lengths of the columns are known before the factor is.
  struct Factor : Eigen::SimplicialLLT<Sparse, Eigen::Lower> {
    double multiplications() const {
      double sum = 0;
      for (Index k = 0; k < m_matrix.cols(); ++k)
        sum +=
            std::pow(static_cast<double>(m_matrix.outerIndexPtr()[k + 1] - m_matrix.outerIndexPtr()[k]), 2);
      return sum;
    }
    /// A NaN is no pivot that would end a factorisation.
    bool is_finite() const {
      return Eigen::Map<const Eigen::ArrayXd>(m_matrix.valuePtr(), m_matrix.nonZeros()).allFinite();
    }
  };

  Sparse S_;  ///< the lower triangle, its diagonal first in every column
  Factor factor_;
};

}  // namespace concord::kit
