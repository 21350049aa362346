// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp_backend.hpp.
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/sdp_backend.hpp>
#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sdp_verify.hpp>

namespace concord::kit {

namespace detail {

/// The power of two of the largest entry, so that scaling by it rounds nothing.
inline int exponent_of(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

CONCORD_KIT_INLINE void check_sdp_prior(const Matrix& A) {
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i <= j; ++i) {
      if (!std::isfinite(A(i, j)) || A(i, j) != A(j, i))
        throw std::invalid_argument("A is not finite and symmetric at " + std::to_string(i) + ", " +
                                    std::to_string(j));
      if (i == j && A(i, i) != 0) throw std::invalid_argument("the diagonal of A is not zero");
    }
}

CONCORD_KIT_INLINE void solve_sdp(const Matrix& A, CardinalityForm form, double tol,
                                  const std::function<SdpAnswer(const SdpProblem&)>& solver,
                                  const Request& request, const Result& result, const Env& env) {
  const auto finish = [&](int32_t status, double value, double bound) {
    if (!std::isfinite(value) || std::isinf(bound)) throw std::runtime_error("the objective is not finite");
    result.finish(status, value, bound);
  };
  const auto optimal = [&](const Vector& u, double value) {
    result.factor(1) = u;
    finish(CONCORD_OPTIMAL, value, value);
  };
  const Vector c = request.c();
  const Index V = A.rows();
  if (c.size() != V) throw std::invalid_argument("c and A are of different sizes");
  if (!c.allFinite()) throw std::invalid_argument("c is not finite");
  const auto k = request.k();
  if (k && (*k < 0 || *k > V))
    return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
  const double largest = std::max(A.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff());
  if (largest == 0) return optimal(labels_of(c, k), 0);
  if (const auto best = optimum_at_once(A, c, k)) return optimal(best->u, best->value);

  const int exponent = exponent_of(largest);
  const auto scaled = [&](double x) { return std::ldexp(x, -exponent); };
  const Matrix scaled_A = A.unaryExpr(scaled);
  const Vector scaled_c = c.unaryExpr(scaled);
  SdpProblem problem{scaled_A, scaled_c};
  problem.form = form;
  if (k) problem.beta = beta_of(V, *k);

  SdpAnswer answer;
  auto interrupted = env.interruption();
  if (!interrupted) answer = solver(problem);
  if (answer.empty()) {
    if (!interrupted) interrupted = env.interruption();
    if (!interrupted) throw std::runtime_error("the solver returned no M");
    const Vector u = labels_of(c, k);
    result.factor(1) = u;
    result.message("interrupted before the solver had an answer: these are the labels of c alone");
    return finish(*interrupted, objective(A, c, u), std::numeric_limits<double>::quiet_NaN());
  }

  const Matrix F = verified_factor(problem, answer, tol);
  const double value = factor_value(problem, F);
  const double bound = std::max(value, proven_bound(problem, answer.y, answer.mu));
  result.factor(F.cols()) = F;
  const double gap = (bound - value) / std::max(std::abs(value), problem.scale());
  const bool closed = gap <= 10 * tol;
  if (!closed) {
    std::ostringstream text;
    text << "the certified relative gap is " << gap << ", and " << tol << " was asked for";
    if (!answer.remark.empty()) text << "; " << answer.remark;
    result.message(text.str());
  }
  finish(closed ? CONCORD_RELAXED : CONCORD_LIMIT, std::ldexp(value, exponent), std::ldexp(bound, exponent));
}

}  // namespace detail

}  // namespace concord::kit
