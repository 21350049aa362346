// SPDX-License-Identifier: MIT
#pragma once
// The lines of a problem file, and their words. Blank lines and comments are skipped.
#include <algorithm>
#include <array>
#include <string_view>

#include "problem/source.hpp"

namespace concord {

/// The words of a text, one after the other.
class Words {
 public:
  static constexpr std::string_view blanks = " \t\r\v\f\n";

  explicit Words(std::string_view text) : rest_(text) {}

  /// Empty, at the end of the text, once there are no more.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

/// The words of one line; the fourth is kept only to say that it is too much.
struct Line {
  std::array<std::string_view, 4> words;
  size_t count = 0;
};

class Lines {
 public:
  /// A line that begins with `comment` is skipped.
  Lines(const ProblemSource& source, char comment)
      : source_(source), rest_(source.text()), comment_(comment) {}

  /// The next line with words; none (count 0) at the end of the text.
  Line next() {
    Line line;
    while (line.count == 0 && !rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      line = split(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line.count > 0 && line.words[0].starts_with(comment_)) line = {};
    }
    return line;
  }

  size_t bytes_left() const { return rest_.size(); }
  /// Where the text ends: after its last word.
  size_t end() const { return source_.text().find_last_not_of(Words::blanks) + 1; }

 private:
  static Line split(std::string_view text) {
    Line line;
    Words words(text);
    while (line.count < line.words.size() && !(line.words[line.count] = words.next()).empty()) ++line.count;
    return line;
  }

  const ProblemSource& source_;
  std::string_view rest_;
  char comment_;
};

/// Exactly `wanted` words, which `shape` describes.
inline void expect_words(const ProblemSource& source, const Line& line, size_t wanted, std::string_view what,
                         std::string_view shape) {
  if (line.count > wanted) {
    source.fail(source.position(line.words[wanted]), "{} is too much on this line: {} is '{}'",
                quote(line.words[wanted]), what, shape);
  }
  if (line.count < wanted) {
    source.fail(source.position(line.words[line.count - 1]), "the line ends after {}: {} is '{}'",
                quote(line.words[line.count - 1]), what, shape);
  }
}

}  // namespace concord
