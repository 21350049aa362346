// SPDX-License-Identifier: MIT
#include "data/csv_table.hpp"

#include <array>
#include <set>

#include "base/error.hpp"

namespace concord {
namespace {

constexpr size_t kMostValues = 100;       // of a column of text
constexpr double kSparse = 0.1;           // a smaller share of features that are not 0 is kept sparse,
constexpr int64_t kFewestForSparse = 50;  // of so many columns at least

using Kind = DataColumn::Kind;

char delimiter_of(std::string_view line) {
  std::array<size_t, 3> counts{};
  constexpr std::string_view delimiters = ",;\t";
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') quoted = !quoted;
    if (const size_t at = delimiters.find(letter); at != std::string_view::npos && !quoted) ++counts[at];
  }
  return delimiters[static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
}

/// Digits with a sign and a point, which most cells are: no need to read them.
bool is_plain_number(std::string_view cell) {
  size_t digits = 0, points = 0;
  for (size_t i = cell.starts_with('-') ? 1 : 0; i < cell.size(); ++i) {
    if (cell[i] >= '0' && cell[i] <= '9')
      ++digits;
    else if (cell[i] == '.')
      ++points;
    else
      return false;
  }
  return digits > 0 && points <= 1;
}

/// Whether a cell says something, and that is no number.
bool is_text(std::string_view cell) {
  double ignored = 0;
  return !is_plain_number(cell) && !is_missing(cell) && read_cell(cell, ignored) == Numeral::none;
}

}  // namespace

Numeral read_cell(std::string_view cell, double& value) {
  const Numeral verdict = read_decimal(cell, value);
  if (verdict != Numeral::none) return verdict;
  const bool yes = cell == "true" || cell == "True" || cell == "TRUE";
  if (!yes && cell != "false" && cell != "False" && cell != "FALSE") return Numeral::none;
  value = yes ? 1 : 0;
  return Numeral::good;
}

CsvTable::CsvTable(TextLines& lines) {
  if (!lines.next()) lines.fail_at_end("the file is empty: its first line names the columns");
  delimiter = delimiter_of(lines.line());
  CsvCells cells(delimiter);
  std::unordered_map<std::string_view, size_t> seen;
  for (const CsvCell& cell : cells.split(lines)) {
    if (cell.text.empty())
      lines.fail(cell.place, "column {} has no name: the first line names the columns", names.size() + 1);
    const auto [first, is_new] = seen.emplace(cell.text, names.size());
    if (!is_new)
      lines.fail(cell.place, "column {} is named {}, as column {} is", names.size() + 1, quote(cell.text),
                 first->second + 1);
    names.emplace_back(cell.text);
  }
  columns.resize(names.size());
}

int64_t CsvTable::features() const {
  int64_t d = 0;
  for (const DataColumn& column : columns)
    if (column.kind == Kind::number || column.kind == Kind::one_hot)
      d = std::max(d, column.first + column.width());
  return d;
}

void CsvTable::choose(const TextLines& lines, const DataSource& source) {
  const std::string place = fmt::format("{}:1:1", lines.name());
  if (!source.ignore.empty())
    for (const size_t j : chosen_columns(source.ignore, names, place)) {
      if (!is_chosen(source.ignore, names[j]))  // a file to predict may have its columns elsewhere
        fail(Fault::input, About{place}, "{} ignores column {} by its place: name it", quote(source.ignore),
             quote(names[j]));
      columns[j].kind = Kind::ignored;
    }
  if (source.labels.empty())
    fail(Fault::input,
         About{place, source.file.string(),
               "--labels a,b,c names them, as do --labels 'tag_*' and --labels last:5"},
         "which of the {} columns are labels is not said", names.size());
  for (const size_t j : chosen_columns(source.labels.string(), names, place)) {
    if (columns[j].kind == Kind::ignored)
      fail(Fault::input, About{place}, "column {} is a label, and cannot be ignored", quote(names[j]));
    columns[j].kind = Kind::label;
  }
}

void CsvTable::settle(const TextLines& lines) {
  for (size_t j = 0; j < names.size(); ++j) {
    DataColumn& column = columns[j];
    if (column.kind == Kind::ignored) continue;
    std::vector<std::string>& all = column.kind == Kind::label ? label_names : feature_names;
    column.first = static_cast<int64_t>(all.size());
    if (column.kind != Kind::one_hot) all.push_back(names[j]);
    for (const auto& [value, place] : column.by_value) all.push_back(names[j] + "=" + value);
  }
  std::set<std::string_view> seen(label_names.begin(), label_names.end());
  for (const std::string& name : feature_names)
    if (!seen.insert(name).second)
      fail(Fault::input, About{fmt::format("{}:1:1", lines.name())},
           "the feature {} is there twice: rename a column", quote(name));
  if (feature_names.empty())
    fail(Fault::input, About{fmt::format("{}:1:1", lines.name())},
         "every column is a label or ignored, and none is left as a feature");
}

bool CsvTable::match_feature(const std::string& name, int64_t feature, const Places& place) {
  if (const auto at = place.find(name); at != place.end() && columns[at->second].kind == Kind::ignored) {
    columns[at->second].kind = Kind::number;
    columns[at->second].first = feature;
    return true;
  }
  for (size_t equals = name.find('='); equals != std::string::npos; equals = name.find('=', equals + 1)) {
    const auto at = place.find(std::string_view(name).substr(0, equals));
    if (at == place.end()) continue;
    DataColumn& column = columns[at->second];
    if (column.kind == Kind::ignored) {
      column.kind = Kind::one_hot;
      column.first = feature;
    }
    // The features of a column of text stand side by side.
    if (column.kind != Kind::one_hot || column.first + column.width() != feature) continue;
    column.by_value.emplace_back(name.substr(equals + 1), column.by_value.size());
    return true;
  }
  return false;
}

void CsvTable::match(const TextLines& lines, const ExpectedColumns& expected, bool is_new) {
  for (DataColumn& column : columns) column.kind = Kind::ignored;
  const About about{fmt::format("{}:1:1", lines.name())};
  std::vector<std::string> there;
  Places place;
  for (size_t j = 0; j < names.size(); ++j) place.emplace(names[j], j);
  for (const std::string& label : expected.label_names)
    if (const auto at = place.find(label); at != place.end()) {
      columns[at->second].kind = Kind::label;
      columns[at->second].first = static_cast<int64_t>(&label - expected.label_names.data());
      there.push_back(label);
    }
  if (!(is_new && there.empty()))
    if (const auto other = difference_of("label", there, expected.label_names, expected.owner);
        !other.empty())
      throw Error(Fault::input, other, about);
  label_names = expected.label_names;

  there.clear();
  feature_names = expected.feature_names;
  for (const std::string& feature : feature_names)
    if (match_feature(feature, static_cast<int64_t>(&feature - feature_names.data()), place))
      there.push_back(feature);
  for (size_t j = 0; j < names.size(); ++j) {
    std::sort(columns[j].by_value.begin(), columns[j].by_value.end());
    if (columns[j].kind != Kind::ignored || is_chosen(expected.ignore, names[j])) continue;
    if (feature_names.empty()) {  // features without names are the columns in their order
      columns[j].kind = Kind::number;
      columns[j].first = static_cast<int64_t>(there.size());
    }
    there.push_back(names[j]);
  }
  if (!feature_names.empty()) {
    if (const auto other = difference_of("feature", there, feature_names, expected.owner); !other.empty())
      throw Error(Fault::input, other, about);
  } else if (static_cast<int64_t>(there.size()) != expected.features) {
    fail(Fault::input, about, "{} {} features, the file {}", owner_has(expected.owner), expected.features,
         there.size());
  }
}

bool CsvScan::find_text(TextLines& lines) {
  CsvCells cells(table_.delimiter);
  int64_t features = 0, looked_at = 0, zeros = 0;
  bool any = false;
  for (const DataColumn& column : table_.columns) features += column.kind == Kind::number ? 1 : 0;
  while (lines.next()) {
    const auto& row = cells.split(lines);
    looked_at += features;
    for (size_t j = 0; j < std::min(row.size(), table_.columns.size()); ++j) {
      DataColumn& column = table_.columns[j];
      if (column.kind != Kind::number) continue;
      const std::string_view cell = row[j].text;
      if (cell == "0") {
        ++zeros;
      } else if (is_text(cell)) {
        column.kind = Kind::one_hot;
        any = true;
      }
    }
  }
  table_.sparse = features >= kFewestForSparse &&
                  static_cast<double>(looked_at - zeros) < kSparse * static_cast<double>(looked_at);
  return any;
}

void CsvScan::find_values(TextLines& lines) {
  CsvCells cells(table_.delimiter);
  std::vector<size_t> text;
  for (size_t j = 0; j < table_.columns.size(); ++j)
    if (table_.columns[j].kind == Kind::one_hot) text.push_back(j);
  std::vector<std::set<std::string, std::less<>>> values(table_.columns.size());
  while (lines.next()) {
    const auto& row = cells.split(lines);
    for (const size_t j : text) {
      if (j >= row.size() || is_missing(row[j].text) || values[j].contains(row[j].text)) continue;
      if (values[j].size() == kMostValues)
        lines.fail(row[j].place,
                   "column {} is text with more than {} different values, such as {}: such a column is no "
                   "feature; --ignore (data.ignore in a config) leaves it out",
                   quote(table_.names[j]), kMostValues, quote(row[j].text));
      values[j].emplace(row[j].text);
    }
  }
  for (const size_t j : text)
    for (const std::string& value : values[j])
      table_.columns[j].by_value.emplace_back(value, table_.columns[j].by_value.size());
}

}  // namespace concord
