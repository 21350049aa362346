// SPDX-License-Identifier: MIT
#pragma once
// Plugins in a config: a name, or a table { name = "...", option = value, ... }. A chain of roundings is "a+b";
// in its table an option says whose it is: { name = "a+b", a.draws = 50 }.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "config/value.hpp"

namespace concord {

/// The table with its options in one level: those of tables within it get dotted keys.
ConfigValue flat_plugin_table(const ConfigValue& table);

/// The text in which an option is handed to its plugin, which alone knows its type.
std::string plugin_option_text(const ConfigValue& value);

PluginSpec read_plugin(const ConfigValue& value);
/// In JSON a chain is a list, since the path of a plugin may hold a '+'; in TOML a list is a grid.
std::vector<PluginSpec> read_chain(const ConfigValue& value);

nlohmann::ordered_json plugin_json(const PluginSpec& choice);
/// Null for the empty chain.
nlohmann::ordered_json chain_json(const std::vector<PluginSpec>& chain);

}  // namespace concord
