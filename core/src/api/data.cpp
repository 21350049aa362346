// SPDX-License-Identifier: MIT
// Features and labels from the caller's memory.
#include <cmath>
#include <cstring>

#include "api/handles.hpp"

namespace concord::api {
namespace {

int64_t index_at(const void* indices, uint32_t bytes, int64_t i) {
  if (bytes == 4) return static_cast<const int32_t*>(indices)[i];
  return static_cast<const int64_t*>(indices)[i];
}

void require_finite(double value, int64_t row, int64_t column) {
  if (!std::isfinite(value))
    fail(Fault::input, About{"", "features"},
         "row {} column {} (counted from 0) is {}; all features must be finite", row, column, value);
}

Features read_dense(const concord_features& given, int64_t first, int64_t rows) {
  const double* const numbers = given.dense + first * given.columns;
  RowMatrix X = Eigen::Map<const RowMatrix>(numbers, rows, given.columns);
  if (!X.allFinite())
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < given.columns; ++j) require_finite(X(i, j), first + i, j);
  return Features(std::move(X));
}

Features read_sparse(const concord_features& given, int64_t first, int64_t rows) {
  require(given.row_start, "row_start of the features");
  if (given.index_bytes != 4 && given.index_bytes != 8)
    fail(Fault::input, About{"", "index_bytes"}, "index_bytes is {}; it is 4 or 8", given.index_bytes);
  const auto start = [&](int64_t row) { return index_at(given.row_start, given.index_bytes, row); };
  const int64_t begin = start(first), stored = start(first + rows) - begin;
  if (start(0) != 0 || stored < 0)
    fail(Fault::input, About{"", "row_start"}, "row_start does not begin at 0 and rise");
  if (stored > 0) {
    require(given.column, "column of the features");
    require(given.entry, "entry of the features");
  }
  SparseMatrix X(rows, given.columns);
  X.resizeNonZeros(stored);
  for (int64_t i = 0; i <= rows; ++i) X.outerIndexPtr()[i] = start(first + i) - begin;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t from = X.outerIndexPtr()[i], to = X.outerIndexPtr()[i + 1];
    if (from < 0 || to < from || to > stored)
      fail(Fault::input, About{"", "row_start"}, "row_start falls after row {} (counted from 0)", first + i);
    int64_t before = -1;
    for (int64_t at = from; at < to; ++at) {
      const int64_t column = index_at(given.column, given.index_bytes, begin + at);
      if (column <= before || column >= given.columns)
        fail(Fault::input, About{"", "column"},
             "row {} (counted from 0) has column {} after {}; columns increase within a row and are below {}",
             first + i, column, before, given.columns);
      require_finite(given.entry[begin + at], first + i, column);
      X.innerIndexPtr()[at] = before = column;
      X.valuePtr()[at] = given.entry[begin + at];
    }
  }
  X.prune([](int64_t, int64_t, double value) { return value != 0; });  // as readers of files leave zeros out
  return Features(X);
}

}  // namespace

Features read_features(const concord_features& given, int64_t first, int64_t rows) {
  if (given.rows < 0 || given.columns < 0)
    fail(Fault::input, About{"", "features"}, "the features are {} x {}", given.rows, given.columns);
  return given.dense != nullptr || given.columns == 0 || given.rows == 0 ? read_dense(given, first, rows)
                                                                         : read_sparse(given, first, rows);
}

LabelMatrix read_known(const int8_t* labels, int64_t rows, int64_t V, int64_t first) {
  LabelMatrix known = Eigen::Map<const LabelMatrix>(labels, V, rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < V; ++v)
      if (known(v, i) < -1 || known(v, i) > 1)
        fail(Fault::input, About{"", "known"},
             "known: row {} label {} (counted from 0) is {}; it is 1, -1, or 0 for unknown", first + i, v,
             static_cast<int>(known(v, i)));
  return known;
}

LabelMatrix read_labels(const int8_t* labels, int64_t rows, int64_t V, const char* what) {
  require(labels, what);
  const Eigen::Map<const LabelMatrix> given(labels, V, rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < V; ++v)
      if (given(v, i) < -1 || given(v, i) > 1)
        fail(Fault::input, About{"", what}, "{}: row {} label {} (counted from 0) is {}; it is 1, or 0 or -1",
             what, i, v, static_cast<int>(given(v, i)));
  return (given == 1).select(LabelMatrix::Constant(V, rows, 1), LabelMatrix::Constant(V, rows, -1));
}

}  // namespace concord::api
