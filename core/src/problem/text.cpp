// SPDX-License-Identifier: MIT
// Text formats, a pair on a line. Indices are 1-based but in dimod's format.
//   max-cut (rudy)   "n m", then m lines "i j w", or "i j" for a graph without weights
//   QUBO (Biq Mac)   "n m", then m lines "i j q"
//   MatrixMarket     "%%MatrixMarket matrix coordinate FIELD symmetric", "n n m", then m lines: the weights of a graph
//   dimod            "# vartype=SPIN" or BINARY, then lines "i j bias", where i = j is the bias of a variable
#include <algorithm>
#include <cctype>
#include <optional>

#include "problem/files.hpp"
#include "problem/lines.hpp"

namespace concord {
namespace {

/// How messages speak about a format, the words of a line, whether i = j is allowed, and where indices begin.
struct Dialect {
  std::string_view nodes, node, entry, line;
  size_t words;
  bool diagonal;
  int64_t first_index = 1;
};

constexpr Dialect max_cut{"nodes", "a node", "an edge", "i j w", 3, false};
constexpr Dialect unweighted{"nodes", "a node", "an edge", "i j", 2, false};
constexpr Dialect qubo{"variables", "a variable", "an entry", "i j q", 3, true};
constexpr Dialect dimod{"variables", "a variable", "a bias", "i j bias", 3, true, 0};

int64_t read_order(const ProblemSource& source, std::string_view word, const Dialect& dialect) {
  return source.integer(word, 1, max_sparse_labels, fmt::format("n, the number of {},", dialect.nodes));
}

/// Believes no count that the text cannot hold, so nothing large is allocated for a lie.
int64_t read_count(const ProblemSource& source, std::string_view word, int64_t n, const Lines& lines,
                   const Dialect& dialect) {
  const int64_t pairs = dialect.diagonal ? n * (n + 1) / 2 : n * (n - 1) / 2;
  const int64_t m =
      source.integer(word, 0, pairs, fmt::format("m, the number of pairs listed for n = {},", n));
  const size_t shortest_line = 2 * dialect.words;                // "1 2\n"
  const size_t room = (lines.bytes_left() + 1) / shortest_line;  // the last line may lack its end
  if (static_cast<size_t>(m) > room) {
    source.fail(source.position(word),
                "the header announces {} lines '{}', but the rest of the file has room for at most {}: "
                "it is truncated, or m is wrong",
                m, dialect.line, room);
  }
  return m;
}

Entry read_entry(ProblemSource& source, const Line& line, int64_t n, const Dialect& dialect) {
  expect_words(source, line, dialect.words, dialect.entry, dialect.line);
  const size_t at = source.position(line.words[0]);
  const auto index = [&](std::string_view word) {
    return source.integer(word, dialect.first_index, n - 1 + dialect.first_index, dialect.node) -
           dialect.first_index;
  };
  const int64_t i = index(line.words[0]), j = index(line.words[1]);
  if (i == j && !dialect.diagonal) {
    source.fail(at, "'{} {}' joins {} to itself: an edge has two different ends", line.words[0],
                line.words[1], dialect.node);
  }
  const double value = line.count == 2 ? 1 : source.coefficient(line.words[2]);
  return {std::min(i, j), std::max(i, j), value, at};
}

/// The m lines that the header announces, and nothing behind them.
SparseMatrix read_announced(ProblemSource& source, Lines& lines, int64_t n, int64_t m,
                            const Dialect& dialect) {
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
  return source.symmetric(n, entries, dialect.first_index);
}

/// Whether a graph has weights is what its first edge says.
const Dialect& with_weights_or_not(Lines lines) {
  lines.next();
  return lines.next().count == 2 ? unweighted : max_cut;
}

SparseMatrix read_headed(ProblemSource& source, ProblemFormat format) {
  Lines lines(source, '#');
  const Dialect& dialect = format == ProblemFormat::qubo ? qubo : with_weights_or_not(lines);
  const Line line = lines.next();
  if (line.count == 0) source.fail(lines.end(), "there is no header: the first line is 'n m'");
  expect_words(source, line, 2, "the header", "n m");
  const int64_t n = read_order(source, line.words[0], dialect);
  return read_announced(source, lines, n, read_count(source, line.words[1], n, lines, dialect), dialect);
}

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

/// The words behind "%%MatrixMarket": an object, how it is stored, what the values are, and which symmetry it has.
const Dialect& read_banner(const ProblemSource& source) {
  constexpr std::string_view right = "the first line is '%%MatrixMarket matrix coordinate real symmetric'";
  Words words(source.text().substr(0, source.text().find('\n')));
  if (const auto first = words.next(); lower(first) != "%%matrixmarket")
    source.fail(0, "{} is no MatrixMarket file: {}", quote(first), right);
  const auto expect = [&](std::string_view what, std::initializer_list<std::string_view> choices,
                          std::string_view reason) {
    const std::string_view word = words.next();
    if (std::ranges::find(choices, lower(word)) == choices.end())
      source.fail(source.position(word), "{} {}: {}; {}", what,
                  word.empty() ? "is missing" : quote(word) + " is not read", reason, right);
    return lower(word);
  };
  expect("the object", {"matrix"}, "a graph is given by its matrix");
  expect("the form", {"coordinate"}, "edges are listed one by one");
  const std::string field = expect("the field", {"real", "integer", "pattern"}, "weights are real numbers");
  expect("the symmetry", {"symmetric"}, "the matrix of a graph is symmetric");
  return field == "pattern" ? unweighted : max_cut;
}

SparseMatrix read_matrix_market(ProblemSource& source) {
  const Dialect& dialect = read_banner(source);
  Lines lines(source, '%');
  const Line line = lines.next();
  if (line.count == 0) source.fail(lines.end(), "there is no line of sizes 'n n m' behind the comments");
  expect_words(source, line, 3, "the line of sizes", "n n m");
  const int64_t n = read_order(source, line.words[0], dialect);
  if (line.words[1] != line.words[0])
    source.fail(source.position(line.words[1]), "{} columns and {} rows: the matrix of a graph is square",
                quote(line.words[1]), quote(line.words[0]));
  return read_announced(source, lines, n, read_count(source, line.words[2], n, lines, dialect), dialect);
}

/// SPIN or BINARY, which the first line says.
bool reads_spins(const ProblemSource& source) {
  const std::string_view text = source.text();
  const std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::string_view right = "the first line is '# vartype=SPIN' or '# vartype=BINARY'";
  const size_t at = line.find("vartype");
  if (!line.starts_with('#') || at == std::string_view::npos)
    source.fail(0, "what the variables are is not said: {} (vartype_header=True in dimod)", right);
  Words words(line.substr(std::min(line.find_first_of("=:", at) + 1, line.size())));
  const std::string_view word = words.next();
  if (word != "SPIN" && word != "BINARY")
    source.fail(source.position(word), "{} is no type of a variable: {}", quote(word), right);
  return word == "SPIN";
}

SparseMatrix read_dimod(ProblemSource& source) {
  Lines lines(source, '#');
  std::vector<Entry> entries;
  int64_t n = 0;
  for (Line line = lines.next(); line.count > 0; line = lines.next()) {
    entries.push_back(read_entry(source, line, max_sparse_labels, dimod));
    n = std::max(n, entries.back().j + 1);
  }
  if (n == 0) source.fail(lines.end(), "there is no variable: a line is 'i j bias'");
  return source.symmetric(n, entries, dimod.first_index);
}

/// cut(u) = 1/2 sum_{i<j} w_ij - u'Au with A = w/4 and c = 0.
CanonicalProblem from_max_cut(const SparseMatrix& w) {
  CanonicalProblem problem;
  problem.objective = Objective::cut;
  problem.c = Eigen::VectorXd::Zero(w.rows());
  problem.objective_offset = w.sum() / 4;  // w holds each pair twice
  problem.A = PriorMatrix(SparseMatrix(0.25 * w));
  return problem;
}

/// With x = (1 + u)/2: x'Qx = 1'Q1/4 + u'Q1/2 + u'Qu/4, and the diagonal of Q gives u'Diag(Q)u/4 = tr Q/4.
/// So A = offdiag(Q)/4, c = -Q1/2 and x'Qx = (1'Q1 + tr Q)/4 - (u'c - u'Au).
CanonicalProblem from_qubo(const SparseMatrix& Q, Objective objective) {
  CanonicalProblem problem;
  problem.objective = objective;
  const Eigen::VectorXd row_sums = Q * Eigen::VectorXd::Ones(Q.cols());
  problem.c = -0.5 * row_sums;
  problem.objective_offset = (row_sums.sum() + Q.diagonal().sum()) / 4;
  problem.objective_sign = -1;
  problem.A = PriorMatrix(SparseMatrix(0.25 * Q)).without_diagonal();
  return problem;
}

/// dimod counts a pair once: the energy of spins is sum h_i u_i + sum_{i<j} J_ij u_i u_j, so A = J/2 and c = -h. That of
/// binary variables is x'Qx with half of each bias on either side of the diagonal.
CanonicalProblem from_dimod(const SparseMatrix& biases, bool spins) {
  const Eigen::VectorXd h = biases.diagonal();
  if (!spins) {
    const SparseMatrix Q = 0.5 * (biases + SparseMatrix(h.asDiagonal()));
    return from_qubo(Q, Objective::binary_energy);
  }
  CanonicalProblem problem;
  problem.objective = Objective::spin_energy;
  problem.c = -h;
  problem.objective_sign = -1;
  problem.A = PriorMatrix(SparseMatrix(0.5 * biases)).without_diagonal();
  return problem;
}

}  // namespace

CanonicalProblem parse_text(ProblemSource& source, ProblemFormat format) {
  switch (format) {
    case ProblemFormat::dimod: {
      const bool spins = reads_spins(source);
      return from_dimod(read_dimod(source), spins);
    }
    case ProblemFormat::matrix_market:
      return from_max_cut(read_matrix_market(source));
    case ProblemFormat::qubo:
      return from_qubo(read_headed(source, format), Objective::qubo);
    default:
      return from_max_cut(read_headed(source, format));
  }
}

}  // namespace concord
