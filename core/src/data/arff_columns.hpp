// SPDX-License-Identifier: MIT
#pragma once
// What the attributes of an ARFF file become: features (numbers, or one column for each nominal value) and
// labels.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/arff_header.hpp"
#include "data/label_xml.hpp"

namespace concord {

/// An attribute is one of
///   number   a numeric attribute, or a nominal one all of whose values are numbers: one column
///   one_hot  any other nominal attribute: a column NAME=VALUE for each value, 1 where it holds
///   label    a nominal attribute {0,1} that is named as a label
struct ArffColumn {
  enum class Kind { number, one_hot, label };
  Kind kind = Kind::number;
  int64_t first = 0;            ///< its (first) column among the features, or its place among the labels
  std::vector<double> numbers;  ///< of the nominal values of a number
  std::vector<std::pair<std::string, size_t>> by_value;  ///< sorted: nominal value, its place

  /// The place of a nominal value, or by_value.size().
  size_t find(std::string_view value) const;
  /// A sparse row that omits the attribute means 0, which is the *first* value of a nominal one: true if that
  /// is something else than a zero in one column.
  bool speaks_when_omitted() const;
};

struct ArffColumns {
  std::vector<ArffColumn> of_attribute;
  std::vector<std::string> feature_names, label_names;
  std::vector<int64_t> attribute_of_feature;
};

enum class Absent { refused, allowed };
/// The labels in their order; `absent` allows that *none* of them is an attribute. Errors in `header` are
/// placed in the file `name`.
ArffColumns arff_columns(const ArffHeader& header, const std::string& name,
                         const std::vector<LabelName>& labels, Absent absent);

}  // namespace concord
