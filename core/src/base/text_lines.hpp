// SPDX-License-Identifier: MIT
#pragma once
// The lines of a text file, one at a time, so that an input of any length needs little memory. Knows where it
// is: errors say NAME:LINE:COLUMN (bytes, from 1).
#include <istream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {

class TextLines {
 public:
  /// `name` stands for the input in messages. The stream must outlive this.
  TextLines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// The first byte that is not a blank, by which formats are told apart; 0 if there is none. Only before the
  /// first next().
  char first_character();

  /// The first line that is not blank, as far as it is known to be one. Only before the first next().
  std::string_view first_line();

  /// Moves to the next line; false at the end. A zero byte is refused, and so is a line without end.
  bool next();
  /// Makes the line after it a part of this one, the break between them included; false at the end.
  bool extend();
  /// Without its end; valid until next() or extend().
  std::string_view line() const { return line_; }

  const std::string& name() const { return name_; }

  /// `where` is a part of line(): the column is where it begins.
  template <class... Args>
  [[noreturn]] void fail(std::string_view where, fmt::format_string<Args...> message, Args&&... args) const {
    throw_at(where, fmt::format(message, std::forward<Args>(args)...));
  }
  /// Behind the last line: something is missing.
  template <class... Args>
  [[noreturn]] void fail_at_end(fmt::format_string<Args...> message, Args&&... args) const {
    throw_at(line_.substr(line_.size()), fmt::format(message, std::forward<Args>(args)...));
  }

  /// Of the first line in line().
  int64_t number() const { return number_; }

 private:
  bool fill();
  bool take();
  [[noreturn]] void throw_at(std::string_view where, const std::string& message) const;

  std::istream& in_;
  std::string name_;
  std::string buffer_;
  size_t begin_ = 0;  // of the bytes in the buffer that no line has taken
  size_t start_ = 0;  // of line_ in the buffer
  std::string_view line_;
  int64_t number_ = 0;
  int64_t continued_ = 0;  // lines in line_ after the first
};

/// Blanks and tabs are the only space within a line.
inline bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}
std::string_view without_blanks(std::string_view text);

/// A decimal number, which in data files may have a plus sign.
Numeral read_decimal(std::string_view token, double& value);

}  // namespace concord
