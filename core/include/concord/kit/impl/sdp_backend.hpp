// SPDX-License-Identifier: MIT
#pragma once
// The definitions of kit/sdp_backend.hpp.
#include <cmath>
#include <limits>
#include <optional>
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

CONCORD_KIT_INLINE void check_sdp_prior(const SparseRows& A) {
  const SparseRows other = A.transpose();
  for (Index i = 0; i < A.rows(); ++i) {
    SparseRows::InnerIterator back(other, i);
    for (SparseRows::InnerIterator it(A, i); it; ++it, ++back) {
      if (!back || back.index() != it.index() || back.value() != it.value() || !std::isfinite(it.value()))
        throw std::invalid_argument("A is not finite and symmetric at " + std::to_string(i) + ", " +
                                    std::to_string(it.index()));
      if (it.index() == i && it.value() != 0) throw std::invalid_argument("the diagonal of A is not zero");
    }
    if (back) throw std::invalid_argument("A is not symmetric in row " + std::to_string(i));
  }
}

inline double proven_bound(const SdpProblem& problem, const SdpAnswer& answer) {
  return kit::proven_bound(problem, answer.y, answer.mu);
}
inline double proven_bound(const SparseSdpProblem& problem, const SdpAnswer& answer) {
  return kit::proven_bound(problem, answer.y);
}
inline Matrix verified(const SdpProblem& problem, const SdpAnswer& answer, double tol) {
  return verified_factor(problem, answer, tol);
}
inline Matrix verified(const SparseSdpProblem& problem, const SdpAnswer& answer, double) {
  return verified_factor(problem, answer);
}

/// A result in the units of the request; the problem is divided by 2^exponent.
class SdpResult {
 public:
  SdpResult(const Result& result, int exponent) : result_(result), exponent_(exponent) {}

  void finish(int32_t status, double value, double bound) const {
    value = std::ldexp(value, exponent_);
    bound = std::ldexp(bound, exponent_);
    if (!std::isfinite(value) || std::isinf(bound)) throw std::runtime_error("the objective is not finite");
    result_.finish(status, value, bound);
  }
  void optimal(const Vector& u, double value) const {
    result_.factor(1) = u;
    finish(CONCORD_OPTIMAL, value, value);
  }
  /// Where the solver has no M: the labels of c, which are a point of the relaxation, too.
  template <class Problem>
  void labels_alone(int32_t status, const Problem& problem, const std::optional<int64_t>& k, double bound,
                    const std::string& why) const {
    const Vector u = labels_of(problem.c, k);
    result_.factor(1) = u;
    result_.message(why + ": these are the labels of c alone");
    const double value = factor_value(problem, u);
    finish(status, value, std::isnan(bound) ? bound : std::max(value, bound));
  }

 private:
  const Result& result_;
  int exponent_;
};

/// From the solver's answer to the result. requires an answer that is not empty
template <class Problem>
void judge(const Problem& problem, const SdpAnswer& answer, double tol, const std::optional<int64_t>& k,
           const SdpResult& out, const Result& result, const Env& env) {
  const auto by_y_alone = [&](const std::string& why) {
    check_dual(problem.order(), answer);
    out.labels_alone(env.interruption().value_or(CONCORD_LIMIT), problem, k, proven_bound(problem, answer),
                     (answer.remark.empty() ? "" : answer.remark + "; ") + why);
  };
  if (!answer.has_point()) return by_y_alone("the solver was cut short, and its y is a bound");
  Matrix F;
  try {
    F = verified(problem, answer, tol);
  } catch (const std::runtime_error& fault) {
    if (!answer.cut) throw;
    return by_y_alone("the solver was cut short, and has no M that would do");
  }
  const double value = factor_value(problem, F);
  const double bound = std::max(value, proven_bound(problem, answer));
  result.factor(F.cols()) = F;
  const double gap = (bound - value) / std::max(std::abs(value), problem.scale());
  const bool closed = gap <= 10 * tol;
  if (!closed) {
    std::ostringstream text;
    text << "the certified relative gap is " << gap << ", and " << tol << " was asked for";
    if (!answer.remark.empty()) text << "; " << answer.remark;
    result.message(text.str());
  }
  out.finish(closed ? CONCORD_RELAXED : CONCORD_LIMIT, value, bound);
}

/// The solver's answer, and what becomes of it.
template <class Problem>
void solve_scaled(const Problem& problem, double tol, const std::function<SdpAnswer(const Problem&)>& solver,
                  const std::optional<int64_t>& k, const SdpResult& out, const Result& result,
                  const Env& env) {
  SdpAnswer answer;
  auto interrupted = env.interruption();
  if (!interrupted) answer = solver(problem);
  if (!answer.empty()) return judge(problem, answer, tol, k, out, result, env);
  if (!interrupted) interrupted = env.interruption();
  if (!interrupted) throw std::runtime_error("the solver returned no M and no y");
  out.labels_alone(*interrupted, problem, k, std::numeric_limits<double>::quiet_NaN(),
                   "interrupted before the solver had an answer");
}

/// c of the right size; throws else.
inline Vector checked_c(const Request& request, Index V) {
  const Vector c = request.c();
  if (c.size() != V) throw std::invalid_argument("c and A are of different sizes");
  if (!c.allFinite()) throw std::invalid_argument("c is not finite");
  return c;
}

CONCORD_KIT_INLINE void solve_sdp(const Matrix& A, CardinalityForm form, double tol,
                                  const std::function<SdpAnswer(const SdpProblem&)>& solver,
                                  const Request& request, const Result& result, const Env& env) {
  const Index V = A.rows();
  const Vector c = checked_c(request, V);
  const auto k = request.k();
  if (k && (*k < 0 || *k > V))
    return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
  const double largest = std::max(A.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff());
  if (largest == 0) return SdpResult(result, 0).optimal(labels_of(c, k), 0);
  if (const auto best = optimum_at_once(A, c, k)) return SdpResult(result, 0).optimal(best->u, best->value);

  const int exponent = exponent_of(largest);
  const auto scaled = [&](double x) { return std::ldexp(x, -exponent); };
  const Matrix scaled_A = A.unaryExpr(scaled);
  const Vector scaled_c = c.unaryExpr(scaled);
  SdpProblem problem{scaled_A, scaled_c};
  problem.form = form;
  if (k) problem.beta = beta_of(V, *k);
  solve_scaled(problem, tol, solver, k, SdpResult(result, exponent), result, env);
}

CONCORD_KIT_INLINE void solve_sdp(const SparseRows& A, double tol,
                                  const std::function<SdpAnswer(const SparseSdpProblem&)>& solver,
                                  const Request& request, const Result& result, const Env& env) {
  const Index V = A.rows();
  const Vector c = checked_c(request, V);
  const double most = A.nonZeros() > 0 ? A.coeffs().cwiseAbs().maxCoeff() : 0;
  const double largest = std::max(most, c.cwiseAbs().maxCoeff());
  if (largest == 0) return SdpResult(result, 0).optimal(labels_of(c, {}), 0);
  if (V <= 2)
    if (const auto best = optimum_at_once(Matrix(A), c, {}))
      return SdpResult(result, 0).optimal(best->u, best->value);

  const int exponent = exponent_of(largest);
  const auto scaled = [&](double x) { return std::ldexp(x, -exponent); };
  SparseRows scaled_A = A;
  scaled_A.coeffs() = A.coeffs().unaryExpr(scaled);
  const Vector scaled_c = c.unaryExpr(scaled);
  solve_scaled(SparseSdpProblem{scaled_A, scaled_c}, tol, solver, {}, SdpResult(result, exponent), result,
               env);
}

}  // namespace detail

}  // namespace concord::kit
