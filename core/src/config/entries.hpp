// SPDX-License-Identifier: MIT
#pragma once
// The keys that a config gives, with --set on top of them, and the points of the grid that they span. What is no key is
// refused.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"
#include "config/value.hpp"
#include "solve/plan.hpp"

namespace concord {

inline constexpr size_t kMostCells = 10'000;

/// One of the values that a key takes, and what of it is a choice of the grid.
struct Alternative {
  ConfigValue value;
  std::vector<std::pair<std::string, std::string>> chosen;
};

/// The values of one key in their order: one, unless it is a grid. Fault::input for an empty list, for a grid
/// where none is possible, and for more than kMostCells.
std::vector<Alternative> expand(const SettingKey& key, const ConfigValue& value);

/// Calls visit(indices) for every combination, the last index varying fastest.
template <class Visit>
void for_product(const std::vector<size_t>& counts, Visit&& visit) {
  std::vector<size_t> indices(counts.size(), 0);
  while (true) {
    visit(indices);
    size_t i = counts.size();
    while (i > 0 && ++indices[i - 1] == counts[i - 1]) indices[--i] = 0;
    if (i == 0) return;
  }
}

/// The product of the counts, or nothing above kMostCells.
bool fits_in_grid(const std::vector<size_t>& counts);

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

/// The same of {"SCOPE.OPTION": VALUE}; `place` stands for the object in messages.
std::vector<ScopedSetting> scoped_settings(const nlohmann::ordered_json& options, const std::string& place);

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
