// SPDX-License-Identifier: MIT
// From what the user chose to plugins with their options.
#include "base/error.hpp"
#include "predict/predictor.hpp"

namespace concord {

std::optional<ChosenPlugin> choose_plugin(Registry& registry, int32_t kind, const PluginChoice& choice,
                                          ErrorList& errors) {
  try {
    const Plugin& plugin = registry.find(kind, choice.name);
    std::vector<Setting> settings = choice.settings;
    for (Setting& setting : settings)
      if (setting.origin.empty()) setting.origin = fmt::format("{}.{}", choice.origin, setting.key);
    std::vector<std::string> sentences;
    ChosenPlugin chosen{&plugin, OptionValues(plugin.id(), plugin.options(), settings, sentences),
                        !settings.empty()};
    for (const auto& sentence : sentences) errors.add(Fault::input, sentence);
    if (sentences.empty()) return chosen;
  } catch (const Error& e) {
    errors.add(e.kind(), choice.origin.empty() ? e.what() : fmt::format("{}: {}", choice.origin, e.what()));
  }
  return std::nullopt;
}

PluginChoice decoder_of_prediction(const Settings& settings) {
  if (settings.predict.decoder) return *settings.predict.decoder;
  if (settings.train.method == Method::ovr) return {"modular", {}, "the default"};
  return settings.train.decoder;
}

std::vector<PluginChoice> rounding_of_prediction(const Settings& settings) {
  if (!settings.predict.rounding.empty()) return settings.predict.rounding;
  std::vector<PluginChoice> parts;
  for (const auto& name : default_rounding(false)) parts.push_back({name, {}, "the default"});
  return parts;
}

PredictPlan plan_prediction(Registry& registry, const Settings& settings, ErrorList& errors) {
  std::vector<std::string> none;
  auto decoder = choose_plugin(registry, CONCORD_DECODER, decoder_of_prediction(settings), errors);
  if (!decoder)
    decoder.emplace(ChosenPlugin{nullptr, OptionValues("", {}, {}, none)});  // for the errors' sake
  PredictPlan plan{std::move(*decoder), {}, "", settings.predict.rounding.empty()};
  for (const PluginChoice& choice : rounding_of_prediction(settings)) {
    auto part = choose_plugin(registry, CONCORD_ROUNDING, choice, errors);
    if (!part) continue;
    plan.rounding_name += (plan.rounding_name.empty() ? "" : "+") + part->plugin->name();
    plan.rounding.push_back(std::move(*part));
  }
  return plan;
}

}  // namespace concord
