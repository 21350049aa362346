// SPDX-License-Identifier: MIT
#pragma once
// Every key of a config: how it is read into Settings and written back. The one place that knows them all.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "config/value.hpp"

namespace concord {

struct SettingKey {
  enum class Form {
    single,  ///< one value
    grid,    ///< one value, or a list of them: a grid
    plugin,  ///< a name or a table with options, each of which may be a grid; or a list of those
    paths    ///< a list of paths, which Settings does not hold
  };

  const char* section;
  const char* key;
  Form form;
  /// Checks type and range; Fault::input. Null for Form::paths.
  void (*read)(const ConfigValue& value, Settings& settings);
  /// Null where the settings leave the key open.
  nlohmann::ordered_json (*write)(const Settings& settings);

  std::string name() const { return std::string(section) + "." + key; }
};

/// Section by section.
const std::vector<SettingKey>& setting_keys();
/// Null if there is none.
const SettingKey* find_setting_key(const std::string& section, const std::string& key);
std::vector<std::string> setting_sections();
std::vector<std::string> keys_of_section(const std::string& section);

}  // namespace concord
