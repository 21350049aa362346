// SPDX-License-Identifier: MIT
// Settings as JSON, key by key as the config writes them.
#include "base/error.hpp"
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"

namespace concord {

nlohmann::ordered_json settings_json(const Settings& settings) {
  nlohmann::ordered_json json;
  for (const std::string& section : setting_sections()) json[section] = nlohmann::ordered_json::object();
  for (const SettingKey& key : setting_keys()) {
    if (key.write == nullptr) continue;
    if (auto value = key.write(settings); !value.is_null()) json[key.section][key.key] = std::move(value);
  }
  return json;
}

Settings settings_from_json(const nlohmann::ordered_json& json) {
  const ConfigValue config = value_from_json(json, "config");
  if (!config.is_table()) config.refuse("the sections of a config");
  const Settings defaults;
  Settings settings;
  for (const SettingKey& key : setting_keys()) {
    if (key.read == nullptr) continue;
    const ConfigMember* const section = config.find(key.section);
    const ConfigMember* const member = section == nullptr ? nullptr : section->value.find(key.key);
    if (member != nullptr) {
      key.read(member->value, settings);
    } else if (!key.write(defaults).is_null()) {
      fail(Fault::input, "config.{} is missing", key.name());
    }
  }
  // Every key must have been taken: another one means something that this version does not know.
  for (const ConfigMember& section : config.table) {
    if (!section.value.is_table()) section.value.refuse("a section");
    for (const ConfigMember& member : section.value.table)
      if (const SettingKey* key = find_setting_key(section.key, member.key);
          key == nullptr || key->read == nullptr)
        fail(Fault::input, "config has an unknown key {}", quote(section.key + "." + member.key));
  }
  return settings;
}

}  // namespace concord
