// SPDX-License-Identifier: MIT
#pragma once
// Random problems, for everyone who needs some: the conformance suite, tests and benchmarks. The same generator in the
// same state gives the same problem. A problem on which something fails is made small, so that a person can look at it.
#include <cmath>
#include <functional>
#include <optional>

#include <concord/kit/rng.hpp>

#include "problem/problem.hpp"

namespace concord {

/// A symmetric matrix without diagonal; draw() is asked for the entries below it, row by row.
template <class Draw>
Eigen::MatrixXd random_prior(int64_t V, PriorSign sign, Draw&& draw) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(V, V);
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double a = draw();
      A(i, j) = A(j, i) = sign == PriorSign::attractive  ? -std::abs(a)
                          : sign == PriorSign::repulsive ? std::abs(a)
                          : sign == PriorSign::none      ? 0
                                                         : a;
    }
  return A;
}

template <class Draw>
Eigen::VectorXd random_vector(int64_t V, Draw&& draw) {
  Eigen::VectorXd c(V);
  for (double& x : c) x = draw();
  return c;
}

/// -2, -1, 0, 1 or 2: many labellings tie.
double small_integer(kit::Rng& rng);
int64_t random_cardinality(kit::Rng& rng, int64_t V);
LabelVector random_labels(kit::Rng& rng, int64_t V, std::optional<int64_t> k = std::nullopt);

/// A has normal entries (or small integers) in about `density` of the pairs, c twice such entries. No cardinality.
CanonicalProblem random_problem(kit::Rng& rng, int64_t V, PriorSign sign, bool integers = false,
                                double density = 1);

/// c with no component on the bottom eigenspace of A and short enough that the sphere's multiplier is
/// lambda_min itself: the hard case of the spectral relaxation.
Eigen::VectorXd hard_term(const Eigen::MatrixXd& A, kit::Rng& rng);
/// Often with a bottom eigenspace of several dimensions.
Eigen::MatrixXd hard_prior(kit::Rng& rng, int64_t V, PriorSign sign);

/// c = 2 (A - lambda I) y with lambda < lambda_min: y is then the maximiser of u'c - u'Au on the sphere.
Eigen::VectorXd planted_term(const Eigen::MatrixXd& A, const LabelVector& y, kit::Rng& rng);
/// A problem whose relaxation to the sphere u'u = V, and every tighter one, is solved by the given labels.
struct Planted {
  CanonicalProblem problem;
  LabelVector labels;
};
Planted planted_problem(kit::Rng& rng, int64_t V, PriorSign sign, bool with_cardinality);

/// The smallest problem found that still fails: labels are taken out, the cardinality is dropped, entries
/// become 0, then numbers become round. Every step keeps the class of the prior (signs stay, nothing couples
/// that did not). At most `attempts` calls of `fails`. requires fails(problem)
CanonicalProblem shrink(CanonicalProblem problem, const std::function<bool(const CanonicalProblem&)>& fails,
                        int attempts);

}  // namespace concord
