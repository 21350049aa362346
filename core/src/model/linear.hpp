// SPDX-License-Identifier: MIT
#pragma once
// Products of W with rows of the features, O(nnz V): the scores of instances, and what a step of training does to W.
#include <Eigen/Core>
#include <span>

#include "data/dataset.hpp"

namespace concord {

/// W'x_i
inline Eigen::VectorXd score(const RowMatrix& W, const Features& X, int64_t i) {
  if (!X.is_sparse()) return (X.dense().row(i) * W).transpose();
  Eigen::VectorXd s = Eigen::VectorXd::Zero(W.cols());
  for (SparseMatrix::InnerIterator it(X.sparse(), i); it; ++it)
    s.noalias() += it.value() * W.row(it.col()).transpose();
  return s;
}

/// W'x_i for the given rows, as columns. A matrix of its own: what Eigen computes may depend on where a block lies in
/// memory.
inline Eigen::MatrixXd scores(const RowMatrix& W, const Features& X, std::span<const int64_t> rows) {
  Eigen::MatrixXd S(W.cols(), static_cast<int64_t>(rows.size()));
  if (X.is_sparse()) {
    for (size_t j = 0; j < rows.size(); ++j) S.col(static_cast<int64_t>(j)) = score(W, X, rows[j]);
  } else {
    RowMatrix chosen(static_cast<int64_t>(rows.size()), X.columns());
    for (size_t j = 0; j < rows.size(); ++j) chosen.row(static_cast<int64_t>(j)) = X.dense().row(rows[j]);
    S.noalias() = (chosen * W).transpose();
  }
  return S;
}

/// W'x_i for the n rows from `begin` on, as columns. For dense features the last bits differ from those of scores(), by the
/// order of Eigen's products: training has had the one and prediction the other since version 0.1, and each keeps its bits.
inline Eigen::MatrixXd block_scores(const RowMatrix& W, const Features& X, int64_t begin, int64_t n) {
  Eigen::MatrixXd S(W.cols(), n);
  if (X.is_sparse())
    for (int64_t i = 0; i < n; ++i) S.col(i) = score(W, X, begin + i);
  else
    S.noalias() = W.transpose() * X.dense().middleRows(begin, n).transpose();
  return S;
}

/// W += x_i v'
inline void add_outer(RowMatrix& W, const Features& X, int64_t i, const Eigen::VectorXd& v) {
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
