// SPDX-License-Identifier: MIT
#pragma once
// Text as people and programs write it: UTF-8, quoted for a message, escaped for a format, on one line; numbers in it.
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
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
/// Valid UTF-8: what is not, control characters (but tab and newline) and those that turn the direction of
/// writing become U+FFFD.
std::string clean(std::string_view text);
/// The first code points of a clean text, with an ellipsis if it has more.
std::string shortened(const std::string& text, size_t code_points);

/// The text without line breaks and other control characters, which could forge lines of a report.
std::string one_line(std::string text);

/// A word as a shell reads it back.
std::string for_shell(const std::string& word);

// Each cleans, then escapes.
std::string html(std::string_view text);  ///< for elements and attributes in double quotes; also for SVG
std::string latex(std::string_view text);
std::string markdown(std::string_view text);  ///< for a table's cell or a line
std::string csv(std::string_view text);  ///< a field, quoted if it needs to be; no formula for a spreadsheet

/// Rows of cells, each column as wide as its widest cell; the first `left` to the left, numbers to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, size_t left);

/// Appends to a text that becomes a file.
template <class... Args>
void put(fmt::memory_buffer& out, fmt::format_string<Args...> text, Args&&... args) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
}

/// A number, or null if it is not finite, which JSON cannot say.
nlohmann::ordered_json number_or_null(double x);

/// What a text says in JSON. Nothing if it is none, or has more brackets within brackets than anybody writes: values are
/// copied and written by recursion.
std::optional<nlohmann::ordered_json> json_in(std::string_view text);

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
