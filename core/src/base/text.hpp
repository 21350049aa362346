// SPDX-License-Identifier: MIT
#pragma once
// Text as people and programs write it: quoted for a message, on one line, for a shell; numbers in it.
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace concord {

/// The text in single quotes for an error message: printable ASCII, shortened if long.
std::string quote(std::string_view text);

bool is_utf8(std::string_view text);

/// The text without line breaks and other control characters, which could forge lines of a report.
std::string one_line(std::string text);

/// A word as a shell reads it back.
std::string for_shell(const std::string& word);

/// Rows of cells, each column as wide as its widest cell; the first `left` to the left, numbers to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, size_t left);

/// A number, or null if it is not finite, which JSON cannot say.
nlohmann::ordered_json number_or_null(double x);

/// Whether the whole of a text is a number. Infinities and NaN are out of range: nothing here counts with them.
enum class Numeral { good, none, out_of_range };
/// By std::from_chars, so independent of the locale.
template <class T>
Numeral read_numeral(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end || error == std::errc::invalid_argument) return Numeral::none;
  if (error != std::errc()) return Numeral::out_of_range;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return Numeral::out_of_range;
  return Numeral::good;
}
/// The number, or nothing.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  if (read_numeral(text, value) != Numeral::good) return std::nullopt;
  return value;
}

}  // namespace concord
