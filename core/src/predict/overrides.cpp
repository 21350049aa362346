// SPDX-License-Identifier: MIT
#include "predict/overrides.hpp"

#include <utility>

#include "config/entries.hpp"
#include "predict/prediction.hpp"
#include "predict/predictor.hpp"

namespace concord {
namespace {

/// What --set says, apart: keys of [predict] as a config has them, and options of plugins.
struct Sorted {
  std::vector<std::string> keys;
  std::vector<ScopedSetting> options;
};

Sorted sorted(const std::vector<std::string>& texts, ErrorList& errors) {
  constexpr std::string_view section = "predict.";
  Sorted apart;
  for (const std::string& text : texts) {
    Assignment assignment(text);
    const bool is_key = assignment.path.starts_with(section);
    // predict.decoder.tol is an option, as it is for `concord train`.
    const bool is_option = is_key && assignment.path.find('.', section.size()) != std::string::npos;
    if (is_option) assignment.path.erase(0, section.size());
    if (is_key && !is_option)
      apart.keys.push_back(text);
    else
      errors.attempt([&] { apart.options.push_back(scoped_setting(assignment)); });
  }
  return apart;
}

/// Another rule takes the place of the model's. What expected F1 was calibrated by goes on making probabilities.
void replace_thresholds(Model& model, ThresholdKind before, Eigen::VectorXd thresholds) {
  if (before == ThresholdKind::expected_f1) model.calibration = model.thresholds;
  model.thresholds = std::move(thresholds);
}

void set_key(const ConfigEntry& entry, Model& model) {
  const std::string key = entry.key->key;
  if (entry.key->form == SettingKey::Form::plugin)
    fail(Fault::input, About{entry.value.place, entry.key->name()},
         "a plugin is no key here: give {} as the {} itself", entry.value.text(), key);
  const ThresholdKind before = model.settings.predict.threshold;
  entry.key->read(entry.value, model.settings);
  for (const Contradiction& rule : entry.key->contradictions)
    if (key == "threshold_on" && rule.holds(model.settings))
      fail(Fault::input, About{entry.value.place, entry.key->name()}, "{}", rule.why(model.settings));
  if (key != "threshold") return;
  const PredictSettings& predict = model.settings.predict;
  if (is_tuned(predict.threshold) || predict.threshold == ThresholdKind::direct_f1)
    entry.value.refuse("a number, or none (thresholds are tuned by training)");
  const int64_t fixed = predict.threshold == ThresholdKind::none ? 0 : 1;
  replace_thresholds(model, before, Eigen::VectorXd::Constant(fixed, predict.threshold_value));
}

/// The decoder, the rounding and the keys of [predict].
void override_keys(const PredictionOverrides& overrides, const std::vector<std::string>& keys, Model& model,
                   ErrorList& errors) {
  PredictSettings& predict = model.settings.predict;
  if (overrides.decoder) predict.decoder = overrides.decoder;
  if (!overrides.rounding.empty()) {
    predict.rounding = overrides.rounding;
    replace_thresholds(model, std::exchange(predict.threshold, ThresholdKind::none), {});
  }
  std::vector<ConfigEntry> entries;
  apply_overrides(keys, entries, errors);
  for (const ConfigEntry& entry : entries) errors.attempt([&] { set_key(entry, model); });
  if (!overrides.rounding.empty() && model.thresholds.size() > 0)
    errors.add(Fault::input,
               "a rounding and predict.threshold exclude each other: labels come from one of them",
               {overrides.rounding.front().origin, "predict.threshold"});
  for (const ConfigEntry& entry : entries)
    if (entry.key->name() == "predict.normalise" && errors.empty())
      for (const Contradiction& rule : entry.key->contradictions)
        if (rule.holds(model.settings))
          errors.add(Fault::input, rule.why(model.settings), {entry.value.place, entry.key->name()});
}

/// The options of plugins.
void override_options(const std::vector<ScopedSetting>& options, Registry& registry, Model& model,
                      ErrorList& errors) {
  PluginSpec decoder = decoder_of_prediction(model.settings);
  std::vector<PluginSpec> rounding = rounding_of_prediction(model.settings);
  std::vector<Recipient> recipients;
  recipients.emplace_back(registry, CONCORD_DECODER, decoder);
  for (PluginSpec& part : rounding) recipients.emplace_back(registry, CONCORD_ROUNDING, part);
  dispense(options, recipients, {"predict"}, errors);
  model.settings.predict.decoder = decoder;
  for (const Recipient& one : recipients) {
    if (one.kind != CONCORD_ROUNDING || one.received.empty()) continue;
    if (!model.rounds())
      errors.add(
          Fault::input,
          "the labels come from thresholds, so no rounding runs; a rounding given by name takes their place",
          {one.received.front().origin, "rounding/" + one.spec.name});
    else
      model.settings.predict.rounding = rounding;  // whoever sets an option of a rounding wants it to run
  }
}

/// What the thresholds of a model look at.
std::string ranking_text(const Model& model) {
  const ThresholdOn on = effective_threshold_on(model.settings, model.has_prior());
  return std::string(on == ThresholdOn::u           ? "u"
                     : on == ThresholdOn::marginals ? "log-odds"
                                                    : "the scores W'x") +
         (model.settings.predict.normalise.value_or(false) ? ", normalised" : "");
}

/// Of what the model itself chooses; what the user gives by path is the user's choice.
void require_names(const std::string& file, const Model& model, const PredictionOverrides& overrides) {
  std::vector<PluginSpec> own;
  if (!overrides.decoder) own.push_back(decoder_of_prediction(model.settings));
  if (overrides.rounding.empty())
    own.insert(own.end(), model.settings.predict.rounding.begin(), model.settings.predict.rounding.end());
  for (const PluginSpec& spec : own)
    if (PluginReference(spec.name).is_file())
      fail(Fault::input, About{file, spec.name, overrides.how_to_trust},
           "the model predicts with a plugin that it names by its path, {}: whoever wrote the model would "
           "choose "
           "the code that runs",
           spec.name);
}

}  // namespace

ReadyModel load_for_prediction(const std::string& file, const PredictionOverrides& overrides,
                               Registry& registry, ErrorList& errors) {
  ReadyModel ready;
  errors.attempt([&] {
    const Model model = load_model(file);
    if (!overrides.trusts_paths) require_names(file, model, overrides);
    ready = ready_for_prediction(model, overrides, registry, errors);
  });
  return ready;
}

ReadyModel ready_for_prediction(const Model& model, const PredictionOverrides& overrides, Registry& registry,
                                ErrorList& errors) {
  ReadyModel ready{model, {}, {}};
  errors.attempt([&] {
    ready.notes = override_prediction(overrides, registry, ready.model, errors);
    ready.plan = plan_prediction(registry, ready.model.settings, errors);
  });
  return ready;
}

std::vector<std::string> override_prediction(const PredictionOverrides& overrides, Registry& registry,
                                             Model& model, ErrorList& errors) {
  const std::string decoder_before = decoder_of_prediction(model.settings).name;
  const std::string ranking_before = ranking_text(model);
  const Eigen::VectorXd thresholds_before = model.thresholds;
  const auto [keys, options] = sorted(overrides.settings, errors);
  override_keys(overrides, keys, model, errors);
  override_options(options, registry, model, errors);

  std::vector<std::string> notes;
  const std::string decoder = decoder_of_prediction(model.settings).name;
  const ThresholdOn on = effective_threshold_on(model.settings, model.has_prior());
  const bool own_thresholds = model.thresholds.size() > 0 &&
                              model.thresholds.size() == thresholds_before.size() &&
                              model.thresholds == thresholds_before;
  if (overrides.decoder && !ModelPredictor::needs_decoder(model))
    notes.push_back(
        fmt::format("the labels come from thresholds on the scores W'x, so the decoder {} has no "
                    "influence on them; a rounding given by name takes the place of thresholds",
                    decoder));
  if (const std::string ranking = ranking_text(model); own_thresholds && ranking != ranking_before)
    notes.push_back(fmt::format("the model's thresholds were chosen for {}, and are applied to {}",
                                ranking_before, ranking));
  else if (own_thresholds && on == ThresholdOn::u && decoder != decoder_before)
    notes.push_back(
        fmt::format("the model's thresholds were chosen for the u of {}, and are applied to that "
                    "of {}",
                    decoder_before, decoder));
  return notes;
}

}  // namespace concord
