// SPDX-License-Identifier: MIT
// Keys as words and as JSON: their records, for docs/config.md and `concord describe config`, and the values of
// Settings.
#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

std::string range_text(const SettingKey& key) {
  const bool has_minimum = std::isfinite(key.minimum), has_maximum = std::isfinite(key.maximum);
  if (has_minimum && has_maximum) return fmt::format(" {} to {}", key.minimum, key.maximum);
  if (has_minimum) return fmt::format(" {} {}", key.excludes_minimum ? ">" : ">=", key.minimum);
  return "";
}

Json end_json(const SettingKey& key, double end) {
  if (!std::isfinite(end)) return nullptr;
  return key.type == "integer" ? Json(static_cast<int64_t>(end)) : Json(end);
}

}  // namespace

std::string SettingKey::domain() const {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.push_back(choice.name);
  const std::string words = fmt::format("one of {}", fmt::join(names, ", "));
  if (type == "choice") return words;
  std::string text = type == "boolean" ? "true or false"
                     : type == "paths" ? "list of paths"
                                       : type + range_text(*this);
  if (!choices.empty()) text += ", or " + words;
  if (!also.empty()) text += ", or " + also;
  return text;
}

Json SettingKey::default_value() const {
  return write ? write(Settings{}) : Json();
}

Json setting_keys_json() {
  Json keys = Json::array();
  for (const SettingKey& key : setting_keys()) {
    Json one = {
        {"section", key.section}, {"key", key.key}, {"type", key.type}, {"default", key.default_value()}};
    if (key.type == "integer" || key.type == "number") {
      one["minimum"] = end_json(key, key.minimum);
      one["maximum"] = end_json(key, key.maximum);
      one["excludes_minimum"] = key.excludes_minimum;
    }
    if (!key.choices.empty()) {
      one["choices"] = Json::array();
      for (const Choice& choice : key.choices)
        one["choices"].push_back({{"name", choice.name}, {"help", choice.help}});
    }
    one["domain"] = key.domain();
    one["grid"] = key.form == SettingKey::Form::grid || key.form == SettingKey::Form::plugin;
    one["help"] = key.help;
    one["refused"] = Json::array();
    for (const Contradiction& contradiction : key.contradictions)
      one["refused"].push_back(contradiction.when);
    keys.push_back(std::move(one));
  }
  return keys;
}

Json settings_json(const Settings& settings) {
  Json json;
  for (const std::string& section : setting_sections()) json[section] = Json::object();
  for (const SettingKey& key : setting_keys()) {
    if (!key.write) continue;
    if (auto value = key.write(settings); !value.is_null()) json[key.section][key.key] = std::move(value);
  }
  if (json["scores"].empty()) json.erase("scores");  // as in files of version 0.1, which had none
  return json;
}

Settings settings_from_json(const Json& json) {
  const ConfigValue config = value_from_json(json, "config");
  if (!config.is_table()) config.refuse("the sections of a config");
  const Settings defaults;
  Settings settings;
  for (const SettingKey& key : setting_keys()) {
    if (!key.read) continue;
    const ConfigMember* const section = config.find(key.section);
    const ConfigMember* const member = section == nullptr ? nullptr : section->value.find(key.key);
    if (member != nullptr) {
      key.read(member->value, settings);
    } else if (!key.write(defaults).is_null()) {
      fail(Fault::input, About{"", key.name()}, "config.{} is missing", key.name());
    }
  }
  // Every key must have been taken: another one means something that this version does not know.
  for (const ConfigMember& section : config.table) {
    if (!section.value.is_table()) section.value.refuse("a section");
    for (const ConfigMember& member : section.value.table)
      if (const SettingKey* key = find_setting_key(section.key, member.key); key == nullptr || !key->read)
        fail(Fault::input, "config has an unknown key {}", quote(section.key + "." + member.key));
  }
  return settings;
}

}  // namespace concord
