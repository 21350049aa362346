// SPDX-License-Identifier: MIT
#include "data/dataset.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

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
  return Features(chosen);
}

Dataset Dataset::select(std::span<const int64_t> rows) const {
  Dataset part{name, X.select(rows), LabelMatrix(labels(), static_cast<int64_t>(rows.size())), feature_names,
               label_names};
  for (size_t i = 0; i < rows.size(); ++i) part.Y.col(static_cast<int64_t>(i)) = Y.col(rows[i]);
  return part;
}

std::vector<int64_t> positives(LabelMatrix::ConstColXpr labels) {
  std::vector<int64_t> found;
  for (int64_t v = 0; v < labels.size(); ++v)
    if (labels(v) > 0) found.push_back(v);
  return found;
}

std::vector<int64_t> positives_per_label(const LabelMatrix& Y) {
  std::vector<int64_t> positives(static_cast<size_t>(Y.rows()), 0);
  for (int64_t i = 0; i < Y.cols(); ++i)
    for (int64_t v = 0; v < Y.rows(); ++v)
      if (Y(v, i) > 0) ++positives[static_cast<size_t>(v)];
  return positives;
}

void DatasetBuilder::finish(int64_t d, int64_t V, Dataset& dataset) {
  const int64_t N = rows();
  dataset.Y = LabelMatrix::Constant(V, N, int8_t{-1});
  size_t at = 0;
  for (int64_t i = 0; i < N; ++i)
    for (; at < ends_[static_cast<size_t>(i)].label; ++at) {
      const int64_t label = labels_[at];
      dataset.Y(label < 0 ? ~label : label, i) = label < 0 ? 0 : 1;
    }

  at = 0;
  if (sparse_) {
    SparseMatrix X(N, d);
    X.resizeNonZeros(static_cast<int64_t>(values_.size()));
    std::copy(columns_.begin(), columns_.end(), X.innerIndexPtr());
    std::copy(values_.begin(), values_.end(), X.valuePtr());
    X.outerIndexPtr()[0] = 0;
    for (int64_t i = 0; i < N; ++i)
      X.outerIndexPtr()[i + 1] = static_cast<int64_t>(ends_[static_cast<size_t>(i)].feature);
    dataset.X = Features(X);
  } else if (width_ > 0) {
    dataset.X = Features(RowMatrix(Eigen::Map<const RowMatrix>(values_.data(), N, d)));
  } else {
    RowMatrix X = RowMatrix::Zero(N, d);
    for (int64_t i = 0; i < N; ++i)
      for (; at < ends_[static_cast<size_t>(i)].feature; ++at) X(i, columns_[at]) = values_[at];
    dataset.X = Features(std::move(X));
  }
  *this = DatasetBuilder(sparse_, width_);
}

namespace {

std::optional<int64_t> row_number(const std::string& text) {
  const auto row = number_in<int64_t>(text);
  return row && *row >= 0 ? row : std::nullopt;
}

}  // namespace

std::vector<int64_t> parse_rows(const std::string& option, const std::string& text, int64_t count) {
  std::vector<int64_t> rows;
  std::vector<bool> seen(static_cast<size_t>(count), false);
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    from = comma + 1;
    const size_t dash = part.find('-');
    const auto first = row_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : row_number(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      fail(Fault::input, "{} {}: '{}' is neither a row nor a range of rows; write 0,5,10-20", option, text,
           part);
    if (*last >= count)
      fail(Fault::input, "{} {}: there is no row {}: the data have {} instances, counted from 0", option,
           text, *last, count);
    for (int64_t row = *first; row <= *last; ++row) {
      if (seen[static_cast<size_t>(row)])
        fail(Fault::input, "{} {}: row {} is there twice", option, text, row);
      seen[static_cast<size_t>(row)] = true;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace concord
