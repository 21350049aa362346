// SPDX-License-Identifier: MIT
#include "data/row_list.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {
namespace {

std::optional<int64_t> row_number(const std::string& text) {
  const auto row = number_in<int64_t>(text);
  return row && *row >= 0 ? row : std::nullopt;
}

}  // namespace

std::vector<int64_t> parse_rows(const std::string& option, const std::string& text, int64_t count) {
  std::vector<int64_t> rows;
  std::vector<bool> seen(static_cast<size_t>(count), false);
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    from = comma + 1;
    const size_t dash = part.find('-');
    const auto first = row_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : row_number(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      fail(Fault::input, "{} {}: '{}' is neither a row nor a range of rows; write 0,5,10-20", option, text,
           part);
    if (*last >= count)
      fail(Fault::input, "{} {}: there is no row {}: the data have {} instances, counted from 0", option,
           text, *last, count);
    for (int64_t row = *first; row <= *last; ++row) {
      if (seen[static_cast<size_t>(row)])
        fail(Fault::input, "{} {}: row {} is there twice", option, text, row);
      seen[static_cast<size_t>(row)] = true;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace concord
