// SPDX-License-Identifier: MIT
#pragma once
// The cells of CSV records, as in RFC 4180. A record is a line, or several where a quoted cell has line breaks.
#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"

namespace concord {

struct CsvCell {
  std::string_view text;   ///< without quotes, and without blanks around it
  std::string_view place;  ///< in the line, for messages
};

/// Splits line after line; cells are valid until the next one.
class CsvCells {
 public:
  explicit CsvCells(char delimiter = ',') : delimiter_(delimiter) {}

  /// Those of the record that begins with the present line. Fault::input with place for a quote without end.
  const std::vector<CsvCell>& split(TextLines& lines) {
    complete(lines);
    cells_.clear();
    unescaped_.clear();
    const char* at = lines.line().data();
    const char* const end = at + lines.line().size();
    while (true) {
      const char* begin = at;
      while (begin < end && is_space(*begin)) ++begin;
      if (begin < end && *begin == '"') {
        cells_.push_back(quoted(lines, begin, end, at));
      } else {
        at = begin;
        while (at < end && *at != delimiter_) ++at;
        const char* last = at;
        while (last > begin && is_space(last[-1])) --last;
        const std::string_view text(begin, static_cast<size_t>(last - begin));
        cells_.push_back({text, text});
      }
      if (at == end) return cells_;
      ++at;
    }
  }

 private:
  /// Adds the lines on which a quoted cell goes on.
  void complete(TextLines& lines) const {
    if (lines.line().find('"') == std::string_view::npos) return;
    enum class Seen { nothing, text, open_quote, end_quote } seen = Seen::nothing;  // of the cell, last
    for (size_t at = 0;; ++at) {
      while (at == lines.line().size())
        if (seen != Seen::open_quote || !lines.extend()) return;
      const char letter = lines.line()[at];
      if (seen == Seen::open_quote)
        seen = letter == '"' ? Seen::end_quote : Seen::open_quote;
      else if (letter == '"' && seen != Seen::text)
        seen = Seen::open_quote;  // of a cell, or of a pair of quotes within one
      else if (letter == delimiter_)
        seen = Seen::nothing;
      else if (seen != Seen::nothing || !is_space(letter))
        seen = Seen::text;
    }
  }

  bool is_space(char letter) const { return is_blank(letter) && letter != delimiter_; }

  /// From a quote to the delimiter or the end, where `at` then is.
  CsvCell quoted(const TextLines& lines, const char* begin, const char* end, const char*& at) {
    const std::string_view place(begin, static_cast<size_t>(end - begin));
    std::string* copy = nullptr;  // of a cell with a quote in it
    const char* from = begin + 1;
    for (at = from;; ++at) {
      if (at == end) lines.fail(place, "the quote does not end");
      if (*at != '"') {
        if (copy != nullptr) *copy += *at;
      } else if (at + 1 < end && at[1] == '"') {
        if (copy == nullptr) copy = &unescaped_.emplace_back(from, at);
        *copy += *at++;
      } else {
        break;
      }
    }
    const std::string_view text =
        copy != nullptr ? std::string_view(*copy) : std::string_view(from, static_cast<size_t>(at - from));
    for (++at; at < end && is_space(*at); ++at) {
    }
    if (at < end && *at != delimiter_)
      lines.fail(std::string_view(at, static_cast<size_t>(end - at)), "'{}' is expected after a quoted cell",
                 delimiter_ == '\t' ? "a tab" : std::string(1, delimiter_));
    return {text, place};
  }

  char delimiter_;
  std::vector<CsvCell> cells_;
  std::deque<std::string> unescaped_;
};

}  // namespace concord
