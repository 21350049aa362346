// SPDX-License-Identifier: MIT
#pragma once
// Scores of instances by somebody else, a neural net or trees: a NumPy file (.npy, C order, 32 or 64 bits) or CSV with a line
// of label names. A row for each instance, in the order of the data, and a column for each label; m blocks of V columns are m
// bases. A CSV file may begin with a column `instance`, which counts from 0: then the order is checked.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/files.hpp"

namespace concord {

class ScoreReader {
 public:
  virtual ~ScoreReader() = default;
  /// m V
  virtual int64_t columns() const = 0;
  /// The next `count` rows. Fault::input with place for what is no finite number, and if there are fewer.
  virtual RowMatrix read(int64_t count) = 0;
  /// Fault::input if rows are left: the scores belong to other data.
  virtual void require_end() = 0;
};

/// By the file's first bytes. Fault::input unless its columns are m blocks of these labels.
std::unique_ptr<ScoreReader> score_reader(const std::filesystem::path& file,
                                          const std::vector<std::string>& label_names);

/// The data with the scores of all instances as their last columns; returns how many bases these are.
int64_t append_scores(Dataset& data, const std::filesystem::path& file);
/// The same of the next instances that `reader` has.
void append_scores(Dataset& data, ScoreReader& scores);

/// Reads instances and their scores side by side. Both must outlive it.
std::unique_ptr<InstanceReader> with_scores(std::unique_ptr<InstanceReader> reader, ScoreReader& scores);

}  // namespace concord
