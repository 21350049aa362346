// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <utf8cpp/utf8.h>
#include <utility>

namespace concord {
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
  std::string plain = clean(text);
  // A spreadsheet takes these for the beginning of a formula. It takes the apostrophe for the beginning of a text.
  if (plain.find_first_of("=+-@\t") == 0 && !number_in<double>(plain)) plain.insert(0, "'");
  if (plain.find_first_of(",\"\n") == std::string::npos) return plain;
  std::string result = "\"";
  for (const char c : plain) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
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

std::optional<nlohmann::ordered_json> json_in(std::string_view text) {
  using Json = nlohmann::ordered_json;
  constexpr int deepest = 64;
  bool deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    deep = deep || depth > deepest;
    return !deep;
  };
  Json json = Json::parse(text, shallow, false);
  if (deep || json.is_discarded()) return std::nullopt;
  return json;
}

}  // namespace concord
