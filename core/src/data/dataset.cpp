// SPDX-License-Identifier: MIT
#include "data/dataset.hpp"

namespace concord {

Features Features::select(std::span<const int64_t> rows) const {
  const auto n = static_cast<int64_t>(rows.size());
  if (!is_sparse()) {
    RowMatrix chosen(n, columns());
    for (int64_t i = 0; i < n; ++i) chosen.row(i) = dense().row(rows[static_cast<size_t>(i)]);
    return Features(std::move(chosen));
  }
  int64_t entries = 0;
  for (const int64_t row : rows) entries += sparse().outerIndexPtr()[row + 1] - sparse().outerIndexPtr()[row];
  SparseMatrix chosen(n, columns());
  chosen.reserve(entries);
  for (int64_t i = 0; i < n; ++i) {
    chosen.startVec(i);
    for (SparseMatrix::InnerIterator it(sparse(), rows[static_cast<size_t>(i)]); it; ++it)
      chosen.insertBack(i, it.col()) = it.value();
  }
  chosen.finalize();
  return Features(std::move(chosen));
}

Dataset Dataset::select(std::span<const int64_t> rows) const {
  Dataset part{name, X.select(rows), LabelMatrix(labels(), static_cast<int64_t>(rows.size())), feature_names,
               label_names};
  for (size_t i = 0; i < rows.size(); ++i) part.Y.col(static_cast<int64_t>(i)) = Y.col(rows[i]);
  return part;
}

std::vector<int64_t> positives_per_label(const LabelMatrix& Y) {
  std::vector<int64_t> positives(static_cast<size_t>(Y.rows()), 0);
  for (int64_t i = 0; i < Y.cols(); ++i)
    for (int64_t v = 0; v < Y.rows(); ++v)
      if (Y(v, i) > 0) ++positives[static_cast<size_t>(v)];
  return positives;
}

}  // namespace concord
