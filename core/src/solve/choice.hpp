// SPDX-License-Identifier: MIT
#pragma once
// The decoder "auto": the cheapest decoder that proves the optimum of a problem, else the tightest bound that fits, else the
// best labels without a bound. The choice depends on the problem and the plugins only.
#include <string>
#include <vector>

#include "plugin/registry.hpp"
#include "solve/facts.hpp"

namespace concord {

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
