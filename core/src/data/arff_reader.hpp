// SPDX-License-Identifier: MIT
#pragma once
// The rows of an ARFF file, dense ("1,0,0.5") or sparse ("{0 1,2 0.5}").
#include "data/arff_columns.hpp"
#include "data/builder.hpp"
#include "data/reader.hpp"

namespace concord {

class ArffReader : public InstanceReader {
 public:
  /// `lines` stands at @data, and must outlive this.
  ArffReader(TextLines& lines, ArffHeader header, ArffColumns columns);

  Dataset read(int64_t count) override;

 private:
  void read_dense(ArffWords& words);
  void read_sparse(ArffWords& words);
  void value(size_t attribute, ArffWords& words, std::string_view text);
  void nominal(const ArffColumn& column, size_t value);

  TextLines& lines_;
  ArffHeader header_;
  ArffColumns columns_;
  std::vector<size_t> speak_when_omitted_;   // attributes, in their order
  std::unique_ptr<DatasetBuilder> builder_;  // made by the first row, which says dense or sparse
};

}  // namespace concord
