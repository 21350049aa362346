// SPDX-License-Identifier: MIT
// Families: a decoder's own solve_family against the host's loop over its solve, and both against enumeration.
#include <algorithm>
#include <cmath>
#include <limits>

#include <concord/kit/enumeration.hpp>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "solve/verify.hpp"

namespace concord::check {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// c + D t_s
Eigen::VectorXd linear_term(const CanonicalProblem& base, const FamilyData& family, int64_t s) {
  return base.c + family.D * family.t.col(s);
}

/// By enumeration; -infinity if no subproblem has a labelling.
double family_optimum(const CanonicalProblem& base, const FamilyData& family) {
  const Eigen::MatrixXd A = base.A.to_dense();
  double best = kNone;
  for (int64_t s = 0; s < family.size(); ++s) {
    const EqualityRows rows = family.rows_of(s);
    const auto feasible = [&](const Eigen::VectorXd& u) {
      for (int64_t r = 0; r < rows.beta.size(); ++r)
        if (!kit::on_row(rows.E.col(r), rows.beta[r], u)) return false;
      return true;
    };
    const double value = kit::enumerate(
                             A, linear_term(base, family, s), std::nullopt, [] { return false; }, feasible)
                             .value;
    best = std::max(best, family.constants[s] + value);
  }
  return best;
}

/// What is wrong with the native answer, or nothing.
std::optional<std::string> fault_of_family(const Plugin& plugin, const RelaxedSolution& native,
                                           const RelaxedSolution& loop, const CanonicalProblem& base,
                                           const FamilyData& family) {
  if (native.has_point() != loop.has_point())
    return fmt::format("solve_family answers '{}', the loop over solve '{}'", status_name(native.status),
                       status_name(loop.status));
  const double best = family_optimum(base, family);
  if (!native.has_point())
    return best == kNone ? std::nullopt
                         : std::optional(fmt::format("answers '{}', but a subproblem has labels of value {}",
                                                     status_name(native.status), best));
  const Eigen::VectorXd c = linear_term(base, family, native.subproblem);
  const double constant = family.constants[native.subproblem];
  const double tolerance =
      2 * value_tolerance(c, base.A) + value_tolerance(base.c, base.A) + 1e-9 * std::abs(constant);
  // A heuristic may find another labelling when it sees the whole family; what it says of it is held to below.
  const bool heuristic = plugin.capabilities().guarantee == CONCORD_HEURISTIC;
  if (!heuristic && std::abs(native.value - loop.value) > tolerance)
    return fmt::format("solve_family has the value {:.12g} (subproblem {}), the loop over solve {:.12g} ({})",
                       native.value, native.subproblem, loop.value, loop.subproblem);
  try {
    verify_solution(plugin, native, base.A, c, family.rows_of(native.subproblem), constant);
  } catch (const Error& e) {
    return "of a family it " + complaint(e, plugin.id());
  }
  if (native.bound < best - tolerance)
    return fmt::format("returned a false bound of a family: {}, but a subproblem reaches {}", native.bound,
                       best);
  if (native.status == CONCORD_OPTIMAL && native.value < best - tolerance)
    return fmt::format("claims that {} is the optimum of a family, but a subproblem reaches {}", native.value,
                       best);
  if (native.solved + native.pruned > family.size())
    return fmt::format("solve_family counts {} solved and {} pruned of {} subproblems", native.solved,
                       native.pruned, family.size());
  return std::nullopt;
}

/// Every shape in turn; a native solve_family is held against the loop, and the loop against enumeration.
std::string sweep(Subject& subject, const char* name, const std::vector<FamilyShapeKind>& shapes) {
  const Plugin& plugin = subject.plugin();
  const Scope scope = Scope::of(plugin);
  const auto decoder = make_decoder(subject);
  kit::Rng rng(subject.seed_of(name));
  int64_t done = 0;
  for (int i = 0; i < 300 && !subject.time_is_short(); ++i) {
    const CanonicalProblem base = problem_in(scope, rng, scope.labels(1 + i % 8), false);
    decoder->prepare(base.A);
    for (const auto shape : shapes) {
      const FamilyData data = random_family(scope, rng, base.labels(), shape);
      const Instance instance = instance_of(base, subject);
      const RelaxedSolution loop = decoder->solve_family_by_loop(instance, data);
      auto fault = fault_of_family(plugin, loop, loop, base, data);
      if (!fault && decoder->has_native_family())
        fault = fault_of_family(plugin, decoder->solve_family(instance, data), loop, base, data);
      if (fault)
        throw Failure(fmt::format("{} (V = {}, {} subproblems, {} directions, {} rows)", *fault,
                                  base.labels(), data.size(), data.D.cols(), data.rows.cols()));
      ++done;
    }
  }
  return fmt::format("{} families", done);
}

std::string rows(Subject& subject) {
  const Scope scope = Scope::of(subject.plugin());
  if (!scope.subset) throw Skip("it declares that it takes no equality rows but a cardinality");
  std::vector<FamilyShapeKind> shapes{FamilyShapeKind::subset};
  if (scope.rows) shapes.push_back(FamilyShapeKind::rows);
  return sweep(subject, "rows", shapes);
}

std::string family(Subject& subject) {
  if (!make_decoder(subject)->has_native_family()) throw Skip("it has no solve_family: the host loops");
  return sweep(subject, "family",
               {FamilyShapeKind::f_beta, FamilyShapeKind::single, FamilyShapeKind::general});
}

}  // namespace

std::vector<Test> family_tests() {
  return {
      {"family",
       "Its own solve_family gives what the host's loop over its solve gives (a heuristic's: a true value).",
       family},
      {"rows",
       "Equality rows, of the class that it declares, are obeyed: claims hold against enumeration, and what "
       "has no "
       "labelling is infeasible.",
       rows}};
}

}  // namespace concord::check
