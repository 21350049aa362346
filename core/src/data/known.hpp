// SPDX-License-Identifier: MIT
#pragma once
// Labels that are known beforehand, from a CSV file: a line of label names, then a line for each instance with 1, 0, or ? where
// a label is unknown. A label without a column is unknown everywhere.
#include <istream>
#include <string>
#include <vector>

#include "base/text_lines.hpp"
#include "data/csv.hpp"
#include "data/dataset.hpp"

namespace concord {

class KnownReader {
 public:
  /// Reads the line of names. Fault::input with place: a name that is no label (with "did you mean"), or is there twice.
  /// `owner` and `what` are words of messages: whose label names these are, and what the file has of them.
  KnownReader(std::istream& in, const std::string& name, const std::vector<std::string>& label_names,
              const char* owner = "the model has", const char* what = "known labels");

  /// V x `count`: -1, +1, and 0 where unknown. Fault::input with place and label for any other cell, and if the file has
  /// fewer lines.
  LabelMatrix read(int64_t count);
  /// Fault::input if lines are left: the file belongs to other data.
  void require_end();
  /// "known.csv:7", of the line that was read last.
  std::string place() const;

 private:
  TextLines lines_;
  CsvCells cells_;
  const std::vector<std::string>& label_names_;
  const char* what_;
  std::vector<int64_t> label_of_column_;
  int64_t rows_ = 0;
};

}  // namespace concord
