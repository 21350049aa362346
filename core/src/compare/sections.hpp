// SPDX-License-Identifier: MIT
#pragma once
// The tables of a comparison's config, and the settings in them as layers: the later one wins, key by key.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/entries.hpp"

namespace concord::compare {

using Entries = std::vector<ConfigEntry>;

/// Refuses members that are neither among `known` nor, where `sections` allows it, sections of a training config.
void require_known(const ConfigValue& table, const std::string& what, const std::vector<std::string>& known,
                   bool sections, ErrorList& errors);
/// Refuses a name that is not one of `names`, which are of a `kind`: dataset, method.
void require_name(const std::string& name, const char* kind, const std::vector<std::string>& names,
                  const std::string& place, ErrorList& errors);

/// The table at the key; an empty one if there is none.
const ConfigValue& table_member(const ConfigValue& table, const char* key);
/// One name, or a list of them.
std::vector<std::string> read_names(const ConfigValue& value, const std::string& expected);
/// Absolute. Fault::input where there is no such file.
std::filesystem::path existing_file(const ConfigValue& value);
/// The format of the data in a table, if it says one.
DataFormat read_format(const ConfigValue& table);

/// The settings of the members of `table` that are sections of a training config.
Entries read_sections(const ConfigValue& table, ErrorList& errors);
/// `upper` on top of `lower`: a key keeps its place, so that grids keep their order.
Entries layered(Entries lower, const Entries& upper);
bool sets(const Entries& entries, const SettingKey* key);

}  // namespace concord::compare
