// SPDX-License-Identifier: MIT
#pragma once
// The keys that a config gives, with --set on top of them. What is no key is refused.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"
#include "config/value.hpp"
#include "solve/plan.hpp"

namespace concord {

/// --set PATH=VALUE, as every verb takes it. VALUE is TOML, or a bare word that stands for a string.
struct Assignment {
  explicit Assignment(const std::string& text);

  std::string path;                 ///< "train.lambda_w", "decoder.tol"; without blanks
  std::optional<std::string> text;  ///< VALUE as it was written; nothing without a '='
  std::string place;                ///< "--set train.lambda_w=0.1"

  bool has_value() const { return text.has_value(); }
  /// Fault::input if VALUE is missing or begins like TOML and is none.
  ConfigValue value() const;
  /// The part of the path before its first dot; all of it if there is none.
  std::string head() const { return path.substr(0, path.find('.')); }
};

/// SCOPE.OPTION=VALUE, for the plugin that SCOPE names.
ScopedSetting scoped_setting(const Assignment& assignment);

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
