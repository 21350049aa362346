// SPDX-License-Identifier: MIT
#pragma once
// Reads arbitrary bytes as a dataset. A concord::Error with Fault::input that says where is the right answer to nonsense;
// any other exception is a finding, and so is a dataset that breaks what the rest relies on, or that is another one
// after writing and reading it again.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "data/arff.hpp"
#include "data/files.hpp"
#include "require.hpp"

namespace concord::fuzz {

/// False if the step refused its input as it should.
template <class Step>
bool accepted(Step&& step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Fault::input, "an error in a text is an input error");
    require(message.starts_with("fuzz:"), "an error says where");
    return false;
  }
}

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

inline void check(const Dataset& data, int64_t d) {
  const int64_t N = data.instances(), V = data.labels();
  require(data.features() == d, "d columns");
  require(data.Y.cols() == N && static_cast<int64_t>(data.label_names.size()) == V,
          "V labels and N instances");
  require(((data.Y == 1) || (data.Y == -1)).all(), "labels are -1 and +1");
  if (!data.X.is_sparse()) {
    require(!data.X.dense().array().isInf().any(), "features are finite, or NaN where they are missing");
    return;
  }
  require(data.X.sparse().isCompressed(), "sparse rows are compressed");
  for (int64_t i = 0; i < N; ++i) {
    int64_t last = -1;
    for (SparseMatrix::InnerIterator it(data.X.sparse(), i); it; ++it) {
      require(it.col() > last && it.col() < d, "columns increase");
      require(!std::isinf(it.value()) && it.value() != 0, "features are finite, and zeros are not stored");
      last = it.col();
    }
  }
}

/// Missing ones included.
inline bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

inline void require_same(const Dataset& a, const Dataset& b) {
  require(a.instances() == b.instances() && a.labels() == b.labels() && a.features() == b.features(),
          "same sizes");
  require((a.Y == b.Y).all(), "same labels");
  require(a.label_names == b.label_names && a.feature_names == b.feature_names, "same names");
  require(a.X.is_sparse() == b.X.is_sparse() || a.instances() == 0, "same form");
  if (!a.X.is_sparse()) {
    for (int64_t i = 0; i < a.X.dense().size(); ++i)
      require(same_number(a.X.dense().data()[i], b.X.dense().data()[i]), "same numbers");
    return;
  }
  require(a.X.stored() == b.X.stored(), "as many numbers");
  for (int64_t i = 0; i < a.instances(); ++i)
    for (SparseMatrix::InnerIterator x(a.X.sparse(), i), y(b.X.sparse(), i); x; ++x, ++y)
      require(y && x.col() == y.col() && same_number(x.value(), y.value()), "same numbers");
}

/// Through the border of `predict`, a few instances at a time.
inline Dataset streamed(const std::string& text, DataFormat format, const ExpectedColumns& expected) {
  std::istringstream in(text);
  const auto reader = instance_reader(in, "fuzz", format, expected);
  int64_t rows = 0;
  while (const int64_t more = reader->read(3).instances()) rows += more;
  std::istringstream again(text);
  Dataset data = instance_reader(again, "fuzz", format, expected)->read(kAll);
  require(data.instances() == rows, "as many instances in pieces");
  return data;
}

/// A format of sparse lines: what is read again from `written` is the same dataset. A short text may ask for 65536 labels in each
/// row, so only few lines are quick.
template <class Reader, class Written>
void check_lines(std::string_view bytes, DataFormat format, Reader reader, Written written) {
  if (bytes.size() > 1000) return;
  const std::string text(bytes);
  Dataset dataset;
  const auto read = [&](const std::string& from) {
    std::istringstream in(from);
    TextLines lines(in, "fuzz");
    return reader(lines, nullptr)->read(kAll);
  };
  if (!accepted([&] { dataset = read(text); })) return;
  check(dataset, dataset.features());
  require_same(dataset, streamed(text, format, columns_of(dataset)));
  if (const std::optional<std::string> again = written(dataset)) require_same(dataset, read(*again));
}

}  // namespace concord::fuzz
