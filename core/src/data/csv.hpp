// SPDX-License-Identifier: MIT
#pragma once
// The cells of CSV lines, as in RFC 4180 but for line breaks within quotes.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"

namespace concord {

struct CsvCell {
  std::string text;        ///< without quotes, and without blanks around it
  std::string_view place;  ///< in the line, for messages
};

/// Those of the present line. Fault::input with place for a quote without end.
inline std::vector<CsvCell> csv_cells(const TextLines& lines) {
  std::vector<CsvCell> cells;
  std::string_view rest = lines.line();
  while (true) {
    CsvCell cell{{}, rest};
    size_t end = 0;
    const size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
    if (begin < rest.size() && rest[begin] == '"') {
      size_t at = begin + 1;
      for (;; ++at) {
        if (at >= rest.size()) lines.fail(rest.substr(begin), "the quote does not end");
        if (rest[at] != '"') {
          cell.text += rest[at];
        } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
          cell.text += rest[at++];
        } else {
          break;
        }
      }
      end = std::min(rest.find_first_not_of(" \t", at + 1), rest.size());
      if (end < rest.size() && rest[end] != ',')
        lines.fail(rest.substr(end), "',' is expected after a quoted cell");
    } else {
      end = std::min(rest.find(','), rest.size());
      cell.text = without_blanks(rest.substr(0, end));
    }
    cells.push_back(std::move(cell));
    if (end == rest.size()) return cells;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace concord
