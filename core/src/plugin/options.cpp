// SPDX-License-Identifier: MIT
#include "plugin/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "plugin/foreign.hpp"

namespace concord {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char ch) { return ch == ' ' || ch == '\t'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::optional<double> finite(std::string_view s) {
  const auto x = number_in<double>(s);
  return x && std::isfinite(*x) ? x : std::nullopt;
}

/// "[1, 2.5]" or "1,2.5"; empty brackets or text are the empty list.
std::optional<std::vector<double>> finite_list(std::string_view s) {
  if (s.size() >= 2 && s.front() == '[' && s.back() == ']') s = trimmed(s.substr(1, s.size() - 2));
  std::vector<double> list;
  while (!s.empty()) {
    const size_t comma = s.find(',');
    const auto x = finite(trimmed(s.substr(0, comma)));
    if (!x) return std::nullopt;
    list.push_back(*x);
    if (comma == std::string_view::npos) break;
    s = s.substr(comma + 1);
    if (trimmed(s).empty()) return std::nullopt;
  }
  return list;
}

}  // namespace

const char* OptionDeclaration::type_name() const {
  switch (type) {
    case CONCORD_BOOL:
      return "bool";
    case CONCORD_INT:
      return "integer";
    case CONCORD_REAL:
      return "real number";
    case CONCORD_STRING:
      return "string";
    case CONCORD_CHOICE:
      return "choice";
    case CONCORD_REALS:
      return "list of real numbers";
    default:
      return "unknown";
  }
}

std::string OptionDeclaration::domain() const {
  if (type == CONCORD_BOOL) return "true or false";
  if (type == CONCORD_CHOICE) return fmt::format("one of {}", fmt::join(choices, ", "));
  if (type == CONCORD_STRING) return "string";
  const bool below = std::isfinite(maximum), above = std::isfinite(minimum);
  if (above && below) return fmt::format("{} in [{}, {}]", type_name(), minimum, maximum);
  if (above) return fmt::format("{} >= {}", type_name(), minimum);
  if (below) return fmt::format("{} <= {}", type_name(), maximum);
  return type_name();
}

std::vector<OptionDeclaration> declared_options(const concord_option* first, size_t count) {
  std::vector<OptionDeclaration> declared;
  for (size_t i = 0; i < count; ++i) {
    const concord_option record = foreign_copy(CONCORD_AT(const concord_option, first, i));
    OptionDeclaration d;
    d.type = record.type;
    d.name = foreign_text(record.name);
    d.help = foreign_line(record.help);
    d.minimum = record.minimum;
    d.maximum = record.maximum;
    for (size_t j = 0; record.type == CONCORD_CHOICE && j < record.choice_count; ++j)
      d.choices.push_back(foreign_text(record.choices[j]));
    if (record.default_value != nullptr) d.default_text = option_text(foreign_copy(record.default_value));
    declared.push_back(std::move(d));
  }
  return declared;
}

std::string option_text(const concord_value& value) {
  switch (value.type) {
    case CONCORD_BOOL:
      return value.integer != 0 ? "true" : "false";
    case CONCORD_INT:
      return fmt::format("{}", value.integer);
    case CONCORD_REAL:
      return fmt::format("{}", value.real);
    case CONCORD_REALS:
      return fmt::format("[{}]", fmt::join(value.list, value.list + value.length, ", "));
    default:
      return foreign_text(value.text);
  }
}

OptionValues::OptionValues(const std::string& plugin_id, const std::vector<OptionDeclaration>& declared,
                           const std::vector<Setting>& settings, ErrorList& errors)
    : declared_(declared) {
  std::vector<std::string> names;
  for (const auto& d : declared_) names.push_back(d.name);
  for (const Setting& s : settings) {
    if (std::find(names.begin(), names.end(), s.key) != names.end()) continue;
    errors.add(Fault::input,
               fmt::format("{} has no option '{}'{} {}", plugin_id, s.key, did_you_mean(s.key, names),
                           names.empty() ? "(it has none)"
                                         : fmt::format("(its options: {})", fmt::join(names, ", "))),
               {s.origin, plugin_id});
  }

  for (const OptionDeclaration& d : declared_) {
    std::string text = d.default_text;
    std::string origin = fmt::format("the default of option '{}'", d.name);
    int given = 0;
    for (const Setting& s : settings) {
      if (s.key != d.name) continue;
      if (++given == 2)
        errors.add(Fault::input, fmt::format("option '{}' is set twice", s.key), {s.origin, plugin_id});
      text = s.value;
      origin = s.origin;
    }

    concord_value value{};
    value.size = sizeof value;
    value.type = d.type;
    value.text = "";
    bool well_typed = true, in_range = true;
    const auto within = [&](double x) { return x >= d.minimum && x <= d.maximum; };
    const std::string_view bare = trimmed(text);
    if (d.type == CONCORD_BOOL) {
      well_typed = bare == "true" || bare == "false";
      value.integer = bare == "true" ? 1 : 0;
    } else if (d.type == CONCORD_INT) {
      const auto x = number_in<int64_t>(bare);
      well_typed = x.has_value();
      value.integer = x.value_or(0);
      in_range = within(static_cast<double>(value.integer));
    } else if (d.type == CONCORD_REAL) {
      const auto x = finite(bare);
      well_typed = x.has_value();
      value.real = x.value_or(0);
      in_range = within(value.real);
    } else if (d.type == CONCORD_REALS) {
      auto list = finite_list(bare);
      well_typed = list.has_value();
      if (list) in_range = std::all_of(list->begin(), list->end(), within);
      lists_.push_back(list ? std::move(*list) : std::vector<double>{});
      value.list = lists_.back().data();
      value.length = lists_.back().size();
    } else {
      if (d.type == CONCORD_CHOICE)
        in_range = std::find(d.choices.begin(), d.choices.end(), text) != d.choices.end();
      texts_.push_back(text);
      value.text = texts_.back().c_str();
    }
    if (!well_typed || !in_range) {
      errors.add(Fault::input,
                 fmt::format("'{}' is not valid for {}, option '{}': expected {}{}", text, plugin_id, d.name,
                             d.domain(), d.type == CONCORD_CHOICE ? did_you_mean(text, d.choices) : ""),
                 {origin, plugin_id});
    }
    records_.push_back(value);
  }
  for (size_t i = 0; i < records_.size(); ++i) records_[i].name = declared_[i].name.c_str();
}

LentValues::LentValues(const std::vector<concord_value>& values) : records_(values) {
  for (concord_value& value : records_) {
    value.name = texts_.emplace_back(value.name).c_str();
    if (value.text != nullptr) value.text = texts_.emplace_back(value.text).c_str();
    if (value.list != nullptr) value.list = lists_.emplace_back(value.list, value.list + value.length).data();
  }
}

std::string OptionValues::text(size_t i) const {
  return option_text(records_[i]);
}

}  // namespace concord
