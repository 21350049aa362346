// SPDX-License-Identifier: MIT
#include "config/entries.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/text.hpp"
#include "config/plugin_setting.hpp"

namespace concord {
namespace {

bool is_section(const std::string& name) {
  const std::vector<std::string> sections = setting_sections();
  return std::find(sections.begin(), sections.end(), name) != sections.end();
}

/// "; did you mean preprocess.bias?" for a key that another section has, else the nearest one of this section.
std::string similar_key(const std::string& section, const std::string& key) {
  for (const SettingKey& known : setting_keys())
    if (known.key == key) return fmt::format("; did you mean {}?", known.name());
  return did_you_mean(key, keys_of_section(section));
}

[[noreturn]] void refuse_section(const std::string& section, const std::string& place) {
  const std::vector<std::string> sections = setting_sections();
  fail(Fault::input, "{}: there is no section {}{} (the sections: {})", place, quote(section),
       did_you_mean(section, sections), fmt::join(sections, ", "));
}

const SettingKey& known_key(const std::string& section, const std::string& key, const std::string& place) {
  if (const SettingKey* known = find_setting_key(section, key)) return *known;
  fail(Fault::input, "{}: [{}] has no key {}{} (its keys: {})", place, section, quote(key),
       similar_key(section, key), fmt::join(keys_of_section(section), ", "));
}

struct Override {
  const SettingKey* key;
  std::string option;  ///< empty: the whole value
  ConfigValue value;
};

Override parse_override(const std::string& text) {
  const std::string place = "--set " + text;
  const size_t equals = std::min(text.find('='), text.size());
  std::string path = text.substr(0, equals);
  path.erase(std::remove(path.begin(), path.end(), ' '), path.end());
  const size_t dot = path.find('.');
  const std::string section = path.substr(0, dot);
  if (dot == std::string::npos || equals == text.size())
    fail(Fault::input, "{}: expected SECTION.KEY=VALUE, as in train.lambda_w=0.1{}", place,
         dot == std::string::npos ? similar_key("", section) : "");
  if (!is_section(section)) refuse_section(section, place);

  const size_t second = std::min(path.find('.', dot + 1), path.size());
  const SettingKey& key = known_key(section, path.substr(dot + 1, second - dot - 1), place);
  const std::string option = second == path.size() ? "" : path.substr(second + 1);
  const auto belongs = [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("._-").find(static_cast<char>(letter)) != std::string_view::npos;
  };
  if (!std::all_of(option.begin(), option.end(), belongs))
    fail(Fault::input, "{}: {} is not the name of an option", place, quote(option));
  if (second != path.size() && (option.empty() || key.form != SettingKey::Form::plugin))
    fail(Fault::input, "{}: {} is not a plugin with options; expected {}=VALUE", place, key.name(),
         key.name());
  return {&key, option, parse_toml_value(std::string_view(text).substr(equals + 1), place)};
}

/// The table of the plugin that the option is for: what was given, or the default.
ConfigValue plugin_table(const SettingKey& key, const ConfigEntry* given, const std::string& place) {
  ConfigValue plugin;
  if (given != nullptr) {
    plugin = given->value;
  } else {
    const nlohmann::ordered_json by_default = key.write(Settings{});
    if (by_default.is_null())
      fail(Fault::input, "{}: {} is not given, so it is not known whose option this is", place, key.name());
    plugin = value_from_json(by_default, "the default");
  }
  if (plugin.is_list())
    fail(Fault::input, "{}: {} is a grid of plugins: set it as a whole", place, key.name());
  if (plugin.is_table()) return flat_plugin_table(plugin);
  ConfigValue table = plugin;
  table.kind = ConfigValue::Kind::table;
  table.table = {{"name", plugin.place, plugin, {}}};
  return table;
}

}  // namespace

std::vector<ConfigEntry> read_entries(const ConfigValue& document, ErrorList& errors) {
  std::vector<ConfigEntry> entries;
  for (const ConfigMember& section : document.table) {
    errors.attempt([&] {
      if (!section.value.is_table() && !is_section(section.key))
        fail(Fault::input, "{}: {} is outside of any section{}", section.place, quote(section.key),
             similar_key("", section.key));
      if (!is_section(section.key)) refuse_section(section.key, section.place);
      if (!section.value.is_table())
        section.value.refuse(fmt::format("a section: [{}] on a line, and its keys below", section.key));
    });
    if (!is_section(section.key)) continue;
    for (const ConfigMember& member : section.value.table)
      errors.attempt([&] {
        entries.push_back({&known_key(section.key, member.key, member.place), member.value, member.at});
      });
  }
  // A table like [train.decoder] may stand far from its section.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const ConfigEntry& a, const ConfigEntry& b) { return a.at < b.at; });
  return entries;
}

void apply_overrides(const std::vector<std::string>& texts, std::vector<ConfigEntry>& entries,
                     ErrorList& errors) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    errors.attempt([&] {
      Override one = parse_override(text);
      for (const Override& other : overrides)
        if (other.key == one.key && other.option == one.option)
          fail(Fault::input, "{}: it is set twice, first by {}", one.value.place, other.value.place);
      overrides.push_back(std::move(one));
    });
  }
  // Whole values first, so that the options meet the plugin that will run, in whatever order they are given.
  std::stable_partition(overrides.begin(), overrides.end(),
                        [](const Override& one) { return one.option.empty(); });
  constexpr size_t last = std::numeric_limits<size_t>::max();
  for (const Override& one : overrides) {
    errors.attempt([&] {
      auto given = std::find_if(entries.begin(), entries.end(),
                                [&](const ConfigEntry& entry) { return entry.key == one.key; });
      ConfigEntry entry{one.key, one.value, {last, last}};
      if (!one.option.empty()) {
        entry.value = plugin_table(*one.key, given == entries.end() ? nullptr : &*given, one.value.place);
        auto& table = entry.value.table;
        const auto old = std::find_if(table.begin(), table.end(),
                                      [&](const ConfigMember& member) { return member.key == one.option; });
        if (old != table.end())
          old->value = one.value;
        else
          table.push_back({one.option, one.value.place, one.value, {}});
        if (given != entries.end()) {
          given->value = std::move(entry.value);
          return;
        }
      } else if (given != entries.end()) {
        entries.erase(given);
      }
      entries.push_back(std::move(entry));
    });
  }
}

}  // namespace concord
