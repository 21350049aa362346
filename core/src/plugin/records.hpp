// SPDX-License-Identifier: MIT
#pragma once
// Plugins as JSON: what a plugin is, what it can, and with which options it ran. Every verb and every file has its
// record from here.
#include <nlohmann/json.hpp>

#include "plugin/registry.hpp"

namespace concord {

/// A plugin at work, as --json of every verb has it: plugin, version, build, file, and options with their types.
nlohmann::ordered_json plugin_record(const BoundPlugin& bound);
/// A plugin at work, as models and results.json keep it: without its file, and options as the user writes them.
nlohmann::ordered_json kept_plugin_record(const BoundPlugin& bound);

/// Empty for a loss, which has none.
nlohmann::ordered_json capabilities_json(const Plugin& plugin);

/// What a plugin says of itself: kind, name, version, summary, licence, build, capabilities.
nlohmann::ordered_json identity_json(const Plugin& plugin);
/// Its options: name, type, default, minimum, maximum, choices, help.
nlohmann::ordered_json options_json(const Plugin& plugin);

/// A row for every plugin that a lookup could find: kind, name, version, path, status, reason, ... Each file is opened
/// in a child process of its own, so that the listing survives any of them. Fault::interrupted when stopped.
nlohmann::ordered_json list_plugins(const Registry& registry);
/// The same rows, and before them those of the plugins in memory. Every file is loaded into this process.
nlohmann::ordered_json list_plugins_in_process(const Registry& registry);

/// All that `describe` tells of a plugin: identity_json, file, options_json.
nlohmann::ordered_json plugin_description(const Plugin& plugin, const RunControl& control);
/// KIND/NAME, a path, or KIND/PATH for a file whose name does not tell its kind.
const Plugin& named_plugin(Registry& registry, const std::string& id);

}  // namespace concord
