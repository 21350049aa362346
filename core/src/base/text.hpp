// SPDX-License-Identifier: MIT
#pragma once
// Text as people and programs write it: quoted for a message, on one line, for a shell; numbers in it.
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace concord {

/// The text in single quotes for an error message: printable ASCII, shortened if long.
std::string quote(std::string_view text);

/// The text without line breaks and other control characters, which could forge lines of a report.
std::string one_line(std::string text);

/// A word as a shell reads it back.
std::string for_shell(const std::string& word);

/// The number that the whole text is, by std::from_chars, or nothing. Infinities and NaN are numbers.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace concord
