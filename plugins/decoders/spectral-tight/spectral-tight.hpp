// SPDX-License-Identifier: MIT
#pragma once
// The decoder `spectral-tight`: the sphere relaxation of A + Diag(d), sum d = 0. The shift changes no +-1
// objective, so
//   f(d) = max { u'c - u'(A + Diag(d))u : u'u = V, rows }
// is a valid bound for every d; its infimum is the (lifted) semidefinite value. -u∘u is a subgradient of f, so
//   d <- d + eta (u∘u - 1),   eta = (f(d) - best known value) / ||u∘u - 1||^2
// is Polyak's step. The best f(d) is the bound.
//
// What is returned is not u: on the sphere of the shifted problem u'c - u'Au may exceed the bound, and such a
// u is no point of the relaxation whose value the bound is. The u of all steps are mixed into a moment with
// unit diagonal instead (mixture.hpp). It is feasible in the semidefinite relaxation for *every* c and A, so
// in training its dual objective stays below the primal one that uses the bound. When a labelling is better,
// that is returned.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <concord/kit/lapack.hpp>
#include <concord/kit/local_search.hpp>
#include <concord/kit/spectral.hpp>
#include <concord/plugin.hpp>

#include "mixture.hpp"

namespace concord::spectral_tight {

class SpectralTight {
 public:
  struct Options {
    int64_t steps;
    double tol;
  };
  static auto options() {
    return OptionList<Options>{opt("steps", &Options::steps, 20)
                                   .range(0, 1000)
                                   .help("shifts tried after d = 0, an eigendecomposition each"),
                               opt("tol", &Options::tol, 1e-6)
                                   .range(1e-12, 1)
                                   .help("relative gap between bound and value at which to stop")};
  }
  static Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_UNIT_DIAGONAL,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit SpectralTight(const Options& options) : options_(options) {}

  int64_t max_rank(int64_t labels) const { return std::min(options_.steps + 2, labels + 1); }

  void prepare(const Prior& prior) {
    A_ = prior.dense();
    unshifted_ = std::make_unique<kit::SpectralFactors>(A_, kit::lapack_algebra());
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    const int64_t V = request.labels();
    const Vector c = request.c();
    const double beta =
        request.row_count() == 0 ? std::numeric_limits<double>::quiet_NaN() : request.row(0).beta;
    Mixture mixture(V, options_.steps + 1);
    Best best;
    double bound = std::numeric_limits<double>::infinity();
    double damping = 1;
    int64_t stalled = 0;
    std::optional<int32_t> interrupted;
    Vector d = Vector::Zero(V);
    for (int64_t step = 0;; ++step) {
      Vector u(V);
      const double f = shifted_value(d, c, beta, u);
      // Polyak's rule needs the optimal value; with a value below it the steps are too long near the end.
      stalled = f < bound ? 0 : stalled + 1;
      if (stalled == 3) {
        damping /= 2;
        stalled = 0;
      }
      bound = std::min(bound, f);
      mixture.add(u);
      improve(best, c, beta, mixture, u);
      interrupted = env.interruption();
      if (interrupted || step == options_.steps || bound - best.value <= options_.tol * (1 + std::abs(bound)))
        break;
      const Vector excess = u.array().square() - 1;
      d += damping * (f - best.value) / excess.squaredNorm() * excess;
    }
    result.factor(best.F.cols()) = best.F;
    const bool proven = best.labels && bound - best.value <= 1e-9 * (1 + std::abs(best.value));
    result.finish(interrupted.value_or(proven ? CONCORD_OPTIMAL : CONCORD_RELAXED), best.value,
                  std::max(bound, best.value));
  }

 private:
  struct Best {
    Matrix F;
    double value = -std::numeric_limits<double>::infinity();
    bool labels = false;
  };

  double shifted_value(const Vector& d, const Vector& c, double beta, Vector& u) const {
    const kit::SpectralProblem problem{c.data(), beta};
    kit::SpectralAnswer answer{u.data(), 0, 0};
    if (d.isZero(0)) {
      kit::solve_spectral(*unshifted_, {&problem, 1}, {&answer, 1});
    } else {
      Matrix shifted = A_;
      shifted.diagonal() += d;
      kit::solve_spectral(kit::SpectralFactors(std::move(shifted), kit::lapack_algebra()), {&problem, 1},
                          {&answer, 1});
    }
    return answer.bound;
  }

  /// Keeps the better of what is known, the mixture, and u rounded and improved by flips or swaps.
  void improve(Best& best, const Vector& c, double beta, const Mixture& mixture, const Vector& u) const {
    const auto k = kit::k_of(c.size(), beta);
    const kit::LocalSearch rounded =
        kit::local_search(A_, c, kit::labels_of(u, k), k ? kit::Move::swap : kit::Move::flip, 10 * c.size(),
                          [] { return false; });
    if (rounded.value > best.value) best = {rounded.u, rounded.value, true};
    Matrix F = mixture.factor(beta);
    const double value = F.col(0).dot(c) - (A_ * F).cwiseProduct(F).sum();
    if (value > best.value && Mixture::residual(F, beta) <= 1e-9) best = {std::move(F), value, false};
  }

  Options options_;
  Matrix A_;
  std::unique_ptr<kit::SpectralFactors> unshifted_;
};

}  // namespace concord::spectral_tight
