// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>

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

}  // namespace concord
