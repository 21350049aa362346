// SPDX-License-Identifier: MIT
#include "compare/layers.hpp"

#include <algorithm>

#include "config/grid.hpp"
#include "plugin/reference.hpp"

namespace concord {
namespace {

nlohmann::ordered_json value_json(const ConfigValue& value) {
  if (value.is_table()) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const ConfigMember& member : value.table) json[member.key] = value_json(member.value);
    return json;
  }
  if (value.is_list()) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ConfigValue& element : value.list) json.push_back(value_json(element));
    return json;
  }
  return nlohmann::ordered_json(value.scalar);
}

std::filesystem::path absolute(const std::string& path, const std::filesystem::path& folder) {
  return std::filesystem::absolute(folder / path).lexically_normal();
}

/// A chain "a+b" in which files are found from anywhere.
std::string located(const std::string& chain, const std::filesystem::path& folder, const std::string& place) {
  std::string result;
  for (const std::string& part : chain_parts(chain, place))
    result += (result.empty() ? "" : "+") +
              (PluginReference(part).is_file() ? absolute(part, folder).string() : part);
  return result;
}

/// The request goes to another process, for which no path may be relative.
ConfigValue with_absolute_paths(const SettingKey& key, ConfigValue value) {
  if (value.is_list()) {
    for (ConfigValue& element : value.list) element = with_absolute_paths(key, std::move(element));
  } else if (value.is_table()) {
    for (ConfigMember& member : value.table)
      if (member.key == "name") member.value = with_absolute_paths(key, std::move(member.value));
  } else if (value.is_string()) {
    const std::string text = value.scalar;
    if (key.form == SettingKey::Form::plugin) value.scalar = located(text, value.folder, value.place);
    if (key.form == SettingKey::Form::paths) value.scalar = absolute(text, value.folder).string();
  }
  return value;
}

}  // namespace

bool is_setting_section(const std::string& name) {
  const std::vector<std::string> sections = setting_sections();
  return std::find(sections.begin(), sections.end(), name) != sections.end();
}

ConfigValue sections_of(const ConfigValue& table) {
  ConfigValue document = table;
  std::erase_if(document.table, [](const ConfigMember& member) { return !is_setting_section(member.key); });
  return document;
}

std::vector<ConfigEntry> layered(std::vector<ConfigEntry> lower, const std::vector<ConfigEntry>& upper) {
  for (const ConfigEntry& entry : upper) {
    const auto same = std::find_if(lower.begin(), lower.end(),
                                   [&](const ConfigEntry& other) { return other.key == entry.key; });
    if (same != lower.end())
      *same = entry;
    else
      lower.push_back(entry);
  }
  return lower;
}

std::vector<AxisPoint> points_of(const std::vector<ConfigEntry>& axes) {
  std::vector<size_t> counts;
  for (const ConfigEntry& axis : axes) {
    if (!axis.value.is_list() || axis.value.list.empty())
      axis.value.refuse("a list of values: every one of them becomes a column");
    counts.push_back(axis.value.list.size());
  }
  if (!fits_in_grid(counts))
    fail(Fault::input, "{}: more than {} columns", axes.front().value.place, kMostCells);
  std::vector<AxisPoint> points;
  for_product(counts, [&](const std::vector<size_t>& indices) {
    AxisPoint point;
    for (size_t i = 0; i < axes.size(); ++i) {
      const ConfigValue& value = axes[i].value.list[indices[i]];
      point.entries.push_back({axes[i].key, value, axes[i].at});
      point.texts.push_back(value.text());
    }
    points.push_back(std::move(point));
  });
  return points;
}

nlohmann::ordered_json document_json(const std::vector<ConfigEntry>& entries) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const ConfigEntry& entry : entries)
    json[entry.key->section][entry.key->key] = value_json(with_absolute_paths(*entry.key, entry.value));
  return json;
}

}  // namespace concord
