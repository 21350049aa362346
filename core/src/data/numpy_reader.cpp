// SPDX-License-Identifier: MIT
// A dataset out of NumPy arrays: X and Y, each dense or as scipy.sparse.save_npz writes it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/numpy.hpp"

namespace concord {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(Fault::input, why, {name, name});
}

void require_numbers(const NumpyArray& array, size_t dimensions) {
  if (!array.is_numeric())
    refuse(
        array.name,
        fmt::format(
            "its numbers are of type {}; read are bools, integers and floats of 32 or 64 bits, little-endian",
            quote(array.header.type)));
  if (array.header.shape.size() != dimensions)
    refuse(array.name,
           fmt::format("it has {} dimensions; expected are {}", array.header.shape.size(), dimensions));
}

Features dense_matrix(const NumpyArray& array) {
  require_numbers(array, 2);
  const int64_t rows = array.header.shape[0], columns = array.header.shape[1];
  RowMatrix X(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      X(i, j) = array.number(array.header.fortran ? j * rows + i : i * columns + j);
      if (std::isinf(X(i, j)))
        refuse(array.name,
               fmt::format("row {}, column {} (counted from 0): {} is not a finite number", i, j, X(i, j)));
    }
  return Features(std::move(X));
}

/// The arrays of a file by name, without ".npy".
class Arrays {
 public:
  Arrays(std::string_view bytes, const std::string& file) : name_(file), entries_(unzip(bytes, file)) {}

  bool has(const std::string& name) const { return entries_.contains(name + ".npy"); }
  NumpyArray at(const std::string& name) const {
    const auto found = entries_.find(name + ".npy");
    if (found == entries_.end()) refuse(name_, fmt::format("it has no array {}", quote(name)));
    return parse_numpy(found->second, name_ + ": " + name);
  }
  bool is_sparse() const { return has("format") && has("shape") && has("data"); }
  std::string names() const {
    std::vector<std::string> all;
    for (const auto& [name, bytes] : entries_) all.push_back(quote(name));
    return fmt::format("{}", fmt::join(all, ", "));
  }

 private:
  const std::string& name_;
  std::map<std::string, std::string> entries_;
};

/// An index of an array, checked against its end.
int64_t index_in(const NumpyArray& array, int64_t i, int64_t end) {
  const double value = array.number(i);
  if (!(value >= 0 && value < static_cast<double>(end)))
    refuse(array.name,
           fmt::format("number {} (counted from 0) is {}; expected is an index below {}", i, value, end));
  return static_cast<int64_t>(value);
}

/// Row and column of each entry, from the arrays of csr, csc or coo.
struct Entries {
  std::vector<int64_t> row, column;
  NumpyArray data;

  Entries(const Arrays& arrays, const std::string& format, int64_t rows, int64_t columns)
      : data(arrays.at("data")) {
    require_numbers(data, 1);
    const bool coo = format == "coo", csc = format == "csc";
    const NumpyArray indices = arrays.at(coo ? "row" : "indices");
    const NumpyArray other = arrays.at(coo ? "col" : "indptr");
    require_numbers(indices, 1);
    require_numbers(other, 1);
    const int64_t n = data.count(), lines = csc ? columns : rows;
    if (indices.count() != n || other.count() != (coo ? n : lines + 1))
      refuse(data.name, fmt::format("{} numbers do not fit {} indices and {} of {}", n, indices.count(),
                                    other.count(), other.name));
    row.resize(static_cast<size_t>(n));
    column.resize(static_cast<size_t>(n));
    std::vector<int64_t>& inner = csc || coo ? row : column;
    std::vector<int64_t>& outer = csc || coo ? column : row;
    for (int64_t e = 0; e < n; ++e)
      inner[static_cast<size_t>(e)] = index_in(indices, e, csc || coo ? rows : columns);
    if (coo) {
      for (int64_t e = 0; e < n; ++e) outer[static_cast<size_t>(e)] = index_in(other, e, columns);
      return;
    }
    int64_t at = 0;
    for (int64_t line = 0; line < lines; ++line) {
      const int64_t begin = index_in(other, line, n + 1), end = index_in(other, line + 1, n + 1);
      if (begin != at || end < begin)
        refuse(other.name,
               fmt::format("number {} (counted from 0) is {}, which does not rise from 0", line, begin));
      for (; at < end; ++at) outer[static_cast<size_t>(at)] = line;
    }
    if (at != n) refuse(other.name, fmt::format("it ends at {}, and there are {} numbers", at, n));
  }
};

Features sparse_matrix(const Arrays& arrays) {
  const std::string format = arrays.at("format").text();
  const NumpyArray shape = arrays.at("shape");
  require_numbers(shape, 1);
  if (shape.count() != 2) refuse(shape.name, "a matrix has two extents");
  if (format != "csr" && format != "csc" && format != "coo")
    refuse(shape.name,
           fmt::format("the format of the matrix is {}; csr, csc and coo are read (matrix.tocsr())",
                       quote(format)));
  constexpr int64_t kMost = int64_t{1} << 40;
  const int64_t rows = index_in(shape, 0, kMost), columns = index_in(shape, 1, kMost);
  // A row takes memory even if it is empty: those of csr are bounded by indptr, others by what is stored.
  if (format != "csr" && rows > 1000 * (arrays.at("data").count() + 1000))
    refuse(shape.name, fmt::format("{} rows for {} numbers; write such a matrix as csr", rows,
                                   arrays.at("data").count()));
  const Entries entries(arrays, format, rows, columns);
  const auto n = static_cast<int64_t>(entries.row.size());
  std::vector<int64_t> order(entries.row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int64_t e) {
    return std::pair(entries.row[static_cast<size_t>(e)], entries.column[static_cast<size_t>(e)]);
  };
  const auto before = [&](int64_t a, int64_t b) { return key(a) < key(b); };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  SparseMatrix X(rows, columns);
  X.reserve(n);
  int64_t at = 0;
  for (int64_t i = 0; i < rows; ++i) {
    X.startVec(i);
    for (; at < n && key(order[static_cast<size_t>(at)]).first == i; ++at) {
      const int64_t e = order[static_cast<size_t>(at)];
      const auto [row, column] = key(e);
      if (at > 0 && key(order[static_cast<size_t>(at - 1)]) == key(e))
        refuse(entries.data.name,
               fmt::format("row {}, column {} (counted from 0) is there twice", row, column));
      const double value = entries.data.number(e);
      if (std::isinf(value))
        refuse(entries.data.name, fmt::format("row {}, column {} (counted from 0): {} is not a finite number",
                                              row, column, value));
      if (value != 0) X.insertBack(row, column) = value;
    }
  }
  X.finalize();
  return Features(X);
}

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK");
}

/// The only matrix of a file.
Features matrix_in(std::string_view bytes, const std::string& name, const char* which) {
  if (!is_zip(bytes)) return dense_matrix(parse_numpy(bytes, name));
  const Arrays arrays(bytes, name);
  if (arrays.is_sparse()) return sparse_matrix(arrays);
  if (!arrays.has(which))
    refuse(name, fmt::format("it has {}; expected are X and Y, or a matrix by scipy.sparse.save_npz",
                             arrays.names()));
  return dense_matrix(arrays.at(which));
}

LabelMatrix labels_in(const Features& Y, const std::string& name) {
  LabelMatrix labels = LabelMatrix::Constant(Y.columns(), Y.rows(), int8_t{-1});
  for (int64_t i = 0; i < Y.rows(); ++i)
    Y.for_row(i, [&](int64_t v, double value) {
      if (value != 0 && value != 1)
        refuse(name, fmt::format("row {}, column {} (counted from 0): {} is not a label, which is 0 or 1", i,
                                 v, value));
      labels(v, i) = value == 1 ? 1 : -1;
    });
  return labels;
}

}  // namespace

Dataset read_numpy(std::string_view bytes, const std::string& name, std::string_view label_bytes,
                   const std::string& label_name, const ExpectedColumns* expected, bool is_new) {
  Dataset dataset;
  dataset.X = matrix_in(bytes, name, "X");
  const int64_t N = dataset.X.rows(), d = dataset.X.columns();
  const bool own_labels = label_bytes.empty() && is_zip(bytes) && Arrays(bytes, name).has("Y");
  if (!label_bytes.empty() || own_labels) {
    const std::string& file = own_labels ? name : label_name;
    const Features Y = matrix_in(own_labels ? bytes : label_bytes, file, "Y");
    if (Y.rows() != N)
      refuse(file, fmt::format("it has labels of {} instances, and {} has {}", Y.rows(), name, N));
    if (N > 0 && Y.columns() > 65536)
      refuse(file, fmt::format("it has {} labels; there may be at most 65536", Y.columns()));
    dataset.Y = labels_in(Y, file);
  } else if (is_new && expected != nullptr) {
    dataset.Y = LabelMatrix::Constant(static_cast<int64_t>(expected->label_names.size()), N, int8_t{-1});
  } else {
    refuse(
        name,
        "its labels are not there: they are the array Y beside X in one .npz, or a file of their own, --labels Y.npy");
  }
  if (expected == nullptr) {
    for (int64_t v = 0; v < dataset.labels(); ++v) dataset.label_names.push_back(std::to_string(v));
    return dataset;
  }
  const auto V = static_cast<int64_t>(expected->label_names.size());
  if (dataset.labels() != V)
    refuse(name, fmt::format("{} {} labels, the file {}", owner_has(expected->owner), V, dataset.labels()));
  if (d != expected->features)
    refuse(name,
           fmt::format("{} {} features, the file {}", owner_has(expected->owner), expected->features, d));
  if (!expected->takes_missing)
    for (int64_t i = 0; i < N; ++i)
      dataset.X.for_row(i, [&](int64_t j, double value) {
        if (std::isnan(value))
          refuse(name, fmt::format("row {}, column {} (counted from 0) is missing (NaN): {}", i, j,
                                   kFeatureMissing));
      });
  dataset.label_names = expected->label_names;
  dataset.feature_names = expected->feature_names;
  return dataset;
}

}  // namespace concord
