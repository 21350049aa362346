// SPDX-License-Identifier: MIT
#pragma once
// What the tests of `exact` share.
#include "solve/verify.hpp"
#include "support.hpp"

namespace concord::test {

inline double tolerance_of(const CanonicalProblem& p) {
  return value_tolerance(p.c, p.A);
}

/// Decodes with a fresh `exact` and holds the answer to the host's rules.
inline RelaxedSolution exact(const CanonicalProblem& p, const std::vector<Setting>& settings = {}) {
  const auto decoder = make_decoder("exact", settings);
  decoder->prepare(p.A);
  RelaxedSolution s = decoder->solve(Instance{p.c, p.k, 1, nullptr});
  verify_solution(builtin().find(CONCORD_DECODER, "exact"), s, p.A, p.c, p.k);
  return s;
}

inline double enumerated(const CanonicalProblem& p) {
  const auto decoder = make_decoder("exhaustive");
  decoder->prepare(p.A);
  return decoder->solve(Instance{p.c, p.k, 1, nullptr}).value;
}

}  // namespace concord::test
