// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/readers.hpp"
#include "plugin/reference.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

const char* const kExpectedPlugin =
    "the name of a plugin, or a table { name = \"...\", option = value, ... }";
const char* const kExpectedMetric =
    "the name of a metric, or a loss as \"loss/NAME\" or { name = \"loss/NAME\", option = value, ... }";

struct NamedOptions {
  std::string name;
  std::string place;
  std::filesystem::path folder;
  std::vector<Setting> options;
};

NamedOptions read_table(const ConfigValue& value, const char* expected = kExpectedPlugin) {
  if (!value.is_table()) return {read_string(value, expected), value.place, value.folder, {}};
  const ConfigMember* const name = value.find("name");
  if (name == nullptr)
    fail(Fault::input, About{value.place}, "a table without a name; expected {}", expected);
  if (name->value.is_list())
    name->value.refuse("one name; a grid of plugins is a list of names or of tables");
  NamedOptions read{read_string(name->value, expected), value.place, name->value.folder, {}};
  for (const ConfigMember& member : flat_plugin_table(value).table)
    if (member.key != "name")
      read.options.push_back({member.key, plugin_option_text(member.value), member.value.place});
  return read;
}

PluginSpec located(NamedOptions read) {
  return {located_plugin(read.name, read.folder), std::move(read.options), read.place};
}

void flatten(const ConfigValue& table, const std::string& prefix, std::vector<ConfigMember>& members) {
  for (const ConfigMember& member : table.table) {
    const std::string key = prefix + member.key;
    if (member.value.is_table())
      flatten(member.value, key + ".", members);
    else
      members.push_back({key, member.place, member.value, member.at});
  }
}

}  // namespace

std::string plugin_option_text(const ConfigValue& value) {
  const char* const expected = "a number, a string, true or false, or a list of numbers";
  const auto is_number = [](const ConfigValue& element) {
    return element.kind == ConfigValue::Kind::scalar && element.scalar.is_number();
  };
  if (value.is_list()) {
    if (!std::all_of(value.list.begin(), value.list.end(), is_number)) value.refuse(expected);
    return value.text();
  }
  if (value.kind != ConfigValue::Kind::scalar || value.scalar.is_null()) value.refuse(expected);
  if (value.is_string() && value.scalar.get_ref<const std::string&>().find('\0') != std::string::npos)
    value.refuse("a string without a zero byte");
  return value.text();
}

ConfigValue flat_plugin_table(const ConfigValue& table) {
  ConfigValue flat = table;
  flat.table.clear();
  flatten(table, "", flat.table);
  for (size_t i = 0; i < flat.table.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (flat.table[i].key == flat.table[j].key)
        fail(Fault::input, About{flat.table[i].place}, "{} is given twice", quote(flat.table[i].key));
  return flat;
}

PluginSpec read_plugin(const ConfigValue& value) {
  return located(read_table(value));
}

PluginSpec read_metric(const ConfigValue& value) {
  return located(read_table(value, kExpectedMetric));
}

std::vector<PluginSpec> read_chain(const ConfigValue& value) {
  std::vector<PluginSpec> chain;
  if (value.is_list()) {
    for (const ConfigValue& part : value.list) chain.push_back(read_plugin(part));
    return chain;
  }
  const NamedOptions read = read_table(value);
  std::vector<std::string> names;
  for (const std::string& part : chain_parts(read.name, read.place)) {
    chain.push_back({located_plugin(part, read.folder), {}, read.place});
    names.push_back(PluginReference(part).name);
  }
  for (const Setting& option : read.options) {
    const size_t dot = option.key.rfind('.');
    if (dot == std::string::npos && chain.size() > 1)
      fail(Fault::input, About{option.origin}, "{} has {} parts: say whose option this is, as in {}.{}",
           quote(read.name), chain.size(), names.front(), option.key);
    const std::string owner = dot == std::string::npos ? names.front() : option.key.substr(0, dot);
    if (std::find(names.begin(), names.end(), owner) == names.end())
      fail(Fault::input, About{option.origin}, "{} is no part of {}{}", quote(owner), quote(read.name),
           did_you_mean(owner, names));
    const std::string key = option.key.substr(dot + 1);  // npos + 1 is 0
    for (size_t i = 0; i < chain.size(); ++i)
      if (names[i] == owner) chain[i].settings.push_back({key, option.value, option.origin});
  }
  return chain;
}

Json plugin_json(const PluginSpec& choice) {
  if (choice.settings.empty()) return choice.name;
  Json json = {{"name", choice.name}};
  for (const Setting& option : choice.settings) json[option.key] = option_json(option.value);
  return json;
}

Json chain_json(const std::vector<PluginSpec>& chain) {
  Json json;
  for (const PluginSpec& part : chain) json.push_back(plugin_json(part));
  return json;
}

}  // namespace concord
