// SPDX-License-Identifier: MIT
#pragma once
// Every key of a config, in one record each: its values, default, help and contradictions, how it is read into Settings
// and written back. Reader, reference and `concord describe config` use the same record.
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "config/value.hpp"

namespace concord {

/// A key without effect would be a wrong experiment. Where this holds, a key that is given is refused.
struct Contradiction {
  const char* when;  ///< for the reference: "with a method other than subgradient"
  std::vector<const char*>
      inputs;  ///< the keys that decide, so that none can be named while one of them is wrong
  std::function<bool(const Settings& settings)> holds;
  std::function<std::string(const Settings& settings)> why;
};

/// One of the words that a key takes.
struct Choice {
  std::string name;
  std::string help;  ///< may be empty
};

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
  std::string type = {};  ///< "integer", "number", "boolean", "choice", "string", "path", "paths", "plugin"
  /// Of a number; infinite where it is open.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool excludes_minimum = false;
  std::vector<Choice> choices = {};
  std::string also = {};  ///< values beside the type and the choices: "0 for none"
  std::string help = {};
  std::vector<Contradiction> contradictions = {};
  std::vector<Method> unused_by = {};  ///< methods that refuse the key, as they have no use for it
  /// Checks type and range; Fault::input. Empty for Form::paths.
  std::function<void(const ConfigValue& value, Settings& settings)> read = {};
  /// Null where the settings leave the key open.
  std::function<nlohmann::ordered_json(const Settings& settings)> write = {};

  std::string name() const { return std::string(section) + "." + key; }
  /// "integer >= 1", "one of none, l2"
  std::string domain() const;
  /// Null where the key is left open.
  nlohmann::ordered_json default_value() const;
};

/// Section by section.
const std::vector<SettingKey>& setting_keys();
/// Null if there is none.
const SettingKey* find_setting_key(const std::string& section, const std::string& key);
std::vector<std::string> setting_sections();
std::vector<std::string> keys_of_section(const std::string& section);

/// The reference: section, key, type, default, range, choices, help and contradictions of each.
nlohmann::ordered_json setting_keys_json();

}  // namespace concord
