// SPDX-License-Identifier: MIT
#include <charconv>

#include "base/text.hpp"
#include "data/arff.hpp"

namespace concord {

ArffReader::ArffReader(TextLines& lines, ArffHeader header, ArffColumns columns, TakesMissing takes)
    : lines_(lines), header_(std::move(header)), columns_(std::move(columns)), takes_(takes) {
  for (size_t a = 0; a < header_.attributes.size(); ++a)
    if (columns_.of_attribute[a].speaks_when_omitted()) speak_when_omitted_.push_back(a);
}

Dataset ArffReader::read(int64_t count) {
  while ((builder_ == nullptr || builder_->rows() < count) && lines_.next()) {
    ArffWords words(lines_);
    if (words.at_end()) continue;
    const bool sparse = words.take('{');
    if (builder_ == nullptr)
      builder_ =
          std::make_unique<DatasetBuilder>(sparse, static_cast<int64_t>(columns_.feature_names.size()));
    if (sparse)
      read_sparse(words);
    else
      read_dense(words);
    builder_->end_row();
  }
  Dataset dataset;
  dataset.name = header_.relation;
  dataset.feature_names = columns_.feature_names;
  dataset.label_names = columns_.label_names;
  const auto d = static_cast<int64_t>(columns_.feature_names.size());
  const auto V = static_cast<int64_t>(columns_.label_names.size());
  if (builder_ != nullptr)
    builder_->finish(d, V, dataset);
  else
    DatasetBuilder(false).finish(d, V, dataset);
  return dataset;
}

void ArffReader::nominal(const DataColumn& column, size_t value) {
  switch (column.kind) {
    case DataColumn::Kind::number:
      builder_->feature(column.first, column.numbers[value]);
      break;
    case DataColumn::Kind::one_hot:
      builder_->feature(column.first + static_cast<int64_t>(value), 1);
      break;
    case DataColumn::Kind::label:
      if (column.numbers[value] != 0) builder_->label(column.first);
      break;
    case DataColumn::Kind::ignored:
      break;
  }
}

void ArffReader::value(size_t a, ArffWords& words, std::string_view text) {
  const ArffAttribute& attribute = header_.attributes[a];
  const DataColumn& column = columns_.of_attribute[a];
  const bool is_label = column.kind == DataColumn::Kind::label;
  if (text == "?" && !words.quoted()) {
    if (!(is_label ? takes_.label : takes_.feature))
      lines_.fail(words.raw(), "the value '?' of {} {} is missing: {}", is_label ? "label" : "attribute",
                  quote(attribute.name), is_label ? kLabelMissing : kFeatureMissing);
    if (is_label)
      builder_->unknown_label(column.first);
    else
      column.add_missing(*builder_);
    return;
  }
  if (attribute.nominal()) {
    const size_t place = column.find(text);
    if (place == column.by_value.size())
      lines_.fail(words.place(), "{} is not a value of attribute {}: it has {{{}}}", quote(text),
                  quote(attribute.name),
                  fmt::join(attribute.values.begin(),
                            attribute.values.begin() +
                                static_cast<ptrdiff_t>(std::min<size_t>(10, attribute.values.size())),
                            ","));
    nominal(column, place);
    return;
  }
  double number = 0;
  const Numeral verdict = read_decimal(text, number);
  if (verdict == Numeral::none)
    lines_.fail(words.place(), "{} is not a number, and attribute {} is numeric", quote(text),
                quote(attribute.name));
  if (verdict == Numeral::out_of_range)
    lines_.fail(words.raw(), "{} is not a finite number in the range of a double (attribute {})", quote(text),
                quote(attribute.name));
  builder_->feature(column.first, number);
}

void ArffReader::read_dense(ArffWords& words) {
  const size_t attributes = header_.attributes.size();
  size_t a = 0;
  do {
    if (a == attributes)
      lines_.fail(words.rest(), "the row goes on after {} values, one for each attribute", attributes);
    value(a++, words, words.word(","));
  } while (words.take(','));
  if (!words.at_end()) lines_.fail(words.rest(), "{} where ',' is expected", quote(words.rest()));
  if (a < attributes)
    lines_.fail(words.rest(), "the row ends after {} values, and there are {} attributes", a, attributes);
}

void ArffReader::read_sparse(ArffWords& words) {
  const size_t attributes = header_.attributes.size();
  auto omitted = speak_when_omitted_.begin();
  const auto speak_before = [&](size_t attribute) {
    for (; omitted != speak_when_omitted_.end() && *omitted < attribute; ++omitted)
      nominal(columns_.of_attribute[*omitted], 0);
    if (omitted != speak_when_omitted_.end() && *omitted == attribute) ++omitted;
  };
  size_t next = 0;  // the least attribute that may come
  if (!words.take('}')) {
    do {
      const std::string_view index = words.word(" \t,}");
      size_t a = 0;
      const Numeral verdict = read_numeral(index, a);
      const std::string_view where = words.place();
      if (verdict == Numeral::none || words.quoted())
        lines_.fail(where, "{} is not the index of an attribute: a sparse row is {{index value,index value}}",
                    quote(index));
      if (verdict == Numeral::out_of_range || a >= attributes)
        lines_.fail(where, "index {} is out of range: there are {} attributes, from 0 to {}", quote(index),
                    attributes, attributes - 1);
      if (a + 1 == next) lines_.fail(where, "index {} is there twice", quote(index));
      if (a < next) lines_.fail(where, "index {} does not increase: give them in order", quote(index));
      speak_before(a);
      next = a + 1;
      value(a, words, words.word(" \t,}"));
    } while (words.take(','));
    if (!words.take('}')) lines_.fail(words.rest(), "{} where ',' or '}}' is expected", quote(words.rest()));
  }
  if (!words.at_end())
    lines_.fail(words.rest(), "{} after the row: it ends with '}}' (weights are not supported)",
                quote(words.rest()));
  speak_before(attributes);
}

}  // namespace concord
