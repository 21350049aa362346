// SPDX-License-Identifier: MIT
#pragma once
// Problem files. Whatever is wrong in a file is Fault::input at FILE:LINE:COLUMN: what is there, and what would be right.
// Nothing is repaired silently.
#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <string_view>

#include "problem/problem.hpp"

namespace concord {

/// The most labels that a sparse format may announce: its text does not bound them.
inline constexpr int64_t max_sparse_labels = 1'000'000;

/// The format is chosen by the extension: .json, .mc .rud .txt (max-cut), .sparse .bqp (QUBO), .mtx (MatrixMarket), .coo
/// (dimod).
/// A file that cannot be read is an Error with Fault::io.
CanonicalProblem read_problem(const std::filesystem::path& file);

/// `name` stands for the file in error messages.
CanonicalProblem parse_problem(std::string_view text, const std::string& name, ProblemFormat format);

/// maximise u'c - u'Au as the .json that read_problem() reads, every number with its bits. "edges" if A has no
/// diagonal and at most a quarter of the pairs are coupled, else "A".
std::string problem_text(const Eigen::MatrixXd& A, const Eigen::VectorXd& c);

}  // namespace concord
