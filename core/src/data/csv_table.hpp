// SPDX-License-Identifier: MIT
#pragma once
// A table in a CSV or TSV file with a line of names: what its columns are, from the cells or from the columns that are
// expected. The delimiter is the tab, semicolon or comma that the line of names has most of.
#include <string>
#include <unordered_map>
#include <vector>

#include "data/columns.hpp"
#include "data/csv.hpp"

namespace concord {

struct CsvTable {
  char delimiter = ',';
  std::vector<std::string> names;  ///< of all columns
  std::vector<DataColumn> columns;
  std::vector<std::string> feature_names, label_names;
  bool sparse = false;  ///< whether features are mostly 0

  /// Their number, once the columns are matched or settled.
  int64_t features() const;

  /// Reads the line of names. Fault::input for a name that is empty or there twice.
  explicit CsvTable(TextLines& lines);
  /// Says what the columns are, of a file that goes with `expected`.
  void match(const TextLines& lines, const ExpectedColumns& expected, bool is_new);
  /// Says which columns are labels and which are left out. The others are features.
  void choose(const TextLines& lines, const DataSource& source);
  /// Numbers features and labels, and names them, once the kind of each column and the values of text are known.
  void settle(const TextLines& lines);

 private:
  using Places = std::unordered_map<std::string_view, size_t>;  // of the names
  bool match_feature(const std::string& name, int64_t feature, const Places& place);
};

/// The cell as a number: decimal, true (1) or false (0).
Numeral read_cell(std::string_view cell, double& value);

/// Looks at all rows of a table whose columns were chosen. A column with a cell that is no number is text, and has values.
/// Text with more than 100 values is refused by name. Returns the number of rows. `lines` stands at the line of names.
class CsvScan {
 public:
  explicit CsvScan(CsvTable& table) : table_(table) {}
  /// Finds the columns of text; true if there are any, whose values are then to be found.
  bool find_text(TextLines& lines);
  void find_values(TextLines& lines);

 private:
  CsvTable& table_;
};

}  // namespace concord
