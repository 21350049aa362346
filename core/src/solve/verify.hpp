// SPDX-License-Identifier: MIT
#pragma once
// Trust no plugin: what it says is computed again. A difference is an Error with Fault::plugin that names it.
#include <Eigen/Core>
#include <optional>
#include <string>

#include "problem/problem.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"

namespace concord {

/// Rounding errors of an objective: 1e-9 (1 + sum |c| + sum |A|).
double value_tolerance(const Eigen::VectorXd& c, const PriorMatrix& A);

/// Value, declared kind of moment, feasibility of u, and what the status claims.
/// `A` and `c` are those of the subproblem that was solved; `constant` is the constant of that subproblem.
void verify_solution(const Plugin& plugin, const RelaxedSolution& solution, const PriorMatrix& A,
                     const Eigen::VectorXd& c, std::optional<int64_t> k, double constant = 0);
void verify_solution(const Plugin& plugin, const RelaxedSolution& solution, const PriorMatrix& A,
                     const Eigen::VectorXd& c, const EqualityRows& rows, double constant);

/// A labelling that beats a proven bound refutes it.
void verify_bound(const Plugin& plugin, double bound, double value_of_labels, double tolerance);

/// Every label is -1 or +1, and k of them are +1.
void verify_labels(const std::string& plugin_id, const LabelVector& labels, std::optional<int64_t> k);

/// The labels that u already is, if it is integral and feasible.
std::optional<LabelVector> integral_labels(const Eigen::VectorXd& u, std::optional<int64_t> k);

}  // namespace concord
