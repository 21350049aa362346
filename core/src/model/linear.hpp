// SPDX-License-Identifier: MIT
#pragma once
// Products of W with rows of the features, O(nnz V): the scores of instances, and what a step of training does to W.
#include <Eigen/Core>
#include <algorithm>
#include <span>

#include "base/run.hpp"
#include "data/dataset.hpp"

namespace concord {

/// Some columns of W, or all.
using ColumnsOfW = Eigen::Ref<RowMatrix>;
using ConstColumnsOfW = Eigen::Ref<const RowMatrix>;

/// W'x_i
inline Eigen::VectorXd score(const ConstColumnsOfW& W, const Features& X, int64_t i) {
  if (!X.is_sparse()) return (X.dense().row(i) * W).transpose();
  Eigen::VectorXd s = Eigen::VectorXd::Zero(W.cols());
  for (SparseMatrix::InnerIterator it(X.sparse(), i); it; ++it)
    s.noalias() += it.value() * W.row(it.col()).transpose();
  return s;
}

/// W'x_i for the given rows, as columns. In pieces on the threads of the pool: those of dense features are large, as each is a
/// matrix product, and have matrices of their own, as what Eigen computes may depend on where a block lies in memory.
inline Eigen::MatrixXd scores(const RowMatrix& W, const Features& X, std::span<const int64_t> rows,
                              ThreadPool& pool) {
  const auto n = static_cast<int64_t>(rows.size());
  Eigen::MatrixXd S(W.cols(), n);
  for_pieces(n, X.is_sparse() ? 8 : 64, &pool, [&](int64_t first, int64_t count) {
    const auto mine = rows.subspan(static_cast<size_t>(first), static_cast<size_t>(count));
    if (X.is_sparse()) {
      for (int64_t j = 0; j < count; ++j) S.col(first + j) = score(W, X, mine[static_cast<size_t>(j)]);
      return;
    }
    RowMatrix chosen(count, X.columns());
    for (int64_t j = 0; j < count; ++j) chosen.row(j) = X.dense().row(mine[static_cast<size_t>(j)]);
    const RowMatrix products = chosen * W;
    S.middleCols(first, count) = products.transpose();
  });
  return S;
}

/// W'x_i for the n rows from `begin` on, as columns. For dense features the last bits may differ from those of
/// scores(), as Eigen multiplies other shapes. Prediction keeps the bits of version 0.1.
inline Eigen::MatrixXd block_scores(const RowMatrix& W, const Features& X, int64_t begin, int64_t n) {
  Eigen::MatrixXd S(W.cols(), n);
  if (X.is_sparse())
    for (int64_t i = 0; i < n; ++i) S.col(i) = score(W, X, begin + i);
  else
    S.noalias() = W.transpose() * X.dense().middleRows(begin, n).transpose();
  return S;
}

/// W += x_i v'
inline void add_outer(ColumnsOfW W, const Features& X, int64_t i, const Eigen::VectorXd& v) {
  if (!X.is_sparse()) {
    W.noalias() += X.dense().row(i).transpose() * v.transpose();
    return;
  }
  for (SparseMatrix::InnerIterator it(X.sparse(), i); it; ++it)
    W.row(it.col()).noalias() += it.value() * v.transpose();
}

inline Eigen::VectorXd squared_row_norms(const Features& X) {
  Eigen::VectorXd norms(X.rows());
  for (int64_t i = 0; i < X.rows(); ++i)
    norms(i) = X.is_sparse() ? X.sparse().row(i).squaredNorm() : X.dense().row(i).squaredNorm();
  return norms;
}

}  // namespace concord
