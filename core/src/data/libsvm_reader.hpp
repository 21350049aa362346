// SPDX-License-Identifier: MIT
#pragma once
// LIBSVM's multi-label format: a line "l1,l2 index:value ..." for each instance. Labels are counted from 0 and
// features from 1, as in the files of the LIBSVM site. A line that begins with a blank has no label; what
// follows a # is a comment; empty lines are skipped.
#include "base/text_lines.hpp"
#include "data/dataset.hpp"
#include "data/files.hpp"

namespace concord {

/// The text does not bound them, but memory does: V x N labels, and d x V weights later.
inline constexpr int64_t kMaxLibsvmLabels = 65536;
inline constexpr int64_t kMaxLibsvmFeatures = 100'000'000;

class LibsvmReader : public InstanceReader {
 public:
  /// d and V are those of `expected`, else the largest that occur. `lines` must outlive this.
  LibsvmReader(TextLines& lines, const ExpectedColumns* expected);

  Dataset read(int64_t count) override;

 private:
  void read_labels(std::string_view list);
  void read_feature(std::string_view pair, int64_t& last);

  TextLines& lines_;
  bool fixed_;  // d and V are given
  int64_t d_ = 0, V_ = 0;
  std::vector<std::string> feature_names_, label_names_;
  std::vector<int64_t> label_seen_in_;  // the row in which a label was last seen, from 1
  int64_t row_ = 0;
  DatasetBuilder builder_{true};
};

}  // namespace concord
