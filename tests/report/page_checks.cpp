// SPDX-License-Identifier: MIT
#include "tests/report/page_checks.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "report/parts.hpp"

namespace concord::test {
namespace {

/// The tags of a page, as a browser would see them: "<name" up to ">" outside of quotes, none inside script and style.
struct Tag {
  std::string name, attributes;
};
std::vector<Tag> tags_of(const std::string& page) {
  std::vector<Tag> tags;
  size_t at = 0;
  while ((at = page.find('<', at)) != std::string::npos) {
    size_t end = at + 1;
    char quote = 0;
    for (; end < page.size() && (quote != 0 || page[end] != '>'); ++end)
      if (quote != 0 ? page[end] == quote : page[end] == '"' || page[end] == '\'')
        quote = quote != 0 ? 0 : page[end];
    const std::string inside = page.substr(at + 1, end - at - 1);
    const size_t space = inside.find_first_of(" \n");
    tags.push_back({inside.substr(0, space), space == std::string::npos ? "" : inside.substr(space)});
    at = end;
    if (tags.back().name == "script" || tags.back().name == "style")
      at = page.find("</" + tags.back().name, at);
  }
  return tags;
}

/// What is wrong with a tag: unknown, or with an attribute that acts or fetches. Nothing if it is right.
std::string flaw_of(const Tag& tag) {
  static const std::set<std::string> known = {
      "!DOCTYPE", "html",    "head",    "meta",   "title", "style", "body",  "header", "h1",     "h2",
      "h3",       "h4",      "p",       "b",      "small", "span",  "sup",   "sub",    "time",   "nav",
      "a",        "main",    "section", "div",    "table", "thead", "tbody", "tr",     "th",     "td",
      "abbr",     "details", "summary", "pre",    "ol",    "ul",    "li",    "br",     "figure", "figcaption",
      "article",  "button",  "code",    "script", "svg",   "g",     "path",  "circle", "rect",   "text"};
  static const std::set<std::string> attributes = {"lang",       "charset",     "http-equiv",  "content",
                                                   "name",       "class",       "id",          "datetime",
                                                   "aria-label", "href",        "tabindex",    "role",
                                                   "scope",      "colspan",     "rowspan",     "title",
                                                   "data-n",     "data-v",      "data-s",      "data-size",
                                                   "data-top",   "data-names",  "data-values", "type",
                                                   "viewBox",    "width",       "height",      "style",
                                                   "d",          "x",           "y",           "cx",
                                                   "cy",         "r",           "text-anchor", "stroke-width",
                                                   "transform",  "aria-hidden", "html",        "data-metric",
                                                   "/"};
  if (!known.contains(tag.name.substr(tag.name.starts_with("/") ? 1 : 0))) return "unknown";
  std::string name;
  bool quoted = false;
  for (const char c : tag.attributes + " ") {
    if (c == '"') quoted = !quoted;
    if (quoted || c == '"' || c == '=') continue;
    if (c != ' ' && c != '\n' && c != '/') {
      name += c;
    } else if (!name.empty()) {
      if (!attributes.contains(name)) return "attribute " + name;
      name.clear();
    }
  }
  static const std::regex inside(R"-( href="(#.*|cells/[\w.-]+/[\w.-]+/log\.txt)")-");
  if (tag.name == "a" && !std::regex_match(tag.attributes, inside)) return "leads elsewhere";
  return "";
}

}  // namespace

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void require_clean_page(const std::string& page) {
  REQUIRE(clean(page) == page);
  size_t scripts = 0;
  Strings open;
  for (const Tag& tag : tags_of(page)) {
    if (const std::string flaw = flaw_of(tag); !flaw.empty())
      FAIL("<" << tag.name << tag.attributes << ">: " << flaw);
    scripts += tag.name == "script" ? 1 : 0;
    const bool single = tag.attributes.ends_with("/") ||
                        std::set<std::string>{"!DOCTYPE", "meta", "br", "li"}.contains(tag.name) ||
                        tag.name == "/li";
    if (single) continue;
    if (!tag.name.starts_with("/")) {
      open.push_back(tag.name);
    } else if (open.empty() || "/" + open.back() != tag.name) {
      FAIL("<" << tag.name << "> closes " << (open.empty() ? "nothing" : open.back()));
    } else {
      open.pop_back();
    }
  }
  REQUIRE(open.empty());
  REQUIRE(scripts == 1);
}

std::vector<Strings> parse_csv(const std::string& text) {
  std::vector<Strings> records(1, Strings(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (quoted) {
      if (text[i] != '"') {
        field += text[i];
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
        if (text[i + 1] != ',' && text[i + 1] != '\r') FAIL("text after a quoted field");
      }
    } else if (text[i] == '"') {
      if (!field.empty()) FAIL("a quote inside a field without quotes");
      quoted = true;
    } else if (text[i] == ',') {
      records.back().emplace_back();
    } else if (text[i] == '\r') {
      if (text[++i] != '\n') FAIL("a stray carriage return");
      records.emplace_back(1);
    } else {
      if (text[i] == '\n') FAIL("a stray newline");
      field += text[i];
    }
  }
  REQUIRE_FALSE(quoted);
  REQUIRE(records.back() == Strings(1));  // the last line ends, too
  records.pop_back();
  return records;
}

void require_sound_latex(const std::string& text) {
  REQUIRE(clean(text) == text);
  REQUIRE_FALSE(contains(text, "\xef\xbf\xbd"));
  std::istringstream lines(text);
  size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("%")) continue;
    const std::string begin = "\\begin{tabular}{";
    if (line.starts_with(begin)) columns = line.size() - begin.size() - 1;
    if (line.starts_with("\\end{tabular}")) columns = 0;
    int depth = 0;
    size_t separators = 0, spanned = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line.compare(i, 13, "\\multicolumn{") == 0) spanned += std::stoul(line.substr(i + 13)) - 1;
      if (line[i] == '\\') {
        ++i;
        continue;
      }
      depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
      separators += line[i] == '&' ? 1 : 0;
      if (depth < 0 || std::string_view("#_%~").find(line[i]) != std::string_view::npos) FAIL(line);
    }
    const bool row = columns > 0 && line.ends_with("\\\\");
    if (depth != 0 || (row && separators + spanned + 1 != columns) || (columns == 0 && separators > 0))
      FAIL(line);
  }
}

void require_sound_markdown(const std::string& text) {
  REQUIRE(clean(text) == text);
  std::istringstream lines(text);
  size_t pipes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "<")) FAIL(line);
    if (!line.starts_with("|")) {
      pipes = 0;
      continue;
    }
    size_t here = 0;
    for (size_t i = 0; i < line.size(); ++i)
      if (line[i] == '\\')
        ++i;
      else
        here += line[i] == '|' ? 1 : 0;
    if (pipes != 0 && here != pipes) FAIL(line);
    pipes = here;
  }
}

}  // namespace concord::test
