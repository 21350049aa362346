// SPDX-License-Identifier: MIT
#pragma once
// One reader for each kind of value that a key may have. A plugin is a name, or a table { name = "...", option = value };
// a chain of roundings is "a+b", and in its table an option says whose it is: { name = "a+b", a.draws = 50 }.
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "config/value.hpp"

namespace concord {

bool read_boolean(const ConfigValue& value);
int64_t read_integer(const ConfigValue& value, int64_t low,
                     int64_t high = std::numeric_limits<int64_t>::max());
uint64_t read_seed(const ConfigValue& value);
int64_t read_folds(const ConfigValue& value);
/// A finite number; an integer is one too.
double read_real(const ConfigValue& value, const std::string& expected);
struct NumberRange {
  double minimum = 0;
  bool excludes_minimum = false;
  double maximum = std::numeric_limits<double>::infinity();
};
double read_number(const ConfigValue& value, const NumberRange& range);
double read_positive(const ConfigValue& value);
/// Not empty, and without a zero byte, which would end it early in a plugin or a file name.
std::string read_string(const ConfigValue& value, const std::string& expected);
/// Relative to the folder of the value.
std::filesystem::path read_path(const ConfigValue& value);
/// A file, relative to the folder of the value, or columns, which are kept as they are.
std::filesystem::path read_labels_place(const ConfigValue& value);

/// The index of the name; `also` is said before the names.
size_t read_name(const ConfigValue& value, const std::vector<std::string>& names, const char* also);

template <class Enum>
Enum read_choice(const ConfigValue& value, std::initializer_list<Enum> choices, const char* also = "") {
  std::vector<std::string> names;
  for (const Enum choice : choices) names.emplace_back(name_of(choice));
  return choices.begin()[read_name(value, names, also)];
}

/// The table with its options in one level: those of tables within it get dotted keys.
ConfigValue flat_plugin_table(const ConfigValue& table);

/// The text in which an option is handed to its plugin, which alone knows its type.
std::string plugin_option_text(const ConfigValue& value);

PluginSpec read_plugin(const ConfigValue& value);
/// A loss plugin, or the name of a metric.
PluginSpec read_metric(const ConfigValue& value);
/// In JSON a chain is a list, since the path of a plugin may hold a '+'; in TOML a list is a grid.
std::vector<PluginSpec> read_chain(const ConfigValue& value);

nlohmann::ordered_json plugin_json(const PluginSpec& choice);
/// Null for the empty chain.
nlohmann::ordered_json chain_json(const std::vector<PluginSpec>& chain);

}  // namespace concord
