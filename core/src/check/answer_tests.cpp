// SPDX-License-Identifier: MIT
// What a decoder says of thousands of generated problems, held against enumeration. The counts are such that
// a fault in one of a thousand problems is found: 8 x 1600 problems, and 12000 planted ones. On the planted
// ones every relaxation as tight as the spectral one is exact, so even a bound slightly too low is refuted.
#include <cmath>

#include <concord/kit/local_search.hpp>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "solve/verify.hpp"

namespace concord::check {
namespace {

/// Solves one problem of the prepared prior and throws Failure if the answer is wrong.
RelaxedSolution examined(Subject& subject, const Decoder& decoder, const CanonicalProblem& problem,
                         double best, const std::string& where) {
  subject.note_problem(problem);
  const auto failure = [&](const std::string& what) {
    return Failure(fmt::format("{} ({}{})", what, where, size_of(problem)), problem);
  };
  try {
    RelaxedSolution answer = decoder.solve(instance_of(problem, subject));
    if (const auto fault = fault_of(subject.plugin(), answer, problem, best)) throw failure(*fault);
    return answer;
  } catch (const Error& e) {
    throw failure(complaint(e, subject.plugin().id()));
  }
}

void prepare(Subject& subject, Decoder& decoder, const CanonicalProblem& problem, const std::string& where) {
  subject.note_problem(problem);
  try {
    decoder.prepare(problem.A);
  } catch (const Error& e) {
    throw Failure(fmt::format("{} ({}{})", complaint(e, subject.plugin().id()), where, size_of(problem)),
                  problem);
  }
}

std::string counted(int64_t done, int64_t wanted_priors, int64_t priors) {
  return priors == wanted_priors ? fmt::format("{} problems", done)
                                 : fmt::format("{} problems; slow, so the others are left out", done);
}

std::string sweep(Subject& subject, Source source, int64_t priors) {
  const Scope scope = Scope::of(subject.plugin());
  const std::string where = fmt::format("{} problem, ", source_name(source));
  kit::Rng rng(subject.seed_of(source_name(source)));
  const auto decoder = make_decoder(subject);
  int64_t done = 0, group = 0;
  for (; group < priors && !subject.time_is_short(); ++group) {
    const auto problems = generate(source, scope, rng);
    prepare(subject, *decoder, problems.front(), where);
    for (const auto& problem : problems) {
      examined(subject, *decoder, problem, optimum(problem), where);
      ++done;
    }
  }
  return counted(done, priors, group);
}

/// Without a cardinality a prior has two problems, with one four: as many priors more.
int64_t priors_for(Subject& subject, int64_t problems, int64_t per_prior) {
  return problems / (Scope::of(subject.plugin()).cardinality ? 2 * per_prior : per_prior);
}

template <Source source>
std::string family(Subject& subject) {
  const PriorSign widest = Scope::of(subject.plugin()).widest;
  constexpr bool couples = source == Source::random || source == Source::attractive ||
                           source == Source::repulsive || source == Source::sparse;
  if (couples && widest == PriorSign::none) throw Skip("it declares that it takes only A = 0");
  constexpr bool repels = source == Source::random || source == Source::repulsive;
  if (repels && widest == PriorSign::attractive)
    throw Skip("it declares that it takes only attractive priors");
  return source == Source::planted ? sweep(subject, source, priors_for(subject, 12000, 1))
                                   : sweep(subject, source, priors_for(subject, 1600, 2));
}

/// Too large to enumerate, and to wait for an exact decoder: a planted optimum, and what local search finds.
std::string large(Subject& subject) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("large"));
  int64_t done = 0;
  for (const int64_t wanted : {20, 40, 70, 100}) {
    const int64_t V = scope.labels(wanted);
    if (V < wanted && done > 0) break;
    for (int i = 0; i < 8 && !subject.time_is_short(); ++i) {
      const auto decoder = make_decoder(subject, {}, deadline_in(1));
      const bool with_k = i % 2 == 1;
      const CanonicalProblem problem =
          i < 4 ? planted_in(scope, rng, V, with_k) : problem_in(scope, rng, V, with_k);
      const Eigen::MatrixXd& A = problem.A.dense();
      const Eigen::VectorXd start = kit::labels_of(problem.c, problem.k);
      const auto found = kit::local_search(A, problem.c, start, problem.k ? kit::Move::swap : kit::Move::flip,
                                           100 * V, [] { return false; });
      prepare(subject, *decoder, problem, "large problem, ");
      examined(subject, *decoder, problem, found.value, "large problem, ");
      ++done;
    }
  }
  return fmt::format("{} problems", done);
}

std::string single_label(Subject& subject) {
  const Scope scope = Scope::of(subject.plugin());
  const auto decoder = make_decoder(subject);
  for (const double c : {0.0, 1.0, -1.0, 0.3, -1e-9, 1e6}) {
    CanonicalProblem problem;
    problem.A = PriorMatrix(Eigen::MatrixXd(Eigen::MatrixXd::Zero(1, 1)));
    problem.c = Eigen::VectorXd::Constant(1, c);
    prepare(subject, *decoder, problem, "one label, ");
    examined(subject, *decoder, problem, std::abs(c), "one label, ");
    if (!scope.cardinality) continue;
    for (const int64_t k : {0, 1}) {
      problem.k = k;
      examined(subject, *decoder, problem, k == 1 ? c : -c, "one label, ");
    }
  }
  return "";
}

/// For k = 0, 1, V - 1 or V: there are V labellings at most.
double optimum_near_an_end(const CanonicalProblem& problem) {
  const int64_t V = problem.labels(), k = *problem.k;
  Eigen::VectorXd u = Eigen::VectorXd::Constant(V, 2 * k < V ? -1 : 1);
  if (k == 0 || k == V) return problem.value(u);
  double best = -std::numeric_limits<double>::infinity();
  for (int64_t v = 0; v < V; ++v) {
    u[v] = -u[v];
    best = std::max(best, problem.value(u));
    u[v] = -u[v];
  }
  return best;
}

std::string every_cardinality(Subject& subject) {
  const Scope scope = Scope::of(subject.plugin());
  if (!scope.cardinality) throw Skip("it declares that it takes no cardinality");
  kit::Rng rng(subject.seed_of("every-cardinality"));
  const auto decoder = make_decoder(subject);
  int64_t done = 0;
  for (int i = 0; i < 20 && !subject.time_is_short(); ++i) {
    CanonicalProblem problem = problem_in(scope, rng, scope.labels(2 + i % 9), false);
    prepare(subject, *decoder, problem, "random problem, ");
    for (int64_t k = 0; k <= problem.labels(); ++k, ++done) {
      problem.k = k;
      examined(subject, *decoder, problem, optimum(problem), "random problem, ");
    }
  }
  // The ends of the range once more where labellings do not fit into a word.
  for (const int64_t V : {scope.labels(63), scope.labels(100)}) {
    CanonicalProblem problem = problem_in(scope, rng, V, false);
    const auto limited = make_decoder(subject, {}, deadline_in(2));
    prepare(subject, *limited, problem, "random problem, ");
    for (const int64_t k : {int64_t{0}, int64_t{1}, V - 1, V}) {
      if (subject.time_is_short()) break;
      problem.k = k;
      examined(subject, *limited, problem, optimum_near_an_end(problem), "random problem, ");
      ++done;
    }
  }
  return fmt::format("{} problems", done);
}

/// Problems of which the tightest relaxations are exact.
std::string proves_optima(Subject& subject) {
  if (subject.plugin().capabilities().guarantee != CONCORD_MAY_BE_OPTIMAL)
    throw Skip("it declares no optima");
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("proves-optima"));
  const auto decoder = make_decoder(subject);
  int64_t optimal = 0;
  constexpr int64_t tried = 50;
  for (int64_t i = 0; i < tried; ++i) {
    const CanonicalProblem problem = planted_in(scope, rng, scope.labels(1 + i % 8), false);
    prepare(subject, *decoder, problem, "planted problem, ");
    if (examined(subject, *decoder, problem, optimum(problem), "planted problem, ").status == CONCORD_OPTIMAL)
      ++optimal;
  }
  if (optimal == 0)
    throw Failure(fmt::format(
        "it declares CONCORD_MAY_BE_OPTIMAL, and proved none of {} easy optima; declare CONCORD_BOUNDS",
        tried));
  return fmt::format("{} of {} easy problems", optimal, tried);
}

std::string diagonal(Subject& subject) {
  if (!subject.plugin().has(CONCORD_USES_DIAGONAL))
    throw Skip("it declares that it does not see the diagonal");
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("diagonal"));
  const auto decoder = make_decoder(subject);
  for (int i = 0; i < 200 && !subject.time_is_short(); ++i) {
    CanonicalProblem problem = problem_in(scope, rng, scope.labels(1 + i % 9), i % 2 == 1);
    Eigen::MatrixXd A = problem.A.dense();
    for (double& x : A.diagonal()) x = rng.normal();
    problem.A = PriorMatrix(A);
    prepare(subject, *decoder, problem, "with a diagonal, ");
    examined(subject, *decoder, problem, optimum(problem), "with a diagonal, ");
  }
  return "";
}

std::string tight_as_spectral(Subject& subject) {
  const Plugin& plugin = subject.plugin();
  if (!plugin.has(CONCORD_AS_TIGHT_AS_SPECTRAL)) throw Skip("it does not declare it");
  const Scope scope = Scope::of(plugin);
  kit::Rng rng(subject.seed_of("tight-as-spectral"));
  const auto decoder = make_decoder(subject);
  int64_t done = 0;
  for (int i = 0; i < 400 && !subject.time_is_short(); ++i) {
    const auto source = static_cast<Source>(i % 9);
    const auto problems = generate(source, scope, rng);
    prepare(subject, *decoder, problems.front(), "");
    for (const auto& problem : problems) {
      subject.note_problem(problem);
      const RelaxedSolution answer = decoder->solve(instance_of(problem, subject));
      const auto loose = answer.has_point() ? looseness_of(plugin, answer, problem) : std::nullopt;
      if (loose)
        throw Failure(fmt::format("{} ({} problem, {})", *loose, source_name(source), size_of(problem)),
                      problem);
      ++done;
    }
  }
  return fmt::format("{} problems", done);
}

}  // namespace

std::vector<Test> answer_tests() {
  return {
      {"random", "On random problems every claim holds against enumeration, with and without a cardinality.",
       family<Source::random>},
      {"attractive", "As random, for priors in which all labels attract.", family<Source::attractive>},
      {"repulsive", "As random, for priors in which all labels repel.", family<Source::repulsive>},
      {"sparse", "As random, for priors in which few labels are coupled.", family<Source::sparse>},
      {"zero-prior", "As random, for A = 0.", family<Source::zero>},
      {"ties", "As random, for small integers, which make many labellings equally good.",
       family<Source::ties>},
      {"hard-cases", "As random, where c is zero, or has no part on the smallest eigenvectors of A.",
       family<Source::hard>},
      {"scales", "As random, for A and c of magnitudes from 1e-6 to 1e6.", family<Source::scales>},
      {"planted",
       "As random, on 12000 problems whose relaxation is exact, where no bound can be a little too low.",
       family<Source::planted>},
      {"large", "Up to 100 labels no planted optimum and no local search refutes a claim.", large},
      {"single-label", "One label, with and without a cardinality.", single_label},
      {"every-cardinality",
       "Every k from 0 to V is obeyed, 0 and V included; the ends also of up to 100 labels.",
       every_cardinality},
      {"proves-optima", "A decoder that declares optima proves some on easy problems.", proves_optima},
      {"diagonal", "A decoder that sees the diagonal of A counts it in value and bound.", diagonal},
      {"tight-as-spectral", "If it is declared as tight as spectral, no value is above the spectral one.",
       tight_as_spectral},
  };
}

}  // namespace concord::check
