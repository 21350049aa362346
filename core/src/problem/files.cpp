// SPDX-License-Identifier: MIT
#include "problem/files.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include "base/error.hpp"
#include "base/files.hpp"
#include "problem/source.hpp"

namespace concord {

namespace {

ProblemFormat format_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (extension == ".json") return ProblemFormat::json;
  if (extension == ".mc" || extension == ".rud" || extension == ".txt") return ProblemFormat::max_cut;
  if (extension == ".sparse" || extension == ".bqp") return ProblemFormat::qubo;
  if (extension == ".mtx") return ProblemFormat::matrix_market;
  if (extension == ".coo") return ProblemFormat::dimod;
  fail(Fault::input, About{file.string()},
       "the extension {} is not one of a problem file: .json (A or edges, b), .mc .rud .txt (max-cut), "
       ".sparse .bqp (QUBO), .mtx (MatrixMarket, max-cut) or .coo (dimod) is expected",
       quote(extension));
}

}  // namespace

CanonicalProblem read_problem(const std::filesystem::path& file) {
  const ProblemFormat format = format_of(file);
  return parse_problem(read_whole_file(file), file.string(), format);
}

CanonicalProblem parse_problem(std::string_view text, const std::string& name, ProblemFormat format) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  ProblemSource source(text, name);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) source.fail(0, "the file is empty");
  // The JSON parser would take a zero byte for the end of the file, and ignore what follows.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    source.fail(zero, "{} is no character of a text: a problem file is plain text",
                quote(text.substr(zero, 1)));
  }
  return format == ProblemFormat::json ? parse_json(source) : parse_text(source, format);
}

namespace {

void append_edges(const Eigen::MatrixXd& A, std::string& text) {
  const char* separator = "";
  for (int64_t i = 0; i < A.rows(); ++i)
    for (int64_t j = i + 1; j < A.cols(); ++j) {
      if (A(i, j) == 0) continue;
      fmt::format_to(std::back_inserter(text), "{}\n  [{}, {}, {}]", separator, i, j, A(i, j));
      separator = ",";
    }
}

void append_rows(const Eigen::MatrixXd& A, std::string& text) {
  for (int64_t i = 0; i < A.rows(); ++i) {
    const Eigen::VectorXd row = A.row(i);
    fmt::format_to(std::back_inserter(text), "{}\n  [{}]", i == 0 ? "" : ",",
                   fmt::join(row.begin(), row.end(), ", "));
  }
}

}  // namespace

std::string problem_text(const Eigen::MatrixXd& A, const Eigen::VectorXd& c) {
  if (!A.allFinite() || !c.allFinite()) fail(Fault::input, "the problem has a number that is not finite");
  const bool has_diagonal = !A.diagonal().isZero(0);
  const bool sparse = !has_diagonal && (A.array() != 0).count() * 4 <= A.size();
  std::string text =
      fmt::format("{{\"b\": [{}],\n \"{}\": [", fmt::join(c.begin(), c.end(), ", "), sparse ? "edges" : "A");
  sparse ? append_edges(A, text) : append_rows(A, text);
  return text + "]}\n";
}

}  // namespace concord
