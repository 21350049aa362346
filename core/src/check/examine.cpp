// SPDX-License-Identifier: MIT
#include "check/examine.hpp"

#include <cmath>
#include <thread>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/spectral.hpp>

#include "base/error.hpp"
#include "solve/verify.hpp"

namespace concord::check {

std::unique_ptr<Decoder> make_decoder(Subject& subject, const std::vector<Setting>& settings,
                                      RunControl control) {
  return std::make_unique<Decoder>(subject.plugin(), subject.options(settings), std::move(control));
}

RunControl deadline_in(int64_t seconds) {
  RunControl control;
  control.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  return control;
}

Instance instance_of(const CanonicalProblem& problem, const Subject& subject) {
  return {problem.c, problem.k, subject.seed(), nullptr};
}

double optimum(const CanonicalProblem& problem) {
  const Eigen::MatrixXd A = problem.A.to_dense();
  return kit::enumerate(A, problem.c, problem.k, [] { return false; }).value;
}

SpectralSolution spectral_solution(const CanonicalProblem& problem) {
  const kit::SpectralFactors factors(problem.A.to_dense());
  SpectralSolution solution{Eigen::VectorXd(problem.labels())};
  kit::SpectralProblem question{problem.c.data()};
  if (problem.k) question.beta = kit::beta_of(problem.labels(), *problem.k);
  kit::SpectralAnswer answer{solution.u.data()};
  kit::solve_spectral(factors, {&question, 1}, {&answer, 1});
  solution.bound = answer.bound;
  return solution;
}

void in_threads(const std::function<void(size_t)>& body) {
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> pool;
  for (size_t t = 0; t < kThreads; ++t)
    pool.emplace_back([&, t] {
      try {
        body(t);
      } catch (const std::exception& e) {
        wrong[t] = e.what();
      }
    });
  for (auto& worker : pool) worker.join();
  for (const auto& sentence : wrong)
    if (!sentence.empty()) throw Failure(sentence);
}

std::optional<std::string> fault_of(const Plugin& plugin, const RelaxedSolution& answer,
                                    const CanonicalProblem& problem, double best) {
  if (!answer.has_point())
    return fmt::format("answered '{}' to a problem that its capabilities cover: {}",
                       status_name(answer.status),
                       answer.message.empty() ? "it gave no reason" : answer.message);
  try {
    verify_solution(plugin, answer, problem.A, problem.c, problem.k);
  } catch (const Error& e) {
    return complaint(e, plugin.id());
  }
  const double tolerance = value_tolerance(problem.c, problem.A);
  if (answer.status == CONCORD_OPTIMAL && answer.value < best - tolerance)
    return fmt::format("claims that {} is optimal, but there are labels of value {}", answer.value, best);
  if (answer.bound < best - tolerance)  // false for NaN, which is no bound
    return fmt::format("returned a false bound: {}, but there are labels of value {} ({:.2g} above)",
                       answer.bound, best, best - answer.bound);
  return std::nullopt;
}

std::optional<std::string> looseness_of(const Plugin& plugin, const RelaxedSolution& answer,
                                        const CanonicalProblem& problem) {
  if (!plugin.has(CONCORD_AS_TIGHT_AS_SPECTRAL)) return std::nullopt;
  const double spectral = spectral_solution(problem).bound;
  if (answer.value <= spectral + value_tolerance(problem.c, problem.A)) return std::nullopt;
  return fmt::format("declares as_tight_as_spectral, but its value {} is above the spectral {}", answer.value,
                     spectral);
}

std::optional<std::string> replay_decoder(Subject& subject, const CanonicalProblem& problem) {
  try {
    const auto decoder = make_decoder(subject);
    decoder->prepare(problem.A);
    const RelaxedSolution answer = decoder->solve(instance_of(problem, subject));
    if (auto fault = fault_of(subject.plugin(), answer, problem, optimum(problem))) return fault;
    return looseness_of(subject.plugin(), answer, problem);
  } catch (const Error& e) {
    return complaint(e, subject.plugin().id());
  }
}

}  // namespace concord::check
