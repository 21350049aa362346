// SPDX-License-Identifier: MIT
#pragma once
// What decides whether a decoder takes a problem, and what it costs: facts about the problem beside declared capabilities.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <concord/abi.h>

#include "problem/problem.hpp"

namespace concord {

struct ProblemFacts {
  int64_t labels = 0;
  int64_t couplings = 0;  ///< pairs i < j with A_ij != 0
  bool is_sparse = false;
  bool with_cardinality = false;
  /// Couplings that close a cycle; 0: the graph of A is a forest. Not counted (nullopt) where A is dense.
  std::optional<int64_t> cycles = {};
  std::optional<std::pair<int64_t, int64_t>> coupled = {};    ///< labels with A_ij != 0; none: A = 0
  std::optional<std::pair<int64_t, int64_t>> repelling = {};  ///< labels with A_ij > 0; none: A is attractive
};

/// All but couplings and cycles, whose count is for those who ask what a problem costs.
ProblemFacts facts_of(const PriorMatrix& A, bool with_cardinality);
ProblemFacts counted_facts_of(const PriorMatrix& A, bool with_cardinality);

/// The property of the problem that a decoder with these capabilities cannot handle, as a clause about the decoder ("it takes
/// no cardinality"). None: the decoder takes the problem.
std::optional<std::string> why_unsupported(const concord_capabilities& can, const ProblemFacts& problem);

}  // namespace concord
