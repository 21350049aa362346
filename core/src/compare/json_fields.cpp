// SPDX-License-Identifier: MIT
#include "compare/json_fields.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"

namespace concord::compare {

const Json& json_at(const Json& object, const std::string& key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() ? none : *at;
}

double number_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_number() ? value.get<double>() : unknown;
}

std::string text_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_null() ? "" : plain(value);
}

bool flag_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_boolean() && value.get<bool>();
}

int64_t repeat_at(const Json& object) {
  return std::max<int64_t>(1, integer_at(object, "repeat"));
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json text_json(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

NamedTexts texts_from_json(const Json& object) {
  NamedTexts texts;
  if (object.is_object())
    for (const auto& [name, value] : object.items()) texts.emplace_back(name, plain(value));
  return texts;
}

Json to_json(const NamedTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, text] : texts) json[name] = text;
  return json;
}

std::optional<Json> read_json(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  std::optional<Json> json = json_in(read_whole_file(file));
  if (json && !json->is_object()) return std::nullopt;
  return json;
}

void write_json(const std::filesystem::path& file, const Json& json) {
  write_file_atomically(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace concord::compare
