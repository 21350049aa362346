// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp_sparse.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/impl/sdp_verify.hpp>
#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sdp_sparse.hpp>
#include <concord/kit/sparse_cholesky.hpp>

namespace concord::kit {

CONCORD_KIT_INLINE double SparseSdpProblem::scale() const {
  return std::sqrt(A.squaredNorm() + c.squaredNorm() / 2);
}

CONCORD_KIT_INLINE double factor_value(const SparseSdpProblem& problem, const Matrix& F) {
  return F.col(0).dot(problem.c) - (problem.A * F).cwiseProduct(F).sum();
}

CONCORD_KIT_INLINE double proven_bound(const SparseSdpProblem& problem, const Vector& y) {
  constexpr Index most_dense_labels = 300;
  if (problem.labels() > most_dense_labels) return proven_bound_by_factorisations(problem, y);
  const Matrix A = problem.A;
  return proven_bound(SdpProblem{A, problem.c}, y);
}

/// Diag(y) + delta I - C positive definite says lambda_max(C - Diag y) <= delta. A factorisation of S that succeeds is exact
/// for S + E, |E| <= (n + 1) eps tr S, in whatever order of labels and of sums. The sums of y add less than that again.
CONCORD_KIT_INLINE double proven_bound_by_factorisations(const SparseSdpProblem& problem, const Vector& y) {
  const Index V = problem.labels();
  const auto n = static_cast<double>(problem.order());
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto bound = [&](double delta) {
    const double trace = y.lpNorm<1>() + n * std::abs(delta);
    return y.sum() + n * delta + 4 * n * (n + 8) * epsilon * trace;
  };
  const Vector h = problem.c / 2;
  Vector reach = Vector::Zero(V + 1);  // sum_j |C_ij|
  for (Index v = 0; v < V; ++v)
    for (SparseRows::InnerIterator it(problem.A, v); it; ++it) reach[v] += std::abs(it.value());
  reach.head(V) += h.cwiseAbs();
  reach[V] = h.lpNorm<1>();
  const double top = (reach - y).maxCoeff();  // Gershgorin: enough without a factorisation
  const double floor = -y.minCoeff();         // C has a zero diagonal: nothing below is enough
  const double least = 1e-9 * std::max(reach.maxCoeff(), y.lpNorm<Eigen::Infinity>());
  if (!std::isfinite(top) || !std::isfinite(floor) || !(least > 0)) return bound(top);

  SparseCholesky factor(problem.A, 1, h);
  const auto definite = [&](double delta) { return factor.is_definite(y.array() + delta); };
  // Of a y that is nearly optimal the right delta is about 0, of a slack one it is below.
  double good = top, bad = floor;
  double step = least;
  if (least < top && definite(least)) {
    good = least;
    while (-step > floor) {
      if (!definite(-step)) {
        bad = -step;
        break;
      }
      good = -step;
      step *= 4;
    }
  } else {
    while ((step *= 4) < top) {
      if (definite(step)) {
        good = step;
        break;
      }
      bad = std::max(bad, step);
    }
  }
  for (int halving = 0; halving < 6; ++halving) {
    const double middle = (good + bad) / 2;
    (definite(middle) ? good : bad) = middle;
  }
  return std::min(bound(good), bound(top));
}

CONCORD_KIT_INLINE Matrix verified_factor(const SparseSdpProblem& problem, const SdpAnswer& answer) {
  const Index n = problem.order();
  if (answer.M.size() > 0) detail::sdp_fault("A is sparse, and M is dense; its factor X is asked for");
  if (answer.X.cols() != n) detail::sdp_fault("the factor of M has ", answer.X.cols(), " columns, not ", n);
  detail::check_dual(n, answer);
  if (!answer.X.allFinite()) detail::sdp_fault("X has an entry that is not finite");
  const Vector diagonal = answer.X.colwise().squaredNorm();
  Index i = 0;
  if ((diagonal.array() - 1).abs().maxCoeff(&i) > kSdpSlack)
    detail::sdp_fault("the diagonal of M is not 1, entry ", i, " is ", diagonal[i]);
  Matrix X = answer.X;
  detail::scale_columns(X);
  Matrix F = factor_of(X);
  detail::check_objective(factor_value(problem, F), answer.objective, problem.scale());
  return F;
}

}  // namespace concord::kit
