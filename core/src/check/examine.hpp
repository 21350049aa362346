// SPDX-License-Identifier: MIT
#pragma once
// Small runs of a plugin, and answers held against references that do not come from it.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/test.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"

namespace concord::check {

std::unique_ptr<Decoder> make_decoder(Subject& subject, const std::vector<Setting>& settings = {},
                                      RunControl control = {});
/// A decoder that is not ready then returns the best so far, which must still be true.
RunControl deadline_in(int64_t seconds);
Instance instance_of(const CanonicalProblem& problem, const Subject& subject);

/// The best value over all labellings, by enumeration. requires few labels
double optimum(const CanonicalProblem& problem);
/// The relaxation to the sphere.
struct SpectralSolution {
  Eigen::VectorXd u;
  double bound = 0;
};
SpectralSolution spectral_solution(const CanonicalProblem& problem);

/// What is wrong with the answer, or nothing: value, feasibility, kind of moment and claims are recomputed;
/// an optimum and a bound are held against `best`, the value of the best labelling that is known.
std::optional<std::string> fault_of(const Plugin& plugin, const RelaxedSolution& answer,
                                    const CanonicalProblem& problem, double best);
/// How the answer breaks the promise of CONCORD_AS_TIGHT_AS_SPECTRAL, or nothing, as where none is declared.
std::optional<std::string> looseness_of(const Plugin& plugin, const RelaxedSolution& answer,
                                        const CanonicalProblem& problem);

/// All of that for one problem and a new decoder: the fault, if the problem shows one on its own.
std::optional<std::string> replay_decoder(Subject& subject, const CanonicalProblem& problem);

/// Runs body(0), body(1), ... in as many threads at once; Failure if one of them throws.
constexpr size_t kThreads = 4;
void in_threads(const std::function<void(size_t)>& body);

/// Prepared for V labels and a few instances.
std::unique_ptr<Loss> make_loss(Subject& subject, int64_t V, const std::vector<Setting>& settings = {},
                                const RunControl& control = {});

/// A small run; `thorough` compares the family with `evaluate` at every labelling.
void run_loss(Subject& subject, const std::vector<Setting>& settings, const RunControl& control,
              bool thorough);

/// A small run with these settings; the labels are checked.
void run_rounding(Subject& subject, const std::vector<Setting>& settings, const RunControl& control);

/// What is wrong with the labels made of the problem's spectral relaxation, if anything.
std::optional<std::string> replay_rounding(Subject& subject, const CanonicalProblem& problem);

}  // namespace concord::check
