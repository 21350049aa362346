// SPDX-License-Identifier: MIT
// Rows of a CSV or TSV file.
#include <limits>

#include "base/text.hpp"
#include "data/csv_table.hpp"

namespace concord {
namespace {

using Kind = DataColumn::Kind;

class CsvReader : public InstanceReader {
 public:
  /// `lines` stands at the line of names.
  CsvReader(TextLines& lines, CsvTable table, TakesMissing takes)
      : lines_(lines), table_(std::move(table)), takes_(takes), cells_(table_.delimiter) {}

  Dataset read(int64_t count) override {
    while (builder_.rows() < count && lines_.next()) {
      const std::vector<CsvCell>& row = cells_.split(lines_);
      if (row.size() == 1 && row[0].text.empty()) continue;
      if (row.size() != table_.columns.size())
        lines_.fail(lines_.line(), "the line has {} cells, and the first line names {} columns", row.size(),
                    table_.columns.size());
      for (size_t j = 0; j < row.size(); ++j) cell(j, row[j]);
      builder_.end_row();
    }
    Dataset dataset;
    dataset.feature_names = table_.feature_names;
    dataset.label_names = table_.label_names;
    builder_.finish(table_.features(), static_cast<int64_t>(table_.label_names.size()), dataset);
    return dataset;
  }

 private:
  void cell(size_t j, const CsvCell& cell) {
    const DataColumn& column = table_.columns[j];
    if (column.kind == Kind::ignored) return;
    if (column.kind == Kind::one_hot) {
      text(j, cell);
      return;
    }
    double value = 0;
    const Numeral verdict = read_cell(cell.text, value);
    if (verdict == Numeral::good) {
      if (column.kind == Kind::number)
        builder_.feature(column.first, value);
      else
        label(j, cell, value);
      return;
    }
    if (is_missing(cell.text))
      missing(j, cell);
    else if (column.kind == Kind::label)
      label(j, cell, 2);
    else
      lines_.fail(cell.place, "{} is not a {}number (column {})", quote(cell.text),
                  verdict == Numeral::out_of_range ? "finite " : "", quote(table_.names[j]));
  }

  void label(size_t j, const CsvCell& cell, double value) {
    if (value != 0 && value != 1)
      lines_.fail(cell.place, "the label {} is {}: a label is 0 or 1", quote(table_.names[j]),
                  quote(cell.text));
    if (value == 1) builder_.label(table_.columns[j].first);
  }

  void text(size_t j, const CsvCell& cell) {
    const DataColumn& column = table_.columns[j];
    const size_t place = is_missing(cell.text) ? column.by_value.size() : column.find(cell.text);
    if (place < column.by_value.size()) {
      builder_.feature(column.first + static_cast<int64_t>(place), 1);
      return;
    }
    if (is_missing(cell.text) || takes_.feature) {
      missing(j, cell);
      return;
    }
    std::vector<std::string> values;
    for (const auto& [value, at] : column.by_value)
      if (values.size() < 10) values.push_back(quote(value));
    lines_.fail(cell.place, "the value {} of column {} was not in the training data, which have {}{}",
                quote(cell.text), quote(table_.names[j]), fmt::join(values, ", "),
                values.size() < column.by_value.size() ? ", ..." : "");
  }

  void missing(size_t j, const CsvCell& cell) {
    const DataColumn& column = table_.columns[j];
    const bool is_label = column.kind == Kind::label;
    if (!(is_label ? takes_.label : takes_.feature))
      lines_.fail(cell.place, "the value {} of column {} is missing: {}", quote(cell.text),
                  quote(table_.names[j]), is_label ? kLabelMissing : kFeatureMissing);
    if (is_label)
      builder_.unknown_label(column.first);
    else
      column.add_missing(builder_);
  }

  TextLines& lines_;
  CsvTable table_;
  TakesMissing takes_;
  CsvCells cells_;
  DatasetBuilder builder_{table_.sparse, table_.features()};
};

/// Moves to the end of the line of names, which may be several.
void skip_names(TextLines& lines, const CsvTable& table) {
  if (lines.next()) CsvCells(table.delimiter).split(lines);
}

void rewind(std::istream& in, const std::string& name) {
  in.clear();
  if (!in.seekg(0))
    fail(Fault::io, About{name, name}, "a CSV file to train on is read twice, and this is a pipe");
}

}  // namespace

std::unique_ptr<InstanceReader> csv_reader(TextLines& lines, const ExpectedColumns& expected, bool is_new) {
  CsvTable table(lines);
  table.match(lines, expected, is_new);
  return std::make_unique<CsvReader>(lines, std::move(table), TakesMissing{is_new, expected.takes_missing});
}

Dataset read_csv(std::istream& in, const std::string& name, const DataSource& source) {
  rewind(in, name);
  TextLines first(in, name);
  CsvTable table(first);
  table.choose(first, source);
  CsvScan scan(table);
  if (scan.find_text(first)) {
    rewind(in, name);
    TextLines again(in, name);
    skip_names(again, table);
    scan.find_values(again);
  }
  table.settle(first);
  rewind(in, name);
  TextLines lines(in, name);
  skip_names(lines, table);
  return CsvReader(lines, std::move(table), {false, true}).read(std::numeric_limits<int64_t>::max());
}

}  // namespace concord
