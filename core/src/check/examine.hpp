// SPDX-License-Identifier: MIT
#pragma once
// Holds one answer of a decoder against references that do not come from it.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "check/test.hpp"
#include "solve/decoder.hpp"

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
/// Likewise for what CONCORD_AS_TIGHT_AS_SPECTRAL promises; nothing if it is not declared.
std::optional<std::string> looseness_of(const Plugin& plugin, const RelaxedSolution& answer,
                                        const CanonicalProblem& problem);

/// All of that for one problem and a new decoder: the fault, if the problem shows one on its own.
std::optional<std::string> replay_decoder(Subject& subject, const CanonicalProblem& problem);

/// Runs body(0), body(1), ... in as many threads at once; Failure if one of them throws.
constexpr size_t kThreads = 4;
void in_threads(const std::function<void(size_t)>& body);

}  // namespace concord::check
