// SPDX-License-Identifier: MIT
#include "data/builder.hpp"

#include <algorithm>

namespace concord {

void DatasetBuilder::finish(int64_t d, int64_t V, Dataset& dataset) {
  const int64_t N = rows();
  dataset.Y = LabelMatrix::Constant(V, N, int8_t{-1});
  size_t at = 0;
  for (int64_t i = 0; i < N; ++i)
    for (; at < ends_[static_cast<size_t>(i)].label; ++at) dataset.Y(labels_[at], i) = 1;

  at = 0;
  if (sparse_) {
    SparseMatrix X(N, d);
    X.resizeNonZeros(static_cast<int64_t>(values_.size()));
    std::copy(columns_.begin(), columns_.end(), X.innerIndexPtr());
    std::copy(values_.begin(), values_.end(), X.valuePtr());
    X.outerIndexPtr()[0] = 0;
    for (int64_t i = 0; i < N; ++i)
      X.outerIndexPtr()[i + 1] = static_cast<int64_t>(ends_[static_cast<size_t>(i)].feature);
    dataset.X = Features(std::move(X));
  } else {
    RowMatrix X = RowMatrix::Zero(N, d);
    for (int64_t i = 0; i < N; ++i)
      for (; at < ends_[static_cast<size_t>(i)].feature; ++at) X(i, columns_[at]) = values_[at];
    dataset.X = Features(std::move(X));
  }
  *this = DatasetBuilder(sparse_);
}

}  // namespace concord
