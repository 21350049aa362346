// SPDX-License-Identifier: MIT
#pragma once
// All subproblems of a family at once,
//   max over s of constant_s + max_u { u'(c + D t_s) - u'Au : 1'u = beta_s },
// each relaxed to the sphere. With u = a_s 1 + w the rotated linear terms are combinations of a few vectors,
//   c_s = X x_s,  X = [E'c, E'D, E'A1],  x_s = (1, t_s, -2 a_s),
// so for one mu and g = 1/(d + mu) the small Gram matrix S = X' Diag(g) X bounds every subproblem in O(1):
//   UB_s = base_s + x_s' S x_s / 4 - (lambda_min - mu) R_s^2,
//   base_s = constant_s + a_s 1'(c + D t_s) - a_s^2 1'A1.
// Solve the s of largest UB, bound all with its mu, stop when no UB exceeds the best value: of the V + 1
// subproblems of F-beta about four are solved.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <concord/kit/spectral.hpp>

namespace concord::kit {

struct SpectralFamily {
  const double* c = nullptr;             ///< V
  Index subproblems = 1;                 ///< n
  Index directions = 0;                  ///< m
  const double* D = nullptr;             ///< V x m
  const double* constants = nullptr;     ///< n
  const double* coefficients = nullptr;  ///< m x n: column s is t_s
  const double* beta = nullptr;  ///< n, NaN for no constraint; null: none at all. requires |beta| <= V

  double beta_of(Index s) const {
    return beta == nullptr ? std::numeric_limits<double>::quiet_NaN() : beta[s];
  }
};

struct FamilyAnswer {
  double* u = nullptr;       ///< in: room for V numbers; out: of the winning subproblem
  double* bounds = nullptr;  ///< in: room for n numbers, or null; out: an upper bound of every subproblem
  double value = 0;
  double bound = 0;  ///< on the maximum over all subproblems; never below value
  Index subproblem = 0;
  Index solved = 0;
  Index pruned = 0;
};

namespace detail {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The best subproblem so far. Values that differ by rounding only are ties, and ties go to the smallest s.
struct FamilyLeader {
  double top = -infinity;  ///< the largest value seen
  double value = -infinity;
  Index subproblem = std::numeric_limits<Index>::max();

  static double below(double x) { return std::isinf(x) ? x : x - 1e-12 * std::abs(x); }
  /// A subproblem bounded by this cannot win.
  bool excludes(double bound) const { return bound < below(top); }
  /// True if s is the winner now.
  bool offer(double candidate, Index s) {
    const bool wins = candidate >= below(top) && (s < subproblem || value < below(candidate));
    top = std::max(top, candidate);
    if (wins) {
      value = candidate;
      subproblem = s;
    }
    return wins;
  }
};

}  // namespace detail

/// Solves all families for one A; answers[i] belongs to families[i]. Without `prune` every subproblem is
/// solved, and the answer is the same.
void solve_spectral_families(const SpectralFactors& factors, std::span<const SpectralFamily> families,
                             std::span<FamilyAnswer> answers, bool prune = true);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/spectral_family.hpp>
#endif
