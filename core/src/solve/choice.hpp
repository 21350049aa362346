// SPDX-License-Identifier: MIT
#pragma once
// Which decoders take a problem, from facts about the problem and what they declare; and the decoder "auto": the cheapest that
// proves the optimum, else the tightest bound that fits, else the best labels without a bound. The choice depends on the
// problem and the plugins only.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <concord/abi.h>

#include "plugin/registry.hpp"
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

/// The word that stands for a choice. A plugin of this name is written decoder/auto.
inline constexpr const char* kChosenDecoder = "auto";

/// A decoder that may be chosen: what its plugin declares, or why the plugin is not usable here.
struct DecoderCandidate {
  std::string name;
  concord_capabilities can = {};
  std::string unavailable = {};
};

struct DecoderChoice {
  std::string name;
  std::string reason;  ///< a clause; empty if the user named the decoder
};

/// The names that choose_decoder knows the cost of. It never chooses another.
std::vector<std::string> decoders_of_known_cost();

/// Fault::unsupported names the property of the problem that is in the way of each candidate; Fault::unavailable if no
/// candidate is usable.
DecoderChoice choose_decoder(const ProblemFacts& problem, const std::vector<DecoderCandidate>& candidates);

/// The decoder that `name` means for this problem: a choice among the plugins of the registry for "auto", else `name` itself.
DecoderChoice resolve_decoder(Registry& registry, const std::string& name, const PriorMatrix& A,
                              bool with_cardinality);

}  // namespace concord
