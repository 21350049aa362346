// SPDX-License-Identifier: MIT
// Max-cut (rudy) and QUBO (Biq Mac) files: a header "n m", then m lines "i j value", 1-based. Blank lines and
// lines that begin with # are skipped.
#include <algorithm>
#include <array>

#include "problem/files.hpp"
#include "problem/source.hpp"

namespace concord {
namespace {

/// How messages speak about a format, and whether i = j is allowed.
struct Dialect {
  std::string_view nodes, node, entry, line;
  bool diagonal;
};

constexpr Dialect max_cut{"nodes", "a node", "an edge", "i j w", false};
constexpr Dialect qubo{"variables", "a variable", "an entry", "i j q", true};

/// The words of one line; the fourth is kept only to say that it is too much.
struct Line {
  std::array<std::string_view, 4> words;
  size_t count = 0;
};

class Lines {
 public:
  explicit Lines(const ProblemSource& source) : source_(source), rest_(source.text()) {}

  /// The next line with words; none (count 0) at the end of the text.
  Line next() {
    Line line;
    while (line.count == 0 && !rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      line = split(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line.count > 0 && line.words[0].starts_with('#')) line = {};
    }
    return line;
  }

  size_t bytes_left() const { return rest_.size(); }
  /// Where the text ends: after its last word.
  size_t end() const { return source_.text().find_last_not_of(blanks) + 1; }

 private:
  static constexpr std::string_view blanks = " \t\r\v\f\n";

  static Line split(std::string_view text) {
    Line line;
    while (line.count < line.words.size()) {
      text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
      if (text.empty()) break;
      const size_t length = std::min(text.find_first_of(blanks), text.size());
      line.words[line.count++] = text.substr(0, length);
      text.remove_prefix(length);
    }
    return line;
  }

  const ProblemSource& source_;
  std::string_view rest_;
};

/// Exactly `wanted` words, which `shape` describes.
void expect_words(const ProblemSource& source, const Line& line, size_t wanted, std::string_view what,
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

struct Header {
  int64_t n, m;
};

/// Believes no size that the text cannot hold, so nothing large is allocated for a lie.
Header read_header(const ProblemSource& source, Lines& lines, const Dialect& dialect) {
  const Line line = lines.next();
  if (line.count == 0) source.fail(lines.end(), "there is no header: the first line is 'n m'");
  expect_words(source, line, 2, "the header", "n m");
  const int64_t n =
      source.integer(line.words[0], 1, max_sparse_labels, fmt::format("n, the number of {},", dialect.nodes));
  const int64_t pairs = dialect.diagonal ? n * (n + 1) / 2 : n * (n - 1) / 2;
  const int64_t m =
      source.integer(line.words[1], 0, pairs, fmt::format("m, the number of pairs listed for n = {},", n));
  constexpr size_t shortest_line = std::string_view("1 2 3\n").size();
  const size_t room = (lines.bytes_left() + 1) / shortest_line;  // the last line may lack its end
  if (static_cast<size_t>(m) > room) {
    source.fail(source.position(line.words[1]),
                "the header announces {} lines '{}', but the rest of the file has room for at most {}: "
                "it is truncated, or m is wrong",
                m, dialect.line, room);
  }
  return {n, m};
}

Entry read_entry(ProblemSource& source, const Line& line, int64_t n, const Dialect& dialect) {
  expect_words(source, line, 3, dialect.entry, dialect.line);
  const size_t at = source.position(line.words[0]);
  const int64_t i = source.integer(line.words[0], 1, n, dialect.node) - 1;
  const int64_t j = source.integer(line.words[1], 1, n, dialect.node) - 1;
  if (i == j && !dialect.diagonal) {
    source.fail(at, "'{} {}' joins {} to itself: an edge has two different ends", line.words[0],
                line.words[1], dialect.node);
  }
  return {std::min(i, j), std::max(i, j), source.coefficient(line.words[2]), at};
}

/// cut(u) = 1/2 sum_{i<j} w_ij - u'Au with A = w/4 and c = 0.
CanonicalProblem from_max_cut(const SparseMatrix& w) {
  CanonicalProblem problem;
  problem.c = Eigen::VectorXd::Zero(w.rows());
  problem.objective_offset = w.sum() / 4;  // w holds each pair twice
  problem.A = PriorMatrix(SparseMatrix(0.25 * w));
  return problem;
}

/// With x = (1 + u)/2: x'Qx = 1'Q1/4 + u'Q1/2 + u'Qu/4, and the diagonal of Q gives u'Diag(Q)u/4 = tr Q/4.
/// So A = offdiag(Q)/4, c = -Q1/2 and x'Qx = (1'Q1 + tr Q)/4 - (u'c - u'Au).
CanonicalProblem from_qubo(const SparseMatrix& Q) {
  CanonicalProblem problem;
  const Eigen::VectorXd row_sums = Q * Eigen::VectorXd::Ones(Q.cols());
  problem.c = -0.5 * row_sums;
  problem.objective_offset = (row_sums.sum() + Q.diagonal().sum()) / 4;
  problem.objective_sign = -1;
  problem.A = PriorMatrix(SparseMatrix(0.25 * Q)).without_diagonal();
  return problem;
}

}  // namespace

CanonicalProblem parse_text(ProblemSource& source, ProblemFormat format) {
  const Dialect& dialect = format == ProblemFormat::max_cut ? max_cut : qubo;
  Lines lines(source);
  const auto [n, m] = read_header(source, lines, dialect);
  std::vector<Entry> entries;
  entries.reserve(static_cast<size_t>(m));
  for (int64_t read = 0; read < m; ++read) {
    const Line line = lines.next();
    if (line.count == 0) {
      source.fail(lines.end(), "the file ends after {} of the {} lines '{}' that its header announces", read,
                  m, dialect.line);
    }
    entries.push_back(read_entry(source, line, n, dialect));
  }
  if (const Line extra = lines.next(); extra.count > 0) {
    source.fail(source.position(extra.words[0]),
                "{} follows the last line that the header announces (m = {}): the file must end there",
                quote(extra.words[0]), m);
  }
  const SparseMatrix matrix = source.symmetric(n, entries, 1);
  return format == ProblemFormat::max_cut ? from_max_cut(matrix) : from_qubo(matrix);
}

}  // namespace concord
