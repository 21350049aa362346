// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation of kit/sdp.hpp solved on its low-rank factor, to a certified gap.
//
// Sweeps of coordinate ascent (kit/mixing_ascent.hpp) end only when one Cholesky factorisation proves the gap:
// with y_i = |g_i| (lifted: y_i = x_i'g_i) and R = sum y - value, a positive definite
//   Diag(y) + delta I - C,   delta = (allowed gap - R)/n,
// means lambda_max(C - Diag y) <= delta, so the bound sum y + n delta is the value plus the allowed gap. The
// attempt costs as much as a few sweeps and is made when the residual of a sweep is small enough. The sweeps
// run in single precision, which reaches a relative gap of about 1e-7, unless a smaller one is asked for; the
// factor, the value and the certificate are in double precision.
//
// Labels that mostly repel each other add a term -mu |s|^2, s = sum_v w_v x_v. For many labels this term is
// far stiffer than all others: a sweep would do little more than carry its error from one label to the next.
// Since
//   -mu |s|^2 = min_z |z|^2/mu - 2 z's,
// the term is treated like a constraint s = z/mu, by the multiplier z and a penalty rho < mu that suits the
// other terms.
#include <cstdint>
#include <functional>

#include <concord/kit/mixing_prior.hpp>
#include <concord/kit/sdp.hpp>

namespace concord::kit {

struct MixingOptions {
  double tol = 1e-3;                   ///< certified gap, relative to max(|value|, |C|_F)
  int64_t max_sweeps = 100000;         ///< then the bound is what it is
  Definite definite = eigen_definite;  ///< how certificates are factorised
};

struct MixingAnswer {
  Matrix X;  ///< rank x n, unit columns; obeys the cardinality
  double value = 0;
  double bound = 0;  ///< never below the optimum over labellings
  bool certified = false;
  int64_t sweeps = 0;
  int64_t certificates = 0;  ///< tried

  /// The point, with what is known of it; the counts stay.
  void take(const Matrix& point, double its_value, double its_bound, bool is_certified) {
    X = point;
    value = its_value;
    bound = its_bound;
    certified = is_certified;
  }
};

/// What a solve may start from, and leaves for the next one of the same V: empty at first.
struct MixingStart {
  Eigen::MatrixXf X;  ///< rank x n
  Eigen::VectorXf z;  ///< the multiplier of a cardinality
};

/// Solves one problem, 1'u = beta (NaN: none). stop() is called every few sweeps; when it returns true the
/// answer is what there is, without a bound. `start`, if given, is read and rewritten.
/// requires |beta| < V and a labelling with that sum
MixingAnswer solve_mixing(const MixingPrior& prior, const VectorRef& c, double beta, CardinalityForm form,
                          const MixingOptions& options, MixingStart* start,
                          const std::function<bool()>& stop);

}  // namespace concord::kit

#include <concord/kit/mixing_solver.hpp>
