// SPDX-License-Identifier: MIT
// From TOML to ConfigValue, with the place of every key and value.
#include <algorithm>
#include <toml++/toml.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/value.hpp"

namespace concord {
namespace {

/// Finds what toml++ 3.3 must not see. toml++ recurses into the parts of a dotted key without a limit, and
/// 30,000 parts overflow the stack. Where toml++ looks for blanks, letters beyond ASCII lead to code that is
/// marked as unreachable. TOML has such letters in strings and comments only.
class Guard {
 public:
  explicit Guard(std::string_view text) : text_(text) {
    if (text.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
    int dots = 0;
    for (; at_ < text.size() && trouble_ == nullptr; ++at_) {
      const char letter = text[at_];
      if (letter == '"' || letter == '\'') {
        skip_string();
      } else if (letter == '#') {
        at_ = std::min(text.find('\n', at_), text.size());
        dots = 0;
      } else if (letter == '.') {
        if (++dots > 16) refuse("this key has too many parts");
      } else if (std::string_view("=,[]{}\n").find(letter) != std::string_view::npos) {
        dots = 0;
      } else {
        refuse_beyond_ascii();
      }
    }
  }

  const char* trouble() const { return trouble_; }
  /// Where the trouble is.
  size_t at() const { return trouble_at_; }

 private:
  /// From the mark that opens a string to the one that closes it, or to the end of the text.
  void skip_string() {
    const char mark = text_[at_];
    const std::string three(3, mark);
    const bool is_long = text_.substr(at_, 3) == three;
    for (at_ += is_long ? 3 : 1; at_ < text_.size() && trouble_ == nullptr; ++at_) {
      if (mark == '"' && text_[at_] == '\\') {
        skip_escape();
      } else if (is_long && text_.substr(at_, 3) == three) {
        at_ += 2;
        while (at_ + 1 < text_.size() && text_[at_ + 1] == mark) ++at_;  // """a""""" ends with two of its own
        return;
      } else if (!is_long && (text_[at_] == mark || text_[at_] == '\n')) {
        return;
      }
    }
  }

  /// A backslash and the letter after it, or all blanks after it, which toml++ then skips.
  void skip_escape() {
    constexpr std::string_view blanks = " \t\r\n";
    const size_t next = std::min(text_.find_first_not_of(blanks, at_ + 1), text_.size());
    if (next == at_ + 1) {
      ++at_;
      return;
    }
    at_ = next;
    if (next < text_.size()) refuse_beyond_ascii();
    --at_;  // what is there may close the string
  }

  void refuse_beyond_ascii() {
    if (static_cast<unsigned char>(text_[at_]) >= 0x80)
      refuse("a letter beyond ASCII outside of a string or comment, or first in a line that a \\ joins");
  }

  void refuse(const char* what) {
    trouble_ = what;
    trouble_at_ = at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* trouble_ = nullptr;
  size_t trouble_at_ = 0;
};

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
  if (const Guard guard(text); guard.trouble() != nullptr) {
    const std::string_view before = text.substr(0, guard.at());
    const std::string place =
        fmt::format("{}:{}:{}", name, 1 + std::count(before.begin(), before.end(), '\n'),
                    guard.at() - before.rfind('\n'));
    fail(Fault::input, About{place, name}, "not TOML: {}", guard.trouble());
  }
  try {
    return Converter(name, folder, true).value(toml::parse(text), "");
  } catch (const toml::parse_error& error) {
    fail(Fault::input, About{position(name, error.source().begin)}, "not TOML: {}",
         readable(error.description()));
  }
}

ConfigValue parse_toml_value(std::string_view value, const std::string& place) {
  constexpr std::string_view blanks = " \t";
  const size_t first = value.find_first_not_of(blanks);
  if (first == std::string_view::npos) fail(Fault::input, About{place}, "the value is missing");
  value = value.substr(first, value.find_last_not_of(blanks) + 1 - first);
  const bool has_control = std::any_of(value.begin(), value.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  });
  if (has_control) fail(Fault::input, About{place}, "{} has a control character", quote(value));

  std::string fault;
  if (const Guard guard(value); guard.trouble() != nullptr) {
    fault = guard.trouble();
  } else {
    try {
      const toml::table table = toml::parse(fmt::format("value = {}", value));
      return Converter(place, {}, false).value(*table.get("value"), "");
    } catch (const toml::parse_error& error) {
      fault = readable(error.description());
    }
  }
  // What begins like a string, list or table must be one; anything else is a bare word.
  if (std::string_view("\"'[{").find(value.front()) != std::string_view::npos)
    fail(Fault::input, About{place}, "{} is not a value: {}", quote(value), fault);
  ConfigValue word;
  word.place = place;
  word.scalar = std::string(value);
  if (!is_utf8(value)) fail(Fault::input, About{place}, "{} is not UTF-8", quote(value));
  return word;
}

}  // namespace concord
