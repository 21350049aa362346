// SPDX-License-Identifier: MIT
#include "config/value.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {
namespace {

/// The shortest text with the same bits that is a real number, not an integer, in TOML.
std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string scalar_text(const nlohmann::json& scalar) {
  if (scalar.is_string()) return scalar.get<std::string>();
  if (scalar.is_number_float()) return real_text(scalar.get<double>());
  return scalar.dump();
}

std::string quoted_text(const ConfigValue& value) {
  return value.is_string() ? value.scalar.dump() : value.text();
}

/// A list that is one value is written as the only element of a grid.
std::string member_text(const ConfigValue& value) {
  return value.is_list() ? fmt::format("[{}]", value.text()) : quoted_text(value);
}

}  // namespace

const ConfigMember* ConfigValue::find(std::string_view key) const {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const ConfigMember& member) { return member.key == key; });
  return found == table.end() ? nullptr : &*found;
}

std::string ConfigValue::text() const {
  std::vector<std::string> parts;
  switch (kind) {
    case Kind::scalar:
      return scalar_text(scalar);
    case Kind::list:
      for (const ConfigValue& element : list) parts.push_back(quoted_text(element));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Kind::table:
      for (const ConfigMember& member : table)
        parts.push_back(fmt::format("{} = {}", member.key, member_text(member.value)));
      return fmt::format("{{ {} }}", fmt::join(parts, ", "));
    case Kind::date:
      break;
  }
  return "a date or time";
}

std::string ConfigValue::found() const {
  if (kind == Kind::list) return list.empty() ? "an empty list" : "a list";
  if (kind == Kind::table) return "a table";
  return is_string() ? "the string " + quote(scalar.get_ref<const std::string&>()) : text();
}

void ConfigValue::refuse(std::string_view expected) const {
  fail(Fault::input, About{place}, "found {}; expected {}", found(), expected);
}

ConfigValue value_from_json(const nlohmann::ordered_json& json, const std::string& place,
                            const std::filesystem::path& folder) {
  ConfigValue value;
  value.place = place;
  value.folder = folder;
  if (json.is_array()) {
    value.kind = ConfigValue::Kind::list;
    for (const auto& element : json) value.list.push_back(value_from_json(element, place, folder));
  } else if (json.is_object()) {
    value.kind = ConfigValue::Kind::table;
    for (const auto& [key, member] : json.items())
      value.table.push_back(
          {key, place, value_from_json(member, fmt::format("{}.{}", place, key), folder), {}});
  } else {
    value.scalar = json;
  }
  return value;
}

nlohmann::ordered_json option_json(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  const auto is_number = [](const auto& element) { return element.is_number(); };
  const bool typed = json.is_boolean() || json.is_number() ||
                     (json.is_array() && std::all_of(json.begin(), json.end(), is_number));
  return typed && value_from_json(json, "").text() == text ? json : nlohmann::ordered_json(text);
}

}  // namespace concord
