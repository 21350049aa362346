// SPDX-License-Identifier: MIT
// A decoder's own solve_family against the host's loop over its solve.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check/examine.hpp"
#include "check/problems.hpp"
#include "error.hpp"
#include "verify.hpp"

namespace concord::check {
namespace {

/// Subproblem s as a problem of its own, without its constant.
CanonicalProblem subproblem(const CanonicalProblem& base, const FamilyData& family, int64_t s) {
  CanonicalProblem one = base;
  one.c += family.D * family.t.col(s);
  if (family.rows.cols() > 0 && !std::isnan(family.beta(0, s)))
    one.k = static_cast<int64_t>((family.beta(0, s) + static_cast<double>(base.labels())) / 2);
  return one;
}

double family_optimum(const CanonicalProblem& base, const FamilyData& family) {
  double best = -std::numeric_limits<double>::infinity();
  for (int64_t s = 0; s < family.size(); ++s)
    best = std::max(best, family.constants[s] + optimum(subproblem(base, family, s)));
  return best;
}

/// What is wrong with the native answer, or nothing.
std::optional<std::string> fault_of_family(const Plugin& plugin, const RelaxedSolution& native,
                                           const RelaxedSolution& loop, const CanonicalProblem& base,
                                           const FamilyData& family) {
  if (native.has_point() != loop.has_point())
    return fmt::format("solve_family answers '{}', the loop over solve '{}'", status_name(native.status),
                       status_name(loop.status));
  if (!native.has_point()) return std::nullopt;
  const CanonicalProblem winner = subproblem(base, family, native.subproblem);
  const double constant = family.constants[native.subproblem];
  const double tolerance =
      2 * value_tolerance(winner.c, base.A) + value_tolerance(base.c, base.A) + 1e-9 * std::abs(constant);
  // A heuristic may find another labelling when it sees the whole family; what it says of it is held to below.
  const bool heuristic = plugin.capabilities().guarantee == CONCORD_HEURISTIC;
  if (!heuristic && std::abs(native.value - loop.value) > tolerance)
    return fmt::format("solve_family has the value {:.12g} (subproblem {}), the loop over solve {:.12g} ({})",
                       native.value, native.subproblem, loop.value, loop.subproblem);
  try {
    verify_solution(plugin, native, base.A, winner.c, winner.k, constant);
  } catch (const Error& e) {
    return "in solve_family it " + without_id(e.what());
  }
  const double best = family_optimum(base, family);
  if (native.bound < best - tolerance)
    return fmt::format("solve_family returned a false bound: {}, but a subproblem reaches {}", native.bound,
                       best);
  if (native.status == CONCORD_OPTIMAL && native.value < best - tolerance)
    return fmt::format("solve_family claims that {} is optimal, but a subproblem reaches {}", native.value,
                       best);
  if (native.solved + native.pruned > family.size())
    return fmt::format("solve_family counts {} solved and {} pruned of {} subproblems", native.solved,
                       native.pruned, family.size());
  return std::nullopt;
}

std::string family(Subject& subject) {
  const Plugin& plugin = subject.plugin();
  const Scope scope = Scope::of(plugin);
  const auto decoder = make_decoder(subject);
  if (!decoder->has_native_family()) throw Skip("it has no solve_family: the host loops");
  kit::Rng rng(subject.seed_of("family"));
  int64_t done = 0;
  for (int i = 0; i < 300 && !subject.time_is_short(); ++i) {
    const CanonicalProblem base = random_problem(scope, rng, scope.labels(1 + i % 8), false);
    decoder->prepare(base.A);
    for (const auto kind : {FamilyShapeKind::f_beta, FamilyShapeKind::single, FamilyShapeKind::general}) {
      const FamilyData data = random_family(scope, rng, base.labels(), kind);
      const Instance instance = instance_of(base, subject);
      const RelaxedSolution native = decoder->solve_family(instance, data);
      const RelaxedSolution loop = decoder->solve_family_by_loop(instance, data);
      if (const auto fault = fault_of_family(plugin, native, loop, base, data))
        throw Failure(fmt::format("{} (V = {}, {} subproblems, {} directions)", *fault, base.labels(),
                                  data.size(), data.D.cols()));
      ++done;
    }
  }
  return fmt::format("{} families", done);
}

}  // namespace

std::vector<Test> family_tests() {
  return {
      {"family",
       "Its own solve_family gives what the host's loop over its solve gives (a heuristic's: a true value).",
       family}};
}

}  // namespace concord::check
