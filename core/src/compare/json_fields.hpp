// SPDX-License-Identifier: MIT
#pragma once
// JSON files, and fields of an object that may be missing: what a file of an earlier version, or of a cell that failed, lacks.
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace concord::compare {

using Json = nlohmann::ordered_json;
/// Names with texts, in the order in which they were given.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Null where there is none.
const Json& json_at(const Json& object, const std::string& key);
/// NaN where there is none: a missing key, null, or no number.
double number_at(const Json& object, const std::string& key);
/// Empty where there is none.
std::string text_at(const Json& object, const std::string& key);
/// 0 where there is none.
template <class Integer = int64_t>
Integer integer_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_number() ? value.get<Integer>() : Integer{0};
}
bool flag_at(const Json& object, const std::string& key);
/// The number of a repeat; 1 where there is none.
int64_t repeat_at(const Json& object);

/// A string as it is, anything else as JSON.
std::string plain(const Json& value);
/// Null for the empty text.
Json text_json(const std::string& text);

NamedTexts texts_from_json(const Json& object);
Json to_json(const NamedTexts& texts);

/// Nothing if there is none, or if it is not whole.
std::optional<Json> read_json(const std::filesystem::path& file);
void write_json(const std::filesystem::path& file, const Json& json);

/// Each of the list with its own to_json.
template <class Struct>
Json list_json(const std::vector<Struct>& list) {
  Json json = Json::array();
  for (const Struct& one : list) json.push_back(to_json(one));
  return json;
}
/// Each of the list with `from`; nothing where there is no list.
template <class From>
auto list_from_json(const Json& json, From&& from) {
  std::vector<decltype(from(json))> list;
  for (const Json& one : json) list.push_back(from(one));
  return list;
}

}  // namespace concord::compare
