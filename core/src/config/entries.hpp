// SPDX-License-Identifier: MIT
#pragma once
// The keys that a config gives, with --set on top of them. What is no key is refused.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"
#include "config/value.hpp"

namespace concord {

struct ConfigEntry {
  const SettingKey* key;
  ConfigValue value;
  std::pair<size_t, size_t> at;  ///< line and column of the key
};

/// In the order of the text.
std::vector<ConfigEntry> read_entries(const ConfigValue& document, ErrorList& errors);

/// SECTION.KEY=VALUE replaces the whole value or comes last; SECTION.KEY.OPTION=VALUE sets an option of a
/// plugin and keeps the rest.
void apply_overrides(const std::vector<std::string>& overrides, std::vector<ConfigEntry>& entries,
                     ErrorList& errors);

/// The cells of these keys; Fault::input with all errors, those found so far among them.
Config config_of(const std::vector<ConfigEntry>& entries, const std::string& name, ErrorList errors);

}  // namespace concord
