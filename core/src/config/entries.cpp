// SPDX-License-Identifier: MIT
#include "config/entries.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/text.hpp"
#include "base/text_lines.hpp"
#include "config/readers.hpp"

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
  fail(Fault::input, About{place, section}, "there is no section {}{} (the sections: {})", quote(section),
       did_you_mean(section, sections), fmt::join(sections, ", "));
}

const SettingKey& known_key(const std::string& section, const std::string& key, const std::string& place) {
  if (const SettingKey* known = find_setting_key(section, key)) return *known;
  fail(Fault::input, About{place, section + "." + key}, "[{}] has no key {}{} (its keys: {})", section,
       quote(key), similar_key(section, key), fmt::join(keys_of_section(section), ", "));
}

struct Override {
  const SettingKey* key;
  std::string option;  ///< empty: the whole value
  ConfigValue value;
};

Override parse_override(const std::string& text) {
  const Assignment assignment(text);
  const std::string& path = assignment.path;
  const std::string& place = assignment.place;
  const size_t dot = path.find('.');
  const std::string section = assignment.head();
  if (dot == std::string::npos || !assignment.has_value())
    fail(Fault::input, About{place}, "expected SECTION.KEY=VALUE, as in train.lambda_w=0.1{}",
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
    fail(Fault::input, About{place, key.name()}, "{} is not the name of an option", quote(option));
  if (second != path.size() && (option.empty() || key.type != "plugin"))
    fail(Fault::input, About{place, key.name()}, "{} is not a plugin with options; expected {}=VALUE",
         key.name(), key.name());
  return {&key, option, assignment.value()};
}

/// The table of the plugin that the option is for: what was given, or the default.
ConfigValue plugin_table(const SettingKey& key, const ConfigEntry* given, const std::string& place) {
  ConfigValue plugin;
  if (given != nullptr) {
    plugin = given->value;
  } else {
    const nlohmann::ordered_json by_default = key.write(Settings{});
    if (by_default.is_null())
      fail(Fault::input, About{place, key.name()}, "{} is not given, so it is not known whose option this is",
           key.name());
    plugin = value_from_json(by_default, "the default");
  }
  if (plugin.is_list())
    fail(Fault::input, About{place, key.name()}, "{} is a grid of plugins: set it as a whole", key.name());
  if (plugin.is_table()) return flat_plugin_table(plugin);
  ConfigValue table = plugin;
  table.kind = ConfigValue::Kind::table;
  table.table = {{"name", plugin.place, plugin, {}}};
  return table;
}

}  // namespace

Assignment::Assignment(const std::string& whole) : place("--set " + whole) {
  const size_t equals = whole.find('=');
  path = whole.substr(0, equals);
  std::erase(path, ' ');
  if (equals != std::string::npos) text = whole.substr(equals + 1);
}

ConfigValue Assignment::value() const {
  return parse_toml_value(text.value_or(""), place);
}

ScopedSetting scoped_setting(const Assignment& assignment) {
  const std::string& path = assignment.path;
  const size_t dot = path.rfind('.');
  if (!assignment.has_value() || dot == std::string::npos || dot == 0 || dot + 1 == path.size())
    fail(Fault::input, About{assignment.place}, "expected SCOPE.OPTION=VALUE, as in decoder.tol=1e-4");
  const ConfigValue value = assignment.value();
  const std::string given(without_blanks(*assignment.text));
  // A word or a number is handed on as it was written; quotes of a string go.
  const bool as_written =
      value.kind == ConfigValue::Kind::scalar && given.front() != '"' && given.front() != '\'';
  return {path.substr(0, dot),
          {path.substr(dot + 1), as_written ? given : plugin_option_text(value), assignment.place}};
}

std::vector<ScopedSetting> scoped_settings(const nlohmann::ordered_json& options, const std::string& place) {
  const ConfigValue table = value_from_json(options, place);
  if (!table.is_table()) table.refuse("an object of SCOPE.OPTION and values");
  std::vector<ScopedSetting> settings;
  for (const ConfigMember& member : table.table) {
    const size_t dot = member.key.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == member.key.size())
      fail(Fault::input, About{member.value.place, member.key},
           "expected SCOPE.OPTION, as in decoder.tol; found {}", quote(member.key));
    settings.push_back({member.key.substr(0, dot),
                        {member.key.substr(dot + 1), plugin_option_text(member.value), member.value.place}});
  }
  return settings;
}

std::vector<ConfigEntry> read_entries(const ConfigValue& document, ErrorList& errors) {
  std::vector<ConfigEntry> entries;
  for (const ConfigMember& section : document.table) {
    errors.attempt([&] {
      if (!section.value.is_table() && !is_section(section.key))
        fail(Fault::input, About{section.place, section.key}, "{} is outside of any section{}",
             quote(section.key), similar_key("", section.key));
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
          fail(Fault::input, About{one.value.place, one.key->name()}, "it is set twice, first by {}",
               other.value.place);
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
