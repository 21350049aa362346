// SPDX-License-Identifier: MIT
#include "predict/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "predict/prediction.hpp"
#include "predict/predictor.hpp"

namespace concord {
namespace {

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void set_threshold(const Setting& setting, Model& model) {
  if (setting.value == "none") {
    model.settings.predict.threshold = ThresholdKind::none;
    model.thresholds.resize(0);
    return;
  }
  const auto level = number<double>(setting.value);
  if (!level || !std::isfinite(*level))
    fail(Fault::input, "{}: '{}' is not valid: expected a number, or none (thresholds are tuned by training)",
         setting.origin, setting.value);
  model.settings.predict.threshold = ThresholdKind::fixed;
  model.settings.predict.threshold_value = *level;
  model.thresholds = Eigen::VectorXd::Constant(1, *level);
}

void set_threshold_on(const Setting& setting, Model& model) {
  if (setting.value != "scores" && setting.value != "u")
    fail(Fault::input, "{}: '{}' is not valid: expected scores or u", setting.origin, setting.value);
  model.settings.predict.threshold_on = setting.value == "u" ? ThresholdOn::u : ThresholdOn::scores;
}

void set_min_labels(const Setting& setting, Model& model) {
  const auto count = number<int64_t>(setting.value);
  if (!count || *count < 0)
    fail(Fault::input, "{}: '{}' is not valid: expected an integer >= 0", setting.origin, setting.value);
  model.settings.predict.min_labels = *count;
}

void set_predict_key(const Setting& setting, Model& model) {
  if (setting.key == "threshold") return set_threshold(setting, model);
  if (setting.key == "threshold_on") return set_threshold_on(setting, model);
  if (setting.key == "min_labels") return set_min_labels(setting, model);
  const std::vector<std::string> keys = {"threshold", "threshold_on", "min_labels"};
  if (setting.key == "decoder" || setting.key == "rounding")
    fail(Fault::input, "{}: give it as --{} {}", setting.origin, setting.key, setting.value);
  fail(Fault::input, "{}: there is no key predict.{} here{} (keys: {})", setting.origin, setting.key,
       did_you_mean(setting.key, keys), fmt::join(keys, ", "));
}

/// A chosen plugin, found if it can be: whoever makes the plan will say why not.
struct Candidate {
  PluginChoice& choice;
  const Plugin* plugin;

  Candidate(Registry& registry, int32_t kind, PluginChoice& choice_) : choice(choice_), plugin(nullptr) {
    try {
      plugin = &registry.find(kind, choice.name);
    } catch (const Error&) {
    }
  }
  bool is_called(const std::string& name) const {
    return PluginReference(choice.name).name == name || (plugin != nullptr && plugin->name() == name);
  }
  bool declares(const std::string& key) const {
    return plugin == nullptr || std::any_of(plugin->options().begin(), plugin->options().end(),
                                            [&](const auto& option) { return option.name == key; });
  }
  /// In place of a value that the model has for it; twice in one command line is an error for the plan to find.
  void set(const Setting& setting) {
    const auto from_model = [&](const Setting& old) {
      return old.key == setting.key && !old.origin.starts_with("--set ");
    };
    auto& settings = choice.settings;
    settings.erase(std::remove_if(settings.begin(), settings.end(), from_model), settings.end());
    settings.push_back(setting);
  }
};

/// Gives an option to the plugins that it is meant for; true if they are roundings.
bool set_option(const ScopedSetting& scoped, Candidate& decoder, std::vector<Candidate>& rounding) {
  const Setting& setting = scoped.setting;
  if (scoped.scope == "decoder" || decoder.is_called(scoped.scope)) {
    decoder.set(setting);
    return false;
  }
  bool taken = false;
  std::vector<std::string> known = {"predict", "decoder", "rounding", decoder.choice.name};
  for (Candidate& part : rounding) {
    // An option of `rounding` is for whichever part of a chain declares it.
    const bool by_kind = scoped.scope == "rounding" && (rounding.size() == 1 || part.declares(setting.key));
    if (by_kind || part.is_called(scoped.scope)) {
      part.set(setting);
      taken = true;
    }
    known.push_back(part.choice.name);
  }
  if (!taken && scoped.scope == "rounding")
    fail(Fault::input, "{}: no chosen rounding has an option '{}'", setting.origin, setting.key);
  if (!taken)
    fail(Fault::input, "{}: nothing here is called '{}'{} (known: {})", setting.origin, scoped.scope,
         did_you_mean(scoped.scope, known), fmt::join(known, ", "));
  return true;
}

/// --decoder, --rounding and the keys of [predict].
void override_keys(const PredictionOverrides& overrides, Model& model, ErrorList& errors) {
  PredictSettings& predict = model.settings.predict;
  if (overrides.decoder)
    predict.decoder = PluginChoice{*overrides.decoder, {}, "--decoder " + *overrides.decoder};
  if (overrides.rounding) {
    predict.rounding.clear();
    errors.attempt([&] {
      const std::string place = "--rounding " + *overrides.rounding;
      for (const auto& part : chain_parts(*overrides.rounding, place))
        predict.rounding.push_back({part, {}, place});
    });
    predict.threshold = ThresholdKind::none;
    model.thresholds.resize(0);
  }
  for (const ScopedSetting& scoped : overrides.settings)
    if (scoped.scope == "predict") errors.attempt([&] { set_predict_key(scoped.setting, model); });
  if (overrides.rounding && model.thresholds.size() > 0)
    errors.add(Fault::input,
               "--rounding and --set predict.threshold exclude each other: labels come from one of them");
}

/// The options of plugins.
void override_options(const PredictionOverrides& overrides, Registry& registry, Model& model,
                      ErrorList& errors) {
  PluginChoice decoder = decoder_of_prediction(model.settings);
  std::vector<PluginChoice> rounding = rounding_of_prediction(model.settings);
  Candidate decoder_candidate(registry, CONCORD_DECODER, decoder);
  std::vector<Candidate> parts;
  for (PluginChoice& part : rounding) parts.emplace_back(registry, CONCORD_ROUNDING, part);
  for (const ScopedSetting& scoped : overrides.settings) {
    if (scoped.scope == "predict") continue;
    errors.attempt([&] {
      if (!set_option(scoped, decoder_candidate, parts)) return;
      if (model.thresholds.size() > 0)
        fail(Fault::input,
             "{}: the labels come from thresholds, so no rounding runs; --rounding NAME takes their place",
             scoped.setting.origin);
      model.settings.predict.rounding = rounding;  // whoever sets an option of a rounding wants it to run
    });
  }
  model.settings.predict.decoder = decoder;
}

const char* name_of_ranking(ThresholdOn on) {
  return on == ThresholdOn::u ? "u" : "the scores W'x";
}

}  // namespace

std::vector<std::string> override_prediction(const PredictionOverrides& overrides, Registry& registry,
                                             Model& model, ErrorList& errors) {
  const std::string decoder_before = decoder_of_prediction(model.settings).name;
  const ThresholdOn on_before = effective_threshold_on(model.settings, model.has_prior());
  const Eigen::VectorXd thresholds_before = model.thresholds;
  override_keys(overrides, model, errors);
  override_options(overrides, registry, model, errors);

  std::vector<std::string> notes;
  const std::string decoder = decoder_of_prediction(model.settings).name;
  const ThresholdOn on = effective_threshold_on(model.settings, model.has_prior());
  const bool own_thresholds = model.thresholds.size() > 0 &&
                              model.thresholds.size() == thresholds_before.size() &&
                              model.thresholds == thresholds_before;
  if (overrides.decoder && !ModelPredictor::needs_decoder(model))
    notes.push_back(
        fmt::format("the labels come from thresholds on the scores W'x, so the decoder {} has no "
                    "influence on them; --rounding NAME takes the place of thresholds",
                    decoder));
  if (own_thresholds && on != on_before)
    notes.push_back(fmt::format("the model's thresholds were chosen for {}, and are applied to {}",
                                name_of_ranking(on_before), name_of_ranking(on)));
  else if (own_thresholds && on == ThresholdOn::u && decoder != decoder_before)
    notes.push_back(
        fmt::format("the model's thresholds were chosen for the u of {}, and are applied to that "
                    "of {}",
                    decoder_before, decoder));
  return notes;
}

}  // namespace concord
