// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.hpp"
#include "compare/plan_parts.hpp"
#include "config/readers.hpp"
#include "data/files.hpp"

namespace concord::compare {
namespace {

template <class List>
bool has(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

void require_known(const ConfigValue& table, const std::string& what, const std::vector<std::string>& known,
                   bool sections, ErrorList& errors) {
  std::vector<std::string> all = known;
  if (sections)
    for (const std::string& section : setting_sections())
      if (section != "data") all.push_back(section);
  for (const ConfigMember& member : table.table)
    if (!has(all, member.key))
      errors.add(Fault::input,
                 fmt::format("{}: {} has no key {}{} (its keys: {})", member.place, what, quote(member.key),
                             did_you_mean(member.key, all), fmt::join(all, ", ")));
}

void require_name(const std::string& name, const char* kind, const std::vector<std::string>& names,
                  const std::string& place, ErrorList& errors) {
  if (!has(names, name))
    errors.add(Fault::input, fmt::format("{}: there is no {} {}{} (the {}s: {})", place, kind, quote(name),
                                         did_you_mean(name, names), kind, fmt::join(names, ", ")));
}

const ConfigValue& table_member(const ConfigValue& table, const char* key) {
  static const ConfigValue empty = [] {
    ConfigValue value;
    value.kind = ConfigValue::Kind::table;
    return value;
  }();
  const ConfigMember* member = table.find(key);
  if (member == nullptr) return empty;
  if (!member->value.is_table()) member->value.refuse("a table");
  return member->value;
}

std::vector<std::string> read_names(const ConfigValue& value, const std::string& expected) {
  std::vector<std::string> names;
  if (!value.is_list()) return {read_string(value, expected)};
  for (const ConfigValue& element : value.list) names.push_back(read_string(element, expected));
  return names;
}

std::filesystem::path existing_file(const ConfigValue& value) {
  const std::filesystem::path file = std::filesystem::absolute(read_path(value)).lexically_normal();
  if (!std::filesystem::is_regular_file(file))
    fail(Fault::io, About{value.place, file.string()}, "there is no file {}", file.string());
  return file;
}

std::vector<double> read_shares(const ConfigValue& value) {
  const std::string expected =
      "shares of the labels from 0 to below 1, each larger than the one before, as in "
      "[0, 0.1, 0.5]";
  if (!value.is_list() || value.list.empty()) value.refuse(expected);
  std::vector<double> shares;
  for (const ConfigValue& element : value.list) {
    shares.push_back(read_real(element, expected));
    if (shares.back() < 0 || shares.back() >= 1 ||
        (shares.size() > 1 && shares.back() <= shares[shares.size() - 2]))
      element.refuse(expected);
  }
  return shares;
}

DataFormat read_format(const ConfigValue& table) {
  const ConfigMember* given = table.find("format");
  if (given == nullptr) return DataFormat::detect;
  return read_choice(given->value, {DataFormat::arff, DataFormat::libsvm, DataFormat::csv, DataFormat::numpy,
                                    DataFormat::xc, DataFormat::detect});
}

Entries read_sections(const ConfigValue& table, ErrorList& errors) {
  ConfigValue document = table;
  const std::vector<std::string> sections = setting_sections();
  std::erase_if(document.table, [&](const ConfigMember& member) { return !has(sections, member.key); });
  return read_entries(document, errors);
}

Entries layered(Entries lower, const Entries& upper) {
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

bool sets(const Entries& entries, const SettingKey* key) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ConfigEntry& entry) { return entry.key == key; });
}

}  // namespace concord::compare
