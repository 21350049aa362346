// SPDX-License-Identifier: MIT
#pragma once
// What the readers of all problem formats share: positions in the text, numbers, and lists of entries.
// Positions are byte offsets; lines and columns are counted only when an error is written.
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "problem/problem.hpp"

namespace concord {

/// One value of a symmetric matrix for the pair i <= j (0-based), and where it was read.
struct Entry {
  int64_t i, j;
  double value;
  size_t at;
};

class ProblemSource {
 public:
  ProblemSource(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  std::string_view text() const { return text_; }
  size_t line(size_t at) const;
  /// Where a token, which must be a part of text(), begins.
  size_t position(std::string_view token) const { return static_cast<size_t>(token.data() - text_.data()); }

  /// The token of JSON that the byte is in: punctuation, or all between punctuation and blanks.
  std::string_view word(size_t at) const;

  template <class... Args>
  [[noreturn]] void fail(size_t at, fmt::format_string<Args...> message, Args&&... args) const {
    throw_at(at, fmt::format(message, std::forward<Args>(args)...));
  }

  /// A finite number, the whole token.
  double number(std::string_view token) const;
  /// A number that is a part of A or b. Keeps the sum of all magnitudes far from overflow, so that every
  /// objective, offset and row sum made from them is finite.
  double coefficient(std::string_view token);
  /// An integer in [low, high]; `what` names it in the message.
  int64_t integer(std::string_view token, int64_t low, int64_t high, std::string_view what) const;

  /// The symmetric n x n matrix with these entries. A pair that is given twice is an error. The error names
  /// the pair with indices that start at `first_index`.
  SparseMatrix symmetric(int64_t n, std::vector<Entry>& entries, int64_t first_index) const;

 private:
  [[noreturn]] void throw_at(size_t at, const std::string& message) const;

  std::string_view text_;
  std::string name_;
  double magnitude_ = 0;
};

// One reader for each family of formats; both throw Error with Fault::input.
CanonicalProblem parse_json(ProblemSource& source);
CanonicalProblem parse_text(ProblemSource& source, ProblemFormat format);

}  // namespace concord
