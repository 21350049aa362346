// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <utf8cpp/utf8.h>
#include <utility>

#include "report/parts.hpp"

namespace concord::report {
namespace {

struct CodePoint {
  uint32_t value;
  size_t bytes;  ///< 0 if it is not UTF-8
};

CodePoint decode(std::string_view text) {
  auto at = text.begin();
  try {
    const uint32_t value = utf8::next(at, text.end());
    return {value, static_cast<size_t>(at - text.begin())};
  } catch (const utf8::exception&) {
    return {0, 0};
  }
}

bool is_harmful(uint32_t c) {
  const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
  const bool direction =
      c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool no_character = (c & 0xfffeu) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
  return control || direction || no_character || c == 0x2028 || c == 0x2029;
}

using Replacements = std::initializer_list<std::pair<char, std::string_view>>;

/// The clean text with some of its characters replaced.
std::string replaced(std::string_view text, Replacements replacements) {
  std::string result;
  for (const char c : clean(text)) {
    const auto at = std::find_if(replacements.begin(), replacements.end(),
                                 [&](const auto& replacement) { return replacement.first == c; });
    at == replacements.end() ? result += c : result += at->second;
  }
  return result;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [value, bytes] = decode(text);
    if (bytes == 0 || is_harmful(value))
      result += "\xef\xbf\xbd";
    else
      result += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

std::string shortened(const std::string& text, size_t code_points) {
  size_t at = 0, last = 0;
  for (size_t count = 0; at < text.size(); ++count) {
    if (count == code_points) return text.substr(0, last) + "…";
    last = at;
    at += decode(std::string_view(text).substr(at)).bytes;
  }
  return text;
}

std::string html(std::string_view text) {
  return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string latex(std::string_view text) {
  std::string result = replaced(text, {{'\\', "\\textbackslash{}"},
                                       {'{', "\\{"},
                                       {'}', "\\}"},
                                       {'$', "\\$"},
                                       {'&', "\\&"},
                                       {'#', "\\#"},
                                       {'_', "\\_"},
                                       {'%', "\\%"},
                                       {'~', "\\textasciitilde{}"},
                                       {'^', "\\textasciicircum{}"},
                                       {'<', "\\textless{}"},
                                       {'>', "\\textgreater{}"},
                                       {'|', "\\textbar{}"},
                                       {'"', "''"},
                                       {'[', "{[}"},  // after \\ it would begin an argument
                                       {'*', "{*}"},  // and so would this
                                       {'\n', " "},
                                       {'\t', " "}});
  // TeX has no glyph for it and stops.
  for (size_t at; (at = result.find("\xef\xbf\xbd")) != std::string::npos;) result.replace(at, 3, "?");
  return result;
}

std::string markdown(std::string_view text) {
  return replaced(text, {{'&', "&amp;"},
                         {'<', "&lt;"},
                         {'>', "&gt;"},
                         {'\\', "\\\\"},
                         {'`', "\\`"},
                         {'*', "\\*"},
                         {'_', "\\_"},
                         {'[', "\\["},
                         {']', "\\]"},
                         {'|', "\\|"},
                         {'~', "\\~"},
                         {'$', "\\$"},
                         {'\n', " "},
                         {'\t', " "}});
}

std::string csv(std::string_view text) {
  const std::string plain = clean(text);
  if (plain.find_first_of(",\"\n") == std::string::npos) return plain;
  std::string result = "\"";
  for (const char c : plain) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "n/a";
}

std::string with_sign(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  const std::string text = fmt::format("{:+.{}f}", value, decimals);
  // What rounds to zero has no sign.
  return text.find_first_of("123456789") == std::string::npos ? fixed(0, decimals) : text;
}

std::string brief(double value) {
  if (!std::isfinite(value)) return "n/a";
  return std::abs(value) >= 1000 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                          : fmt::format("{:.3g}", value);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds < 1e-3) return brief(seconds * 1e6) + " µs";
  if (seconds < 1) return brief(seconds * 1e3) + " ms";
  if (seconds < 99.5) return brief(seconds) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 6000) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string typographic(std::string number) {
  for (size_t at = 0; (at = number.find('-', at)) != std::string::npos; at += 3) number.replace(at, 1, "−");
  return number;
}

}  // namespace concord::report
