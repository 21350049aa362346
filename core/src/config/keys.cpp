// SPDX-License-Identifier: MIT
#include "config/keys.hpp"

#include <optional>

#include "config/plugin_setting.hpp"
#include "config/readers.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;
using Form = SettingKey::Form;

Json path_json(const std::filesystem::path& path) {
  return path.empty() ? Json() : Json(path.string());
}

template <class Enum>
Json name_json(const std::optional<Enum>& value) {
  return value ? Json(name_of(*value)) : Json();
}

template <class Number>
Json number_json(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

void read_threshold(const ConfigValue& value, Settings& settings) {
  PredictSettings& predict = settings.predict;
  predict.threshold_value = 0;
  if (!value.is_string()) {
    predict.threshold_value = read_real(value, "a finite number, none, tuned, per-label or expected-f1");
    predict.threshold = ThresholdKind::fixed;
  } else {
    predict.threshold = read_choice(
        value,
        {ThresholdKind::none, ThresholdKind::tuned, ThresholdKind::per_label, ThresholdKind::expected_f1},
        "a number, ");
  }
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> keys = {
      {"run", "seed", Form::single, [](const ConfigValue& v, Settings& s) { s.run.seed = read_seed(v); },
       [](const Settings& s) { return Json(s.run.seed); }},
      {"run", "threads", Form::single,
       [](const ConfigValue& v, Settings& s) { s.run.threads = static_cast<int>(read_integer(v, 0, 256)); },
       [](const Settings& s) { return Json(s.run.threads); }},
      {"run", "checkpoint", Form::single,
       [](const ConfigValue& v, Settings& s) { s.run.checkpoint = read_non_negative(v); },
       [](const Settings& s) { return Json(s.run.checkpoint); }},
      {"run", "plugin_dirs", Form::paths, nullptr, nullptr},

      {"data", "train", Form::single, [](const ConfigValue& v, Settings& s) { s.data.train = read_path(v); },
       [](const Settings& s) { return path_json(s.data.train); }},
      {"data", "labels", Form::single,
       [](const ConfigValue& v, Settings& s) { s.data.labels = read_path(v); },
       [](const Settings& s) { return path_json(s.data.labels); }},
      {"data", "format", Form::single,
       [](const ConfigValue& v, Settings& s) {
         s.data.format = read_choice(v, {DataFormat::detect, DataFormat::arff, DataFormat::libsvm});
       },
       [](const Settings& s) { return Json(name_of(s.data.format)); }},

      {"preprocess", "scale", Form::grid,
       [](const ConfigValue& v, Settings& s) {
         s.preprocess.scale = read_choice(v, {Scale::none, Scale::l2, Scale::standardise, Scale::idf});
       },
       [](const Settings& s) { return Json(name_of(s.preprocess.scale)); }},
      {"preprocess", "bias", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.preprocess.bias = read_non_negative(v); },
       [](const Settings& s) { return Json(s.preprocess.bias); }},
      {"preprocess", "fourier", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.preprocess.fourier = read_integer(v, 1, 1'000'000); },
       [](const Settings& s) { return number_json(s.preprocess.fourier); }},
      {"preprocess", "fourier_width", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.preprocess.fourier_width = read_positive(v); },
       [](const Settings& s) { return number_json(s.preprocess.fourier_width); }},

      {"train", "method", Form::grid,
       [](const ConfigValue& v, Settings& s) {
         s.train.method = read_choice(v, {Method::bcfw, Method::subgradient, Method::ovr});
       },
       [](const Settings& s) { return Json(name_of(s.train.method)); }},
      {"train", "decoder", Form::plugin,
       [](const ConfigValue& v, Settings& s) { s.train.decoder = read_plugin(v); },
       [](const Settings& s) { return plugin_json(s.train.decoder); }},
      {"train", "loss", Form::plugin,
       [](const ConfigValue& v, Settings& s) { s.train.loss = read_plugin(v); },
       [](const Settings& s) { return plugin_json(s.train.loss); }},
      {"train", "prior", Form::grid,
       [](const ConfigValue& v, Settings& s) {
         s.train.prior =
             read_choice(v, {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none});
       },
       [](const Settings& s) { return name_json(s.train.prior); }},
      {"train", "diagonal", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.diagonal = read_boolean(v); },
       [](const Settings& s) { return s.train.diagonal ? Json(*s.train.diagonal) : Json(); }},
      {"train", "lambda_w", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.lambda_w = read_positive(v); },
       [](const Settings& s) { return Json(s.train.lambda_w); }},
      {"train", "lambda_a", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.lambda_a = read_positive(v); },
       [](const Settings& s) { return Json(s.train.lambda_a); }},
      {"train", "epochs", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.epochs = read_integer(v, 1); },
       [](const Settings& s) { return Json(s.train.epochs); }},
      {"train", "batch", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.batch = read_integer(v, 1); },
       [](const Settings& s) { return Json(s.train.batch); }},
      {"train", "warm_start", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.train.warm_start = read_boolean(v); },
       [](const Settings& s) { return Json(s.train.warm_start); }},
      {"train", "hinge", Form::grid,
       [](const ConfigValue& v, Settings& s) {
         s.train.hinge = read_choice(v, {HingeLoss::hinge, HingeLoss::squared_hinge});
       },
       [](const Settings& s) { return Json(name_of(s.train.hinge)); }},

      {"select", "folds", Form::single,
       [](const ConfigValue& v, Settings& s) { s.select.folds = read_folds(v); },
       [](const Settings& s) { return Json(s.select.folds); }},
      {"select", "holdout", Form::single,
       [](const ConfigValue& v, Settings& s) { s.select.holdout = read_holdout(v); },
       [](const Settings& s) { return Json(s.select.holdout); }},
      {"select", "repeats", Form::single,
       [](const ConfigValue& v, Settings& s) { s.select.repeats = read_integer(v, 1); },
       [](const Settings& s) { return Json(s.select.repeats); }},
      {"select", "metric", Form::single,
       [](const ConfigValue& v, Settings& s) { s.select.metric = read_string(v, "the name of a metric"); },
       [](const Settings& s) { return Json(s.select.metric); }},
      {"select", "lambda_per_label", Form::single,
       [](const ConfigValue& v, Settings& s) { s.select.lambda_per_label = read_boolean(v); },
       [](const Settings& s) { return Json(s.select.lambda_per_label); }},

      {"predict", "decoder", Form::plugin,
       [](const ConfigValue& v, Settings& s) { s.predict.decoder = read_plugin(v); },
       [](const Settings& s) { return s.predict.decoder ? plugin_json(*s.predict.decoder) : Json(); }},
      {"predict", "rounding", Form::plugin,
       [](const ConfigValue& v, Settings& s) { s.predict.rounding = read_chain(v); },
       [](const Settings& s) { return chain_json(s.predict.rounding); }},
      {"predict", "threshold", Form::grid, read_threshold,
       [](const Settings& s) {
         return s.predict.threshold == ThresholdKind::fixed ? Json(s.predict.threshold_value)
                                                            : Json(name_of(s.predict.threshold));
       }},
      {"predict", "threshold_on", Form::grid,
       [](const ConfigValue& v, Settings& s) {
         s.predict.threshold_on = read_choice(v, {ThresholdOn::scores, ThresholdOn::u});
       },
       [](const Settings& s) { return name_json(s.predict.threshold_on); }},
      {"predict", "min_labels", Form::grid,
       [](const ConfigValue& v, Settings& s) { s.predict.min_labels = read_integer(v, 0); },
       [](const Settings& s) { return Json(s.predict.min_labels); }},
  };
  return keys;
}

const SettingKey* find_setting_key(const std::string& section, const std::string& key) {
  for (const SettingKey& known : setting_keys())
    if (known.section == section && known.key == key) return &known;
  return nullptr;
}

std::vector<std::string> setting_sections() {
  std::vector<std::string> sections;
  for (const SettingKey& known : setting_keys())
    if (sections.empty() || sections.back() != known.section) sections.emplace_back(known.section);
  return sections;
}

std::vector<std::string> keys_of_section(const std::string& section) {
  std::vector<std::string> keys;
  for (const SettingKey& known : setting_keys())
    if (known.section == section) keys.emplace_back(known.key);
  return keys;
}

}  // namespace concord
