// SPDX-License-Identifier: MIT
#include "solve/plan.hpp"

#include <algorithm>
#include <set>

namespace concord {

std::string SolvePlan::rounding_name() const {
  std::vector<std::string> names;
  for (const BoundPlugin& part : rounding) names.push_back(part.plugin->name());
  return fmt::format("{}", fmt::join(names, "+"));
}

std::vector<PluginSpec> default_rounding(bool with_cardinality) {
  return {{with_cardinality ? "top-k" : "threshold", {}, "the default"}, {"local-search", {}, "the default"}};
}

SolvePlan plan_solve(Registry& registry, const PluginSpec& decoder, const std::vector<PluginSpec>& rounding,
                     bool with_cardinality, ErrorList& errors) {
  SolvePlan plan;
  if (auto bound = bind_plugin(registry, CONCORD_DECODER, decoder, errors)) plan.decoder = std::move(*bound);
  plan.rounding_is_default = rounding.empty();
  for (const PluginSpec& part : rounding.empty() ? default_rounding(with_cardinality) : rounding)
    if (auto bound = bind_plugin(registry, CONCORD_ROUNDING, part, errors))
      plan.rounding.push_back(std::move(*bound));
  return plan;
}

Recipient::Recipient(Registry& registry, int32_t kind_, PluginSpec& spec_)
    : kind(kind_), spec(spec_), plugin(nullptr) {
  try {
    plugin = &registry.find(kind, spec.name);
  } catch (const Error&) {
    return;
  }
}

bool Recipient::is_called(const std::string& name) const {
  return PluginReference(spec.name).name == name || (plugin != nullptr && plugin->name() == name);
}

bool Recipient::declares(const std::string& option) const {
  return plugin == nullptr || std::any_of(plugin->options().begin(), plugin->options().end(),
                                          [&](const auto& declared) { return declared.name == option; });
}

namespace {

Error nobody_takes(const ScopedSetting& scoped, const std::vector<Recipient>& recipients,
                   const std::vector<std::string>& other_scopes) {
  const auto& [scope, setting] = scoped;
  std::set<std::string> scopes(other_scopes.begin(), other_scopes.end());
  std::vector<std::string> options;  // of the plugins of this kind
  bool is_kind = false;
  for (const Recipient& one : recipients) {
    scopes.insert({kind_name(one.kind), PluginReference(one.spec.name).name});
    if (scope != kind_name(one.kind)) continue;
    is_kind = true;
    for (const auto& declared : one.plugin->options()) options.push_back(declared.name);
  }
  if (is_kind)
    return {Fault::input,
            fmt::format("no chosen {} has an option '{}'{} (their options: {})", scope, setting.key,
                        did_you_mean(setting.key, options), fmt::join(options, ", ")),
            {setting.origin, scope}};
  return {Fault::input,
          fmt::format("nothing here is called '{}'{} (known: {})", scope,
                      did_you_mean(scope, {scopes.begin(), scopes.end()}), fmt::join(scopes, ", ")),
          {setting.origin, scope}};
}

}  // namespace

void dispense(const std::vector<ScopedSetting>& settings, std::vector<Recipient>& recipients,
              const std::vector<std::string>& other_scopes, ErrorList& errors) {
  for (const ScopedSetting& scoped : settings) {
    bool taken = false;
    for (Recipient& one : recipients) {
      const bool is_alone = std::count_if(recipients.begin(), recipients.end(), [&](const Recipient& other) {
                              return other.kind == one.kind;
                            }) == 1;
      const bool by_kind =
          scoped.scope == kind_name(one.kind) && (is_alone || one.declares(scoped.setting.key));
      if (!by_kind && !one.is_called(scoped.scope)) continue;
      one.received.push_back(scoped.setting);
      taken = true;
    }
    if (!taken) errors.add(nobody_takes(scoped, recipients, other_scopes));
  }
  for (Recipient& one : recipients) {
    const auto is_replaced = [&](const Setting& old) {
      return std::any_of(one.received.begin(), one.received.end(),
                         [&](const Setting& setting) { return setting.key == old.key; });
    };
    std::erase_if(one.spec.settings, is_replaced);
    one.spec.settings.insert(one.spec.settings.end(), one.received.begin(), one.received.end());
  }
}

std::vector<PluginSpec> chain_of(const std::string& chain, const std::string& place) {
  std::vector<PluginSpec> parts;
  for (const std::string& part : chain_parts(chain, place)) parts.push_back({part, {}, place});
  return parts;
}

std::vector<SolvePlan> plan_decodes(Registry& registry, const std::vector<std::string>& decoders,
                                    const std::vector<PluginSpec>& rounding, bool with_cardinality,
                                    const std::vector<ScopedSetting>& settings, ErrorList& errors) {
  std::vector<PluginSpec> chosen;
  for (const std::string& name : decoders) chosen.push_back({name, {}, ""});
  std::vector<PluginSpec> parts = rounding.empty() ? default_rounding(with_cardinality) : rounding;

  std::vector<Recipient> recipients;
  for (PluginSpec& decoder : chosen) recipients.emplace_back(registry, CONCORD_DECODER, decoder);
  for (PluginSpec& part : parts) recipients.emplace_back(registry, CONCORD_ROUNDING, part);
  dispense(settings, recipients, {}, errors);
  // Whoever sets an option of a rounding wants it to run.
  const bool is_default = rounding.empty() && std::all_of(parts.begin(), parts.end(), [](const auto& part) {
                            return part.settings.empty();
                          });
  if (is_default) parts.clear();

  std::vector<SolvePlan> plans;
  std::set<std::string> said;  // the roundings are the same for every plan: their faults are reported once
  for (const PluginSpec& decoder : chosen) {
    ErrorList faults;
    plans.push_back(plan_solve(registry, decoder, parts, with_cardinality, faults));
    for (const Error& fault : faults.all())
      if (said.insert(fault.what()).second) errors.add(fault);
  }
  return plans;
}

}  // namespace concord
