// SPDX-License-Identifier: MIT
#pragma once
// A training config: TOML, where a list in the place of a scalar is a grid. Every key is consumed or refused.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/settings.hpp"

namespace concord {

/// One point of the grid.
struct GridPoint {
  Settings settings;
  /// The keys that are grids, with this cell's values as the user would write them: {"train.lambda_w", "0.1"}.
  std::vector<std::pair<std::string, std::string>> chosen;
};

struct Config {
  std::filesystem::path file;
  std::vector<std::filesystem::path> plugin_dirs;  ///< run.plugin_dirs, relative to the config's folder
  /// At least one. In the order of the keys in the file, the last key varying fastest. [run], [data], [select]
  /// are the same in all of them.
  std::vector<GridPoint> cells;
};

/// `overrides` are "section.key=value" as given to --set; value is TOML, or a bare word that stands for a
/// string. All errors at once, each with file:line:column (or the --set) and the key.
Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides);
/// The same for text at hand; relative paths in it are relative to `folder`.
Config parse_config(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                    const std::vector<std::string>& overrides);

/// The same for the sections as JSON; `name` stands for it in messages.
Config config_from_json(const nlohmann::ordered_json& sections, const std::string& name,
                        const std::filesystem::path& folder);

/// The effective settings, defaults included, as the config writes them; and back (for model files).
nlohmann::ordered_json settings_json(const Settings& settings);
Settings settings_from_json(const nlohmann::ordered_json& json);

}  // namespace concord
