// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utf8cpp/utf8.h>

namespace concord {

std::string quote(std::string_view text) {
  constexpr size_t longest = 40;
  std::string result = "'";
  for (const char letter : text.substr(0, longest)) {
    if (letter >= ' ' && letter <= '~') {
      result += letter;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

bool is_utf8(std::string_view text) {
  return utf8::is_valid(text.begin(), text.end());
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char ch) { return ch < 0x20 || ch == 0x7f; }, ' ');
  return text;
}

std::string for_shell(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+,=:@") ==
          std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string table(const std::vector<std::vector<std::string>>& rows, size_t left) {
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

nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

}  // namespace concord
