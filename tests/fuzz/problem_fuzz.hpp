// SPDX-License-Identifier: MIT
#pragma once
// Parses arbitrary bytes as a problem. A concord::Error is the right answer to nonsense, any other exception
// is a finding, and so is a problem that breaks what the host relies on.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "problem/files.hpp"
#include "require.hpp"

namespace concord::fuzz {

inline void check_prior(const PriorMatrix& A) {
  if (!A.is_sparse()) {  // V^2 numbers were in the text, so this is cheap
    require(A.dense().rows() == A.labels() && A.dense().cols() == A.labels(), "A is square");
    require(A.dense() == A.dense().transpose(), "A is symmetric");
    return;
  }
  const SparseMatrix& sparse = A.sparse();
  require(sparse.rows() == A.labels() && sparse.cols() == A.labels(), "A is square");
  require(sparse.isCompressed(), "A is compressed");
  for (int64_t i = 0; i < sparse.rows(); ++i) {
    int64_t last = -1;
    for (SparseMatrix::InnerIterator entry(sparse, i); entry; ++entry) {
      require(entry.col() > last, "columns increase");
      last = entry.col();
      require(entry.col() != i, "a sparse prior has no diagonal");
      require(sparse.coeff(entry.col(), i) == entry.value(), "A is symmetric");
    }
  }
}

inline int parse(const uint8_t* data, size_t size, ProblemFormat format) {
  CanonicalProblem problem;
  try {
    problem = parse_problem({reinterpret_cast<const char*>(data), size}, "fuzz", format);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Fault::input, "an error in a text is an input error");
    require(message.starts_with("fuzz:"), "an error says where");
    for (const char letter : message) require(letter >= ' ' && letter <= '~', "an error is printable");
    return 0;
  }
  const int64_t V = problem.labels();
  require(V >= 1, "there is a label");
  require(problem.c.size() == V, "c has V entries");
  require(!problem.k || (*problem.k >= 0 && *problem.k <= V), "0 <= k <= V");
  require(problem.c.allFinite() && std::isfinite(problem.objective_offset), "c and offset are finite");
  require(std::isfinite(problem.A.abs_sum()), "A is finite");
  check_prior(problem.A);
  const double value = problem.value(Eigen::VectorXd::Ones(V));
  require(std::isfinite(problem.file_objective(value)), "the objective is finite");
  return 0;
}

}  // namespace concord::fuzz
