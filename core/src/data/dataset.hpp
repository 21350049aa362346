// SPDX-License-Identifier: MIT
#pragma once
// A multi-label dataset in memory: features, dense or sparse, and labels.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problem/problem.hpp"

namespace concord {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// V x N, -1 and +1: column i is the labelling of instance i.
using LabelMatrix = Eigen::Array<int8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// N x d numbers in exactly one of two forms; row i is instance i. Sparse rows have increasing columns.
class Features {
 public:
  Features() = default;
  explicit Features(RowMatrix dense) : matrix_(std::move(dense)) {}
  explicit Features(SparseMatrix sparse) : matrix_(std::move(sparse)) {}

  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(matrix_); }
  const RowMatrix& dense() const { return std::get<RowMatrix>(matrix_); }         ///< requires !is_sparse()
  const SparseMatrix& sparse() const { return std::get<SparseMatrix>(matrix_); }  ///< requires is_sparse()
  int64_t rows() const { return is_sparse() ? sparse().rows() : dense().rows(); }
  int64_t columns() const { return is_sparse() ? sparse().cols() : dense().cols(); }
  int64_t stored() const { return is_sparse() ? sparse().nonZeros() : dense().size(); }

  /// The given rows, in the given order.
  Features select(std::span<const int64_t> rows) const;

 private:
  std::variant<RowMatrix, SparseMatrix> matrix_;
};

struct Dataset {
  std::string name;  ///< the relation of an ARFF file, else the file's stem
  Features X;
  LabelMatrix Y;
  std::vector<std::string> feature_names;  ///< d of them, or none: the format has no names
  std::vector<std::string> label_names;    ///< V of them

  int64_t instances() const { return X.rows(); }
  int64_t features() const { return X.columns(); }
  int64_t labels() const { return Y.rows(); }

  Dataset select(std::span<const int64_t> rows) const;
};

/// How many instances carry each label.
std::vector<int64_t> positives_per_label(const LabelMatrix& Y);

}  // namespace concord
