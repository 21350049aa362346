// SPDX-License-Identifier: MIT
#pragma once
// The head of an ARFF file: @relation, @attribute, @data. And the words that head and rows are made of.
#include <string>
#include <string_view>
#include <vector>

#include "data/text_lines.hpp"

namespace concord {

struct ArffAttribute {
  std::string name;
  std::vector<std::string> values;  ///< of a nominal attribute, in their order; none: it is numeric
  int64_t line = 0, column = 0;     ///< where its name is declared

  bool nominal() const { return !values.empty(); }
};

struct ArffHeader {
  std::string relation;  ///< empty if the file gives none
  std::vector<ArffAttribute> attributes;
};

/// Reads to the line of @data, which is then the current one.
ArffHeader read_arff_header(TextLines& lines);

/// Walks over one line. A word is quoted with ' or " (a backslash escapes), or goes on to the first of the
/// letters that end it: quotes and backslashes within it are then letters like any other (TAG_m\'usica).
/// A % where a word would begin starts a comment.
class ArffWords {
 public:
  explicit ArffWords(const TextLines& lines) : lines_(lines), rest_(lines.line()) {}

  /// Skips blanks; true if nothing is left but a comment.
  bool at_end();
  /// Skips blanks, and takes the letter if it is next.
  bool take(char letter);
  /// The text of the next word; valid until the next call. Skips blanks on both sides.
  std::string_view word(std::string_view ends);
  /// The last word as it is in the file; where it is, or would be, for messages; and whether it was quoted.
  std::string_view raw() const { return raw_; }
  std::string_view place() const { return raw_.empty() ? rest_ : raw_; }
  bool quoted() const { return !raw_.empty() && (raw_[0] == '\'' || raw_[0] == '"'); }
  /// What is left of the line.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view quoted_word(std::string_view ends);

  const TextLines& lines_;
  std::string_view rest_, raw_;
  std::string unescaped_;
};

}  // namespace concord
