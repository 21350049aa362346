// SPDX-License-Identifier: MIT
// Datasets as CSV, XC text and NumPy arrays; and which files a format has.
#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "data/files.hpp"
#include "data/numpy.hpp"

namespace concord {
namespace {

/// In quotes where a reader would take it for something else.
std::string cell_of(const std::string& text, char delimiter) {
  if (!text.empty() && text.find_first_of(std::string("\"\r\n \t") + delimiter) == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

/// Formats without names have no word for a missing value either.
void require_no_missing(const Dataset& dataset, const char* format) {
  for (int64_t i = 0; i < dataset.instances(); ++i)
    dataset.X.for_row(i, [&](int64_t j, double value) {
      if (std::isnan(value))
        fail(Fault::input, "row {}, feature {} (counted from 0) is missing, and {} has no missing values", i,
             j, format);
    });
}

template <class Number>
std::string_view bytes_of(const Number* numbers, int64_t count) {
  return {reinterpret_cast<const char*>(numbers), static_cast<size_t>(count) * sizeof(Number)};
}

std::string sparse_bytes(const SparseMatrix& matrix) {
  const std::vector<int64_t> shape = {matrix.rows(), matrix.cols()};
  std::vector<int64_t> row_start(static_cast<size_t>(matrix.rows()) + 1);
  std::vector<int64_t> column(static_cast<size_t>(matrix.nonZeros()));
  std::copy_n(matrix.outerIndexPtr(), row_start.size(), row_start.begin());
  std::copy_n(matrix.innerIndexPtr(), column.size(), column.begin());
  const auto vector = [](const std::vector<int64_t>& numbers) {
    const auto n = static_cast<int64_t>(numbers.size());
    return numpy_bytes("<i8", fmt::format("({},)", n), bytes_of(numbers.data(), n));
  };
  return zip({{"indices.npy", vector(column)},
              {"indptr.npy", vector(row_start)},
              {"format.npy", numpy_bytes("|S3", "()", "csr")},
              {"shape.npy", vector(shape)},
              {"data.npy", numpy_bytes("<f8", fmt::format("({},)", matrix.nonZeros()),
                                       bytes_of(matrix.valuePtr(), matrix.nonZeros()))}});
}

}  // namespace

std::string csv_text(const Dataset& dataset, char delimiter) {
  fmt::memory_buffer out;
  const int64_t d = dataset.features();
  for (int64_t j = 0; j < d; ++j)
    put(out, "{}{}",
        dataset.feature_names.empty() ? fmt::format("x{}", j + 1)
                                      : cell_of(dataset.feature_names[static_cast<size_t>(j)], delimiter),
        delimiter);
  for (int64_t v = 0; v < dataset.labels(); ++v)
    put(out, "{}{}", cell_of(dataset.label_names[static_cast<size_t>(v)], delimiter),
        v + 1 < dataset.labels() ? delimiter : '\n');
  for (int64_t i = 0; i < dataset.instances(); ++i) {
    int64_t next = 0;
    const auto zeros_before = [&](int64_t column) {
      for (; next < column; ++next) put(out, "0{}", delimiter);
    };
    dataset.X.for_row(i, [&](int64_t j, double value) {
      zeros_before(j);
      if (!std::isnan(value)) put(out, "{}", value);
      put(out, "{}", delimiter);
      ++next;
    });
    zeros_before(d);
    for (int64_t v = 0; v < dataset.labels(); ++v)
      put(out, "{}{}", dataset.Y(v, i) > 0 ? 1 : 0, v + 1 < dataset.labels() ? delimiter : '\n');
  }
  return fmt::to_string(out);
}

std::string xc_text(const Dataset& dataset) {
  fmt::memory_buffer out;
  put(out, "{} {} {}\n", dataset.instances(), dataset.features(), dataset.labels());
  for (int64_t i = 0; i < dataset.instances(); ++i) {
    put(out, "{}", fmt::join(positives(dataset.Y.col(i)), ","));
    dataset.X.for_row(i, [&](int64_t j, double value) {
      if (value != 0) put(out, " {}:{}", j, value);
    });
    put(out, "\n");
  }
  return fmt::to_string(out);
}

std::string numpy_text(const Features& matrix) {
  if (matrix.is_sparse()) return sparse_bytes(matrix.sparse());
  return numpy_bytes("<f8", fmt::format("({}, {})", matrix.rows(), matrix.columns()),
                     bytes_of(matrix.dense().data(), matrix.dense().size()));
}

Features label_features(const Dataset& dataset, bool sparse) {
  DatasetBuilder builder(sparse);
  for (int64_t i = 0; i < dataset.instances(); ++i) {
    for (int64_t v = 0; v < dataset.labels(); ++v)
      if (dataset.Y(v, i) > 0) builder.feature(v, 1);
    builder.end_row();
  }
  Dataset labels;
  builder.finish(dataset.labels(), 0, labels);
  return std::move(labels.X);
}

std::vector<std::filesystem::path> write_dataset(const Dataset& dataset, DataFormat format,
                                                 const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  switch (format) {
    case DataFormat::arff: {
      const std::filesystem::path xml = std::filesystem::path(file).replace_extension(".xml");
      write_arff(dataset, file, xml);
      return {file, xml};
    }
    case DataFormat::csv:
      write_file_atomically(file, csv_text(dataset, extension == ".tsv" ? '\t' : ','));
      return {file};
    case DataFormat::numpy: {
      const bool sparse = extension == ".npz";
      const std::filesystem::path labels =
          file.parent_path() / (file.stem().string() + "-labels" + (sparse ? ".npz" : ".npy"));
      const Features& X = dataset.X;
      write_file_atomically(file, numpy_text(X.is_sparse() == sparse ? X
                                             : sparse ? Features(SparseMatrix(X.dense().sparseView(1, 0)))
                                                      : Features(RowMatrix(X.sparse()))));
      write_file_atomically(labels, numpy_text(label_features(dataset, sparse)));
      return {file, labels};
    }
    case DataFormat::xc:
      require_no_missing(dataset, "XC text");
      write_file_atomically(file, xc_text(dataset));
      return {file};
    default:
      require_no_missing(dataset, "LIBSVM");
      write_file_atomically(file, libsvm_text(dataset));
      return {file};
  }
}

}  // namespace concord
