// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>

namespace concord {

std::string table(const std::vector<Strings>& rows, size_t left) {
  std::vector<size_t> width(rows.front().size(), 0);
  for (const auto& row : rows)
    for (size_t j = 0; j < row.size(); ++j) width[j] = std::max(width[j], row[j].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t j = 0; j < row.size(); ++j)
      line +=
          j < left ? fmt::format("{:<{}}  ", row[j], width[j]) : fmt::format("{:>{}}  ", row[j], width[j]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace concord
