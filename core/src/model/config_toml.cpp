// SPDX-License-Identifier: MIT
// From TOML to ConfigValue, with the place of every key and value.
#include <algorithm>
#include <toml++/toml.h>

#include "error.hpp"
#include "model/config_value.hpp"
#include "problem_source.hpp"

namespace concord {
namespace {

/// The last byte of the string that begins at `at`, or the end of the text.
size_t end_of_string(std::string_view text, size_t at) {
  const char mark = text[at];
  const std::string three(3, mark);
  const bool is_long = text.substr(at, 3) == three;
  for (size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\') {
      ++i;
    } else if (is_long && text.substr(i, 3) == three) {
      i += 2;
      while (i + 1 < text.size() && text[i + 1] == mark) ++i;  // """a""""" ends with two of its own
      return i;
    } else if (!is_long && (text[i] == mark || text[i] == '\n')) {
      return i;
    }
  }
  return text.size();
}

/// toml++ recurses into the parts of a dotted key without a limit, and one of 30,000 parts overflows the stack;
/// its limit of 256 holds for brackets only. Where the first key with too many parts goes too far, or npos.
size_t find_deep_key(std::string_view text) {
  constexpr int most_dots = 16;
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      i = end_of_string(text, i);
    } else if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
      dots = 0;
    } else if (text[i] == '.') {
      if (++dots > most_dots) return i;
    } else if (std::string_view("=,[]{}\n").find(text[i]) != std::string_view::npos) {
      dots = 0;
    }
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter >= ' ' && letter <= '~')
      result += letter;
    else
      result += letter == '\n' ? "\\n" : fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
  }
  return result;
}

/// What toml++ says, in one line and without its preamble.
std::string readable(std::string_view description) {
  constexpr std::string_view preamble = "Error while parsing ";
  if (description.starts_with(preamble)) description.remove_prefix(preamble.size());
  return printable(description);
}

std::string position(const std::string& name, const toml::source_position& at) {
  return fmt::format("{}:{}:{}", name, at.line, at.column);
}

/// Turns nodes into values. A value in a file has its position in its place; one of --set has not.
class Converter {
 public:
  Converter(std::string name, std::filesystem::path folder, bool in_file)
      : name_(std::move(name)), folder_(std::move(folder)), in_file_(in_file) {}

  ConfigValue value(const toml::node& node, const std::string& key) const {
    ConfigValue value;
    value.folder = folder_;
    value.place = in_file_ ? fmt::format("{}: {}", position(name_, node.source().begin), key) : name_;
    if (const auto* boolean = node.as_boolean()) {
      value.scalar = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
      value.scalar = integer->get();
    } else if (const auto* real = node.as_floating_point()) {
      value.scalar = real->get();
    } else if (const auto* string = node.as_string()) {
      value.scalar = string->get();
    } else if (const auto* array = node.as_array()) {
      value.kind = ConfigValue::Kind::list;
      for (const toml::node& element : *array) value.list.push_back(this->value(element, key));
    } else if (const auto* table = node.as_table()) {
      value.kind = ConfigValue::Kind::table;
      value.table = members(*table, key);
    } else {
      value.kind = ConfigValue::Kind::date;
    }
    return value;
  }

 private:
  /// toml++ sorts keys by name; here they come in the order of the text.
  std::vector<ConfigMember> members(const toml::table& table, const std::string& key) const {
    std::vector<ConfigMember> members;
    for (auto&& [name, node] : table) {
      const toml::source_position at = name.source().begin;
      const std::string full = (key.empty() ? "" : key + ".") + printable(name.str());
      members.push_back({std::string(name.str()),
                         in_file_ ? position(name_, at) : name_,
                         value(node, full),
                         {at.line, at.column}});
    }
    std::sort(members.begin(), members.end(),
              [](const ConfigMember& a, const ConfigMember& b) { return a.at < b.at; });
    return members;
  }

  std::string name_;
  std::filesystem::path folder_;
  bool in_file_;
};

}  // namespace

ConfigValue parse_toml(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
  if (const size_t at = find_deep_key(text); at != std::string_view::npos) {
    const std::string_view before = text.substr(0, at);
    fail(Exit::input, "{}:{}:{}: this key has too many parts", name,
         1 + std::count(before.begin(), before.end(), '\n'), at - before.rfind('\n'));
  }
  try {
    return Converter(name, folder, true).value(toml::parse(text), "");
  } catch (const toml::parse_error& error) {
    fail(Exit::input, "{}: not TOML: {}", position(name, error.source().begin),
         readable(error.description()));
  }
}

ConfigValue parse_toml_value(std::string_view value, const std::string& place) {
  constexpr std::string_view blanks = " \t";
  const size_t first = value.find_first_not_of(blanks);
  if (first == std::string_view::npos) fail(Exit::input, "{}: the value is missing", place);
  value = value.substr(first, value.find_last_not_of(blanks) + 1 - first);
  const bool has_control = std::any_of(value.begin(), value.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  });
  if (has_control || find_deep_key(value) != std::string_view::npos)
    fail(Exit::input, "{}: {} is not a value", place, quote(value));

  try {
    const toml::table table = toml::parse(fmt::format("value = {}", value));
    return Converter(place, {}, false).value(*table.get("value"), "");
  } catch (const toml::parse_error& error) {
    // What begins like a string, list or table must be one; anything else is a bare word.
    if (std::string_view("\"'[{").find(value.front()) != std::string_view::npos)
      fail(Exit::input, "{}: {} is not a value: {}", place, quote(value), readable(error.description()));
  }
  ConfigValue word;
  word.place = place;
  word.scalar = std::string(value);
  try {
    word.scalar.dump();  // which only UTF-8 survives
  } catch (const nlohmann::json::exception&) {
    fail(Exit::input, "{}: {} is not UTF-8", place, quote(value));
  }
  return word;
}

}  // namespace concord
