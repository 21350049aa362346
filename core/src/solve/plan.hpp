// SPDX-License-Identifier: MIT
#pragma once
// The plugins of a solve, resolved before any work: a decoder, and the roundings that make labels of its answers.
#include <optional>
#include <string>
#include <vector>

#include "plugin/registry.hpp"

namespace concord {

struct SolvePlan {
  BoundPlugin decoder;
  std::vector<BoundPlugin> rounding;
  bool rounding_is_default = true;  ///< then it is skipped where u is already a feasible labelling

  std::string rounding_name() const;  ///< "a+b"
};

/// The default: threshold+local-search, under a cardinality top-k+local-search.
std::vector<PluginSpec> default_rounding(bool with_cardinality);

/// An empty `rounding` is the default one. Every error goes to `errors`; after one the plan is not to be used.
SolvePlan plan_solve(Registry& registry, const PluginSpec& decoder, const std::vector<PluginSpec>& rounding,
                     bool with_cardinality, ErrorList& errors);

/// An option for whatever plugin its scope names: a kind, or the name of one plugin.
struct ScopedSetting {
  std::string scope;
  Setting setting;
};

/// A plugin that settings may be meant for.
struct Recipient {
  Recipient(Registry& registry, int32_t kind, PluginSpec& spec);

  int32_t kind;
  PluginSpec& spec;
  const Plugin* plugin;  ///< null if it cannot be found; whoever binds it says why
  std::vector<Setting> received = {};

  bool is_called(const std::string& name) const;
  bool declares(const std::string& option) const;
};

/// Gives every setting to the recipients that it is meant for, in place of values that their specs have. A setting of a
/// kind is for whichever of several plugins of that kind declares it. A setting that nobody takes is an error;
/// `other_scopes` are named there beside those of the recipients.
void dispense(const std::vector<ScopedSetting>& settings, std::vector<Recipient>& recipients,
              const std::vector<std::string>& other_scopes, ErrorList& errors);

/// One plan per decoder, all with the same roundings. An empty `rounding` is the default one, until a setting is for a part
/// of it.
std::vector<SolvePlan> plan_decodes(Registry& registry, const std::vector<std::string>& decoders,
                                    const std::vector<PluginSpec>& rounding, bool with_cardinality,
                                    const std::vector<ScopedSetting>& settings, ErrorList& errors);

/// The parts of "a+b". Errors name the place where the chain was written.
std::vector<PluginSpec> chain_of(const std::string& chain, const std::string& place);

}  // namespace concord
