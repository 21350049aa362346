// SPDX-License-Identifier: MIT
// A rounding makes feasible labels of any relaxed solution, never worse than those it started from.

#include <concord/kit/enumeration.hpp>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "solve/rounding.hpp"

namespace concord::check {
namespace {

/// A problem with a relaxed solution of it.
struct Case {
  CanonicalProblem problem;
  RelaxedSolution relaxed;
  std::string what;

  std::string where() const { return fmt::format("{}, {}", what, size_of(problem)); }
};

RelaxedSolution point(Eigen::MatrixXd F) {
  RelaxedSolution relaxed;
  relaxed.status = CONCORD_RELAXED;
  relaxed.F = std::move(F);
  return relaxed;
}

/// A factor of unit diagonal, as semidefinite decoders give it.
Eigen::MatrixXd unit_rows(int64_t V, int64_t rank, kit::Rng& rng) {
  Eigen::MatrixXd F(V, rank);
  for (double& x : F.reshaped()) x = rng.normal();
  F.rowwise().normalize();
  return F;
}

/// One problem with relaxed solutions of every kind.
std::vector<Case> cases(const CanonicalProblem& problem, kit::Rng& rng) {
  const int64_t V = problem.labels();
  std::vector<Case> all;
  all.push_back({problem, point(spectral_solution(problem).u), "spectral solution"});
  all.push_back({problem, point(unit_rows(V, 3, rng)), "random factor of rank 3"});
  all.push_back({problem, point(unit_rows(V, V + 1, rng)), "random factor of rank V + 1"});
  all.push_back({problem, point(Eigen::MatrixXd::Zero(V, 1)), "u = 0"});
  all.push_back({problem, point(random_labels(rng, V, problem.k).cast<double>().matrix()), "labels as u"});
  return all;
}

std::unique_ptr<Rounding> make_rounding(Subject& subject, const std::vector<Setting>& settings = {},
                                        const RunControl& control = {}) {
  return std::make_unique<Rounding>(subject.plugin(), subject.options(settings), control);
}

/// Nothing if the plugin says that it does not take such problems, as top-k without a cardinality.
std::optional<LabelVector> rounded(const Rounding& rounding, const Case& c, const LabelVector* start,
                                   uint64_t seed = 1) {
  try {
    return rounding.round(c.problem.A, {c.problem.A}, {c.problem.c, c.problem.k, seed, nullptr}, c.relaxed,
                          start);
  } catch (const Error& e) {
    if (e.kind() == Fault::unsupported) return std::nullopt;
    throw Failure(fmt::format("{} ({})", complaint(e, rounding.plugin().id()), c.where()), c.problem);
  }
}

/// Calls f(case, rng) for problems of all families.
template <class F>
void for_all_cases(Subject& subject, const char* name, int rounds, F&& f) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of(name));
  for (int i = 0; i < rounds && !subject.time_is_short(); ++i)
    for (const auto& problem : generate(static_cast<Source>(i % 9), scope, rng))
      for (const Case& c : cases(problem, rng)) {
        subject.note_problem(problem);
        f(c, rng);
      }
}

std::string feasible(Subject& subject) {
  const auto rounding = make_rounding(subject);
  int64_t done = 0, refused = 0;
  for_all_cases(subject, "feasible", 180,
                [&](const Case& c, kit::Rng&) { rounded(*rounding, c, nullptr) ? ++done : ++refused; });
  if (done == 0) throw Failure("it takes no problem at all");
  return fmt::format("{} roundings{}", done,
                     refused > 0 ? fmt::format(", {} refused with a reason", refused) : "");
}

std::string not_worse(Subject& subject) {
  const auto rounding = make_rounding(subject);
  int64_t compared = 0;
  for_all_cases(subject, "not-worse", 90, [&](const Case& c, kit::Rng& rng) {
    // Rounding::round itself refuses labels that are worse.
    const LabelVector anywhere = random_labels(rng, c.problem.labels(), c.problem.k);
    if (rounded(*rounding, c, &anywhere)) ++compared;
    const Eigen::MatrixXd A = c.problem.A.to_dense();
    const auto best = kit::enumerate(A, c.problem.c, c.problem.k, [] { return false; });
    const LabelVector optimal = best.u.cast<int8_t>().array();
    if (rounded(*rounding, c, &optimal)) ++compared;
  });
  if (compared == 0) throw Failure("it takes no problem when it is given labels to start from");
  return fmt::format("{} starts", compared);
}

std::string rounding_single_label(Subject& subject) {
  const Scope scope = Scope::of(subject.plugin());
  const auto rounding = make_rounding(subject);
  kit::Rng rng(subject.seed_of("single-label"));
  for (int i = 0; i < 20; ++i)
    for (const Case& c : cases(problem_in(scope, rng, 1, i % 2 == 1), rng)) rounded(*rounding, c, nullptr);
  return "";
}

std::string text(const LabelVector& y) {
  std::string signs;
  for (const int8_t label : y) signs += label > 0 ? '+' : '-';
  return signs;
}

void require_same(const std::optional<LabelVector>& a, const std::optional<LabelVector>& b, const char* what,
                  const Case& c) {
  if (a.has_value() != b.has_value()) throw Failure(fmt::format("{}: once it refuses ({})", what, c.where()));
  if (a && (*a != *b).any())
    throw Failure(fmt::format("{}: {} against {} ({})", what, text(*a), text(*b), c.where()));
}

std::string rounding_repeat(Subject& subject) {
  const auto rounding = make_rounding(subject);
  for_all_cases(subject, "repeat", 60, [&](const Case& c, kit::Rng& rng) {
    const uint64_t seed = rng.next();
    require_same(rounded(*rounding, c, nullptr, seed), rounded(*rounding, c, nullptr, seed),
                 "the same seed twice differs", c);
  });
  return "";
}

std::string rounding_objects(Subject& subject) {
  const auto rounding = make_rounding(subject);
  for_all_cases(subject, "objects", 60, [&](const Case& c, kit::Rng& rng) {
    const uint64_t seed = rng.next();
    const auto before = rounded(*rounding, c, nullptr, seed);
    require_same(rounded(*make_rounding(subject), c, nullptr, seed), before, "a new object differs", c);
  });
  return "";
}

std::string rounding_seed(Subject& subject) {
  if (subject.plugin().has(CONCORD_RANDOMISED)) throw Skip("it declares that its labels depend on the seed");
  const auto rounding = make_rounding(subject);
  for_all_cases(subject, "seed", 60, [&](const Case& c, kit::Rng& rng) {
    require_same(rounded(*rounding, c, nullptr, rng.next()), rounded(*rounding, c, nullptr, rng.next()),
                 "another seed changes the labels; declare CONCORD_RANDOMISED", c);
  });
  return "";
}

std::string rounding_threads(Subject& subject) {
  const auto rounding = make_rounding(subject);
  std::vector<Case> all;
  std::vector<std::optional<LabelVector>> alone;
  for_all_cases(subject, "threads", 18, [&](const Case& c, kit::Rng&) {
    all.push_back(c);
    alone.push_back(rounded(*rounding, c, nullptr));
  });
  in_threads([&](size_t) {
    for (size_t i = 0; i < all.size(); ++i)
      require_same(rounded(*rounding, all[i], nullptr), alone[i], "in another thread", all[i]);
  });
  return "";
}

std::string rounding_sparse_form(Subject& subject) {
  if (!subject.plugin().has(CONCORD_SPARSE_PRIOR)) throw Skip("it declares that it takes only dense priors");
  const auto rounding = make_rounding(subject);
  const auto compare = [&](const Case& c) {
    Case sparse = c;
    sparse.problem.A = PriorMatrix(SparseMatrix(c.problem.A.dense().sparseView()));
    const auto a = rounded(*rounding, c, nullptr), b = rounded(*rounding, sparse, nullptr);
    if (a.has_value() != b.has_value())
      throw Failure(fmt::format("one form of A is refused ({})", c.where()));
    if (!a) return;
    // Other labels are fine if they are as good.
    const double x = c.problem.value(a->cast<double>()), y = c.problem.value(b->cast<double>());
    if (std::abs(x - y) > 1e-9 * (1 + c.problem.c.cwiseAbs().sum() + c.problem.A.abs_sum()))
      throw Failure(fmt::format("labels of value {} for the dense form of A, {} for the sparse one ({})", x,
                                y, c.where()));
  };
  kit::Rng rng(subject.seed_of("sparse-form"));
  for (int i = 0; i < 60; ++i)  // without ties, which rounding errors would break either way
    for (const auto& problem : generate(Source::sparse, Scope::of(subject.plugin()), rng))
      for (const Case& c : cases(problem, rng)) compare(c);
  return "";
}

}  // namespace

void run_rounding(Subject& subject, const std::vector<Setting>& settings, const RunControl& control) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("small"));
  const auto rounding = make_rounding(subject, settings, control);
  for (const bool with_k : {false, true})
    for (const Case& c : cases(problem_in(scope, rng, 6, with_k), rng)) rounded(*rounding, c, nullptr);
}

std::optional<std::string> replay_rounding(Subject& subject, const CanonicalProblem& problem) {
  const RelaxedSolution relaxed = point(spectral_solution(problem).u);
  try {
    make_rounding(subject)->round(problem.A, {problem.A}, {problem.c, problem.k, subject.seed(), nullptr},
                                  relaxed, nullptr);
  } catch (const Error& e) {
    if (e.kind() != Fault::unsupported) return complaint(e, subject.plugin().id());
  }
  return std::nullopt;
}

std::vector<Test> rounding_tests() {
  return {
      {"feasible", "Labels are -1 or +1 and obey the cardinality, for relaxed solutions of every kind.",
       feasible},
      {"not-worse", "Labels are never worse than those it was given to start from, optimal ones included.",
       not_worse},
      {"single-label", "One label, with and without a cardinality.", rounding_single_label},
      {"repeat", "The same seed twice gives the same labels.", rounding_repeat},
      {"objects", "A new object gives the same labels.", rounding_objects},
      {"seed", "A rounding that does not declare itself randomised gives the same labels for every seed.",
       rounding_seed},
      {"threads", "Concurrent calls give the same labels.", rounding_threads},
      {"sparse-form", "The sparse form of a prior gives labels as good as its dense form.",
       rounding_sparse_form},
  };
}

}  // namespace concord::check
