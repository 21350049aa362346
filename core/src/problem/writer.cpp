// SPDX-License-Identifier: MIT
#include "problem/writer.hpp"

#include <fmt/format.h>
#include <iterator>

#include "base/error.hpp"

namespace concord {
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
