// SPDX-License-Identifier: MIT
#pragma once
// A multi-label dataset in memory: features, dense or sparse, and labels; and how it is made row by row.
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
  explicit Features(SparseMatrix sparse) {
    matrix_.emplace<SparseMatrix>().swap(sparse);  // a sparse matrix of Eigen is not moved but copied
  }

  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(matrix_); }
  const RowMatrix& dense() const { return std::get<RowMatrix>(matrix_); }         ///< requires !is_sparse()
  const SparseMatrix& sparse() const { return std::get<SparseMatrix>(matrix_); }  ///< requires is_sparse()
  int64_t rows() const { return is_sparse() ? sparse().rows() : dense().rows(); }
  int64_t columns() const { return is_sparse() ? sparse().cols() : dense().cols(); }
  int64_t stored() const { return is_sparse() ? sparse().nonZeros() : dense().size(); }

  /// Calls visit(column, value) for every stored entry of row i.
  template <class Visit>
  void for_row(int64_t i, Visit&& visit) const {
    if (is_sparse())
      for (SparseMatrix::InnerIterator it(sparse(), i); it; ++it) visit(it.col(), it.value());
    else
      for (int64_t j = 0; j < columns(); ++j) visit(j, dense()(i, j));
  }

  /// The given rows, in the given order.
  Features select(std::span<const int64_t> rows) const;
  /// `count` rows from `begin` on.
  Features middle_rows(int64_t begin, int64_t count) const {
    return is_sparse() ? Features(SparseMatrix(sparse().middleRows(begin, count)))
                       : Features(RowMatrix(dense().middleRows(begin, count)));
  }
  /// `count` columns from `begin` on.
  Features middle_columns(int64_t begin, int64_t count) const {
    return is_sparse() ? Features(SparseMatrix(sparse().middleCols(begin, count)))
                       : Features(RowMatrix(dense().middleCols(begin, count)));
  }

 private:
  std::variant<RowMatrix, SparseMatrix> matrix_;
};

struct Dataset {
  std::string name;  ///< the relation of an ARFF file, else the file's stem
  Features X;
  LabelMatrix Y;                           ///< also 0, for unknown, where an InstanceReader found '?'
  std::vector<std::string> feature_names;  ///< d of them, or none: the format has no names
  std::vector<std::string> label_names;    ///< V of them

  int64_t instances() const { return X.rows(); }
  int64_t features() const { return X.columns(); }
  int64_t labels() const { return Y.rows(); }

  Dataset select(std::span<const int64_t> rows) const;
};

/// The labels that are +1; increasing.
std::vector<int64_t> positives(LabelMatrix::ConstColXpr labels);
/// How many instances carry each label.
std::vector<int64_t> positives_per_label(const LabelMatrix& Y);

/// Collects instances row by row. The first row decides whether the features are kept dense or sparse.
class DatasetBuilder {
 public:
  /// Dense rows take half of the memory if their `width` is known before: then it is the d of finish().
  explicit DatasetBuilder(bool sparse, int64_t width = 0) : sparse_(sparse), width_(sparse ? 0 : width) {
    start_row();
  }

  bool sparse() const { return sparse_; }
  int64_t rows() const { return static_cast<int64_t>(ends_.size()); }

  /// The next feature of the row; columns increase. Zeros are dropped when sparse, and may be left out.
  void feature(int64_t column, double value) {
    if (width_ > 0) {
      values_[row_start_ + static_cast<size_t>(column)] = value;
      return;
    }
    if (sparse_ && value == 0) return;
    columns_.push_back(column);
    values_.push_back(value);
  }
  /// This label is positive.
  void label(int64_t v) { labels_.push_back(v); }
  /// This label is unknown.
  void unknown_label(int64_t v) { labels_.push_back(~v); }
  void end_row() {
    ends_.push_back({columns_.size(), labels_.size()});
    start_row();
  }

  /// The rows so far as an N x d and a V x N matrix; the builder is then empty again.
  void finish(int64_t d, int64_t V, Dataset& dataset);

 private:
  struct End {
    size_t feature, label;
  };

  /// With a known width a row is zeros that features replace; the last one is not ended.
  void start_row() {
    if (width_ == 0) return;
    row_start_ = ends_.size() * static_cast<size_t>(width_);
    values_.resize(row_start_ + static_cast<size_t>(width_), 0.0);
  }

  bool sparse_;
  int64_t width_;
  size_t row_start_ = 0;
  std::vector<int64_t> columns_;
  std::vector<int64_t> labels_;  // v, or ~v for one that is unknown
  std::vector<double> values_;
  std::vector<End> ends_;  // of each row
};

/// Rows of a dataset as a user names them: "0,5,10-20", counted from 0, both ends of a range included. In the order given.
/// Fault::input quotes the part that is no row, is twice there, or is not below `count`.
std::vector<int64_t> parse_rows(const std::string& option, const std::string& text, int64_t count);

struct LabelPair {
  int64_t v = 0, w = 0;  ///< v < w
  double phi = 0;        ///< correlation of the two labels, -1 to 1
  int64_t together = 0;  ///< instances that have both
};

/// What a dataset looks like: sizes, how many labels its instances have, and which labels go together.
struct DatasetInfo {
  int64_t nonzeros = 0;               ///< features that are not 0
  std::vector<int64_t> positives;     ///< of each label
  double cardinality = 0;             ///< mean number of labels of an instance
  int64_t fewest = 0, most = 0;       ///< labels of an instance
  int64_t without_labels = 0;         ///< instances
  int64_t labelsets = 0;              ///< different ones
  std::vector<LabelPair> attracting;  ///< phi > 0, largest first, ties by (v, w)
  std::vector<LabelPair> repelling;   ///< phi < 0, smallest first
};

/// At most `pairs` attracting and as many repelling. A label that no instance or every instance has is
/// correlated with none.
DatasetInfo dataset_info(const Dataset& dataset, int64_t pairs);

}  // namespace concord
