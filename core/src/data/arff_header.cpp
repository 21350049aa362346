// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "data/arff.hpp"

namespace concord {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

void read_values(const TextLines& lines, ArffWords& words, ArffAttribute& attribute) {
  std::unordered_set<std::string> seen;
  do {
    const std::string value(words.word(",}"));
    if (value.empty() && !words.quoted())
      lines.fail(words.rest(), "a value of attribute {} is empty: write {{a,b,c}}", quote(attribute.name));
    if (!seen.insert(value).second)
      lines.fail(words.raw(), "attribute {} has the value {} twice", quote(attribute.name), quote(value));
    attribute.values.push_back(value);
  } while (words.take(','));
  if (!words.take('}'))
    lines.fail(words.rest(), "the values of attribute {} end without '}}'", quote(attribute.name));
}

void read_type(const TextLines& lines, ArffWords& words, ArffAttribute& attribute) {
  if (words.at_end())
    lines.fail(words.rest(), "attribute {} has no type: write numeric, or its values as {{0,1}}",
               quote(attribute.name));
  if (words.take('{')) {
    read_values(lines, words, attribute);
  } else {
    const std::string type = lower_case(words.word(" \t"));
    if (type != "numeric" && type != "real" && type != "integer")
      lines.fail(words.raw(),
                 "attribute {} is of type {}: an attribute is numeric, real, integer, or nominal with its "
                 "values as {{a,b}}",
                 quote(attribute.name), quote(words.raw()));
  }
  if (!words.at_end())
    lines.fail(words.rest(), "{} after the type of attribute {}", quote(words.rest()), quote(attribute.name));
}

ArffAttribute read_attribute(const TextLines& lines, ArffWords& words) {
  ArffAttribute attribute;
  attribute.name = words.word(" \t{");
  if (attribute.name.empty())
    lines.fail(words.place(), "@attribute needs a name, in quotes if it is unusual");
  attribute.line = lines.number();
  attribute.column = words.raw().data() - lines.line().data() + 1;
  read_type(lines, words, attribute);
  return attribute;
}

}  // namespace

bool ArffWords::at_end() {
  while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
  return rest_.empty() || rest_[0] == '%';
}

bool ArffWords::take(char letter) {
  if (at_end() || rest_[0] != letter) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string_view ArffWords::word(std::string_view ends) {
  raw_ = {};
  if (at_end()) return {};
  if (rest_[0] == '\'' || rest_[0] == '"') return quoted_word(ends);
  const size_t size = std::min(rest_.find_first_of(ends), rest_.size());
  raw_ = rest_.substr(0, size);
  while (!raw_.empty() && is_blank(raw_.back())) raw_.remove_suffix(1);
  rest_.remove_prefix(size);
  return raw_;
}

std::string_view ArffWords::quoted_word(std::string_view ends) {
  const char mark = rest_[0];
  unescaped_.clear();
  bool escaped = false;
  size_t at = 1;
  for (; at < rest_.size() && rest_[at] != mark; ++at) {
    char letter = rest_[at];
    if (letter == '\\' && at + 1 < rest_.size()) {
      escaped = true;
      letter = rest_[++at];
      if (letter == 'n') letter = '\n';
      if (letter == 'r') letter = '\r';
      if (letter == 't') letter = '\t';
    }
    unescaped_ += letter;
  }
  if (at >= rest_.size()) lines_.fail(rest_, "the quote is not closed: {}", quote(rest_));
  raw_ = rest_.substr(0, at + 1);
  rest_.remove_prefix(at + 1);
  if (!at_end() && !is_blank(rest_.data()[-1]) && ends.find(rest_[0]) == std::string_view::npos)
    lines_.fail(rest_, "{} right after a closing quote", quote(rest_));
  return escaped ? std::string_view(unescaped_) : raw_.substr(1, raw_.size() - 2);
}

ArffHeader read_arff_header(TextLines& lines) {
  ArffHeader header;
  std::unordered_map<std::string, int64_t> line_of;
  bool has_relation = false;
  while (lines.next()) {
    ArffWords words(lines);
    if (words.at_end()) continue;
    const std::string keyword = lower_case(words.word(" \t"));
    const std::string_view raw = words.raw();
    if (keyword == "@data") {
      if (!words.at_end())
        lines.fail(words.rest(), "{} after @data: rows begin on the next line", quote(words.rest()));
      if (header.attributes.empty()) lines.fail(raw, "{} comes before any @attribute", quote(raw));
      return header;
    }
    if (keyword == "@relation") {
      if (has_relation) lines.fail(raw, "{} is given twice", quote(raw));
      has_relation = true;
      // Unquoted names with blanks exist; the rest of the line is the name.
      header.relation = words.word("");
      if (!words.at_end()) lines.fail(words.rest(), "{} after the name of the relation", quote(words.rest()));
    } else if (keyword == "@attribute") {
      ArffAttribute attribute = read_attribute(lines, words);
      const auto [first, is_new] = line_of.emplace(attribute.name, attribute.line);
      if (!is_new)
        lines.fail(lines.line().substr(static_cast<size_t>(attribute.column - 1)),
                   "attribute {} is declared again (first on line {})", quote(attribute.name), first->second);
      header.attributes.push_back(std::move(attribute));
    } else {
      lines.fail(raw, "{} is not @relation, @attribute or @data", quote(raw));
    }
  }
  lines.fail_at_end("the file ends without @data");
}

}  // namespace concord
