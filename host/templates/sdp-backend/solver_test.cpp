// SPDX-License-Identifier: MIT
// The solver by itself, without a host or a worker: what it returns passes the kit's checks, and bounds every labelling, also
// when it is cut short.
#include "solver.hpp"

#include <cstdio>
#include <vector>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sdp_verify.hpp>

namespace kit = concord::kit;

/// Whether one problem is solved well; says what is wrong if not.
static bool good(const kit::SdpProblem& problem, std::optional<kit::Index> k, int64_t iterations) {
  kit::SdpWork work;
  work.tol = 1e-4;
  work.options = kit::SdpSettings({{"iterations", CONCORD_INT, iterations, 0, "", {}}});
  const kit::SdpAnswer answer = solve(problem, work);
  const double bound = kit::proven_bound(problem, answer.y, answer.mu);
  const double best = kit::enumerate(problem.A, problem.c, k, [] { return false; }).value;
  const bool valid = bound >= best;
  double gap = 0;
  if (iterations > 1000) {
    const double value = kit::factor_value(problem, kit::verified_factor(problem, answer, work.tol));
    gap = (bound - value) / std::max(std::abs(value), problem.scale());
  }
  if (!valid || gap > 10 * work.tol)
    std::printf("V = %d, %d iterations: best labelling %g, bound %g, gap %g\n",
                static_cast<int>(problem.labels()), static_cast<int>(iterations), best, bound, gap);
  return valid && gap <= 10 * work.tol;
}

int main() {
  kit::Rng rng(1);
  int failed = 0, solved = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const auto V = static_cast<kit::Index>(3 + rng.below(7));
    kit::Matrix A = kit::Matrix::NullaryExpr(V, V, [&] { return rng.normal() / 4; });
    A = (A + A.transpose()).eval() / 2;
    A.diagonal().setZero();
    const kit::Vector c = kit::Vector::NullaryExpr(V, [&] { return rng.normal() / 4; });
    kit::SdpProblem problem{A, c};
    std::optional<kit::Index> k;
    if (repeat % 3 > 0) {
      k = static_cast<kit::Index>(1 + rng.below(static_cast<uint64_t>(V) - 1));
      problem.beta = kit::beta_of(V, *k);
      problem.form = repeat % 3 == 1 ? kit::CardinalityForm::lifted : kit::CardinalityForm::row;
    }
    for (const int64_t iterations : {20000, 1, 7}) {
      failed += good(problem, k, iterations) ? 0 : 1;
      ++solved;
    }
  }
  std::printf("%d of %d problems failed\n", failed, solved);
  return failed == 0 ? 0 : 1;
}
