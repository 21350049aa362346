// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "data/arff.hpp"

namespace concord {
namespace {

template <class... Args>
[[noreturn]] void refuse(const std::string& name, const ArffAttribute& attribute,
                         fmt::format_string<Args...> message, Args&&... args) {
  throw Error(Fault::input, fmt::format(message, std::forward<Args>(args)...),
              {fmt::format("{}:{}:{}", name, attribute.line, attribute.column), name});
}

/// The numbers that nominal values are, or nothing if one of them is none.
std::vector<double> numbers_of(const std::vector<std::string>& values) {
  std::vector<double> numbers(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (read_decimal(values[i], numbers[i]) != Numeral::good) return {};
  return numbers;
}

using Places = std::unordered_map<std::string_view, size_t>;

/// The attribute of each label, in the order of the labels.
std::vector<size_t> find_labels(const ArffHeader& header, const std::string& name,
                                const std::vector<LabelName>& labels, Absent absent) {
  Places place;
  for (size_t i = 0; i < header.attributes.size(); ++i) place.emplace(header.attributes[i].name, i);
  std::vector<size_t> found;
  std::vector<const LabelName*> missing;
  for (const LabelName& label : labels) {
    const auto at = place.find(label.name);
    if (at == place.end())
      missing.push_back(&label);
    else
      found.push_back(at->second);
  }
  if (missing.empty() || (absent == Absent::allowed && found.empty())) return found;
  std::vector<std::string> names;
  for (const ArffAttribute& attribute : header.attributes) names.push_back(attribute.name);
  fail(Fault::input, About{missing[0]->place},
       "label {} is not an attribute of {}{} ({} of {} labels are missing there)", quote(missing[0]->name),
       name, did_you_mean(missing[0]->name, names), missing.size(), labels.size());
}

}  // namespace

std::vector<LabelName> meka_labels(const ArffHeader& header, const std::string& name) {
  const size_t at = header.relation.find("-C ");
  if (at == std::string::npos) return {};
  std::string_view text = std::string_view(header.relation).substr(at + 3);
  text = text.substr(0, text.find_first_of(" :'"));
  const auto count = number_in<int64_t>(text);
  const auto attributes = static_cast<int64_t>(header.attributes.size());
  if (!count || *count == 0 || *count <= -attributes || *count >= attributes)
    fail(Fault::input, About{name, name},
         "the relation says -C {}: expected the number of labels, which is below the {} attributes",
         quote(text), attributes);
  std::vector<LabelName> labels;
  for (int64_t a = *count > 0 ? 0 : attributes + *count; a < (*count > 0 ? *count : attributes); ++a) {
    const ArffAttribute& attribute = header.attributes[static_cast<size_t>(a)];
    labels.push_back({attribute.name, fmt::format("{}:{}:{}", name, attribute.line, attribute.column)});
  }
  return labels;
}

ArffColumns arff_columns(const ArffHeader& header, const std::string& name,
                         const std::vector<LabelName>& labels, Absent absent) {
  ArffColumns columns;
  columns.of_attribute.resize(header.attributes.size());
  for (const LabelName& label : labels) columns.label_names.push_back(label.name);
  const std::vector<size_t> label_attributes = find_labels(header, name, labels, absent);
  for (size_t v = 0; v < label_attributes.size(); ++v) {
    columns.of_attribute[label_attributes[v]].kind = DataColumn::Kind::label;
    columns.of_attribute[label_attributes[v]].first = static_cast<int64_t>(v);
  }

  for (size_t i = 0; i < header.attributes.size(); ++i) {
    const ArffAttribute& attribute = header.attributes[i];
    DataColumn& column = columns.of_attribute[i];
    for (const std::string& value : attribute.values)
      column.by_value.emplace_back(value, column.by_value.size());
    std::sort(column.by_value.begin(), column.by_value.end());
    column.numbers = numbers_of(attribute.values);
    if (column.kind == DataColumn::Kind::label) {
      if (column.by_value.size() != 2 || column.by_value[0].first != "0" || column.by_value[1].first != "1")
        refuse(name, attribute, "the label {} is {}: a label is declared as {{0,1}}", quote(attribute.name),
               attribute.nominal() ? fmt::format("{{{}}}", fmt::join(attribute.values, ",")) : "numeric");
      continue;
    }
    column.first = static_cast<int64_t>(columns.feature_names.size());
    if (attribute.nominal() && column.numbers.empty()) {
      column.kind = DataColumn::Kind::one_hot;
      for (const std::string& value : attribute.values)
        columns.feature_names.push_back(attribute.name + "=" + value);
    } else {
      columns.feature_names.push_back(attribute.name);
    }
    columns.attribute_of_feature.resize(columns.feature_names.size(), static_cast<int64_t>(i));
  }

  // Attributes are unique, but NAME=VALUE may be another one's name.
  Places place;
  for (const std::string& label : columns.label_names) place.emplace(label, 0);
  for (size_t j = 0; j < columns.feature_names.size(); ++j)
    if (!place.emplace(columns.feature_names[j], j).second)
      refuse(name, header.attributes[static_cast<size_t>(columns.attribute_of_feature[j])],
             "the column {} is there twice: rename an attribute", quote(columns.feature_names[j]));
  if (columns.feature_names.empty())
    refuse(name, header.attributes[0], "every attribute is a label, and none is left as a feature");
  return columns;
}

}  // namespace concord
