// SPDX-License-Identifier: MIT
#pragma once
// Collects instances row by row. The first row decides whether the features are kept dense or sparse.
#include <cstdint>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

class DatasetBuilder {
 public:
  explicit DatasetBuilder(bool sparse) : sparse_(sparse) {}

  bool sparse() const { return sparse_; }
  int64_t rows() const { return static_cast<int64_t>(ends_.size()); }

  /// The next feature of the row; columns increase. Zeros are dropped when sparse, and may be left out.
  void feature(int64_t column, double value) {
    if (sparse_ && value == 0) return;
    columns_.push_back(column);
    values_.push_back(value);
  }
  /// This label is positive.
  void label(int64_t v) { labels_.push_back(v); }
  void end_row() { ends_.push_back({columns_.size(), labels_.size()}); }

  /// The rows so far as an N x d and a V x N matrix; the builder is then empty again.
  void finish(int64_t d, int64_t V, Dataset& dataset);

 private:
  struct End {
    size_t feature, label;
  };

  bool sparse_;
  std::vector<int64_t> columns_, labels_;
  std::vector<double> values_;
  std::vector<End> ends_;  // of each row
};

}  // namespace concord
