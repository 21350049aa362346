// SPDX-License-Identifier: MIT
#include "config/readers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "data/columns.hpp"

namespace concord {
namespace {

bool is_integer(const ConfigValue& value) {
  return value.kind == ConfigValue::Kind::scalar && value.scalar.is_number_integer();
}

/// Unsigned only above the range of int64: TOML has signed integers, JSON both.
bool fits(const nlohmann::json& integer) {
  return !integer.is_number_unsigned() ||
         integer.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

}  // namespace

bool read_boolean(const ConfigValue& value) {
  if (value.kind != ConfigValue::Kind::scalar || !value.scalar.is_boolean()) value.refuse("true or false");
  return value.scalar.get<bool>();
}

int64_t read_integer(const ConfigValue& value, int64_t low, int64_t high) {
  const bool bounded = high < std::numeric_limits<int64_t>::max();
  const std::string expected =
      bounded ? fmt::format("an integer in {}..{}", low, high) : fmt::format("an integer >= {}", low);
  if (!is_integer(value) || !fits(value.scalar)) value.refuse(expected);
  const auto integer = value.scalar.get<int64_t>();
  if (integer < low || integer > high) value.refuse(expected);
  return integer;
}

uint64_t read_seed(const ConfigValue& value) {
  if (is_integer(value) && value.scalar.is_number_unsigned()) return value.scalar.get<uint64_t>();
  return static_cast<uint64_t>(read_integer(value, 0));
}

int64_t read_folds(const ConfigValue& value) {
  const char* const expected = "an integer >= 2, or 0 for none";
  if (!is_integer(value) || !fits(value.scalar)) value.refuse(expected);
  const auto folds = value.scalar.get<int64_t>();
  if (folds < 0 || folds == 1) value.refuse(expected);
  return folds;
}

double read_real(const ConfigValue& value, const std::string& expected) {
  if (value.kind != ConfigValue::Kind::scalar || !value.scalar.is_number()) value.refuse(expected);
  const auto real = value.scalar.get<double>();
  if (!std::isfinite(real)) value.refuse(expected);
  return real;
}

double read_number(const ConfigValue& value, const NumberRange& range) {
  const std::string expected =
      std::isfinite(range.maximum)
          ? fmt::format("a number in [{}, {}]", range.minimum, range.maximum)
          : fmt::format("a finite number {} {}", range.excludes_minimum ? ">" : ">=", range.minimum);
  const double real = read_real(value, expected);
  if (real < range.minimum || real > range.maximum || (range.excludes_minimum && real == range.minimum))
    value.refuse(expected);
  return real;
}

double read_positive(const ConfigValue& value) {
  return read_number(value, {0, true});
}

std::string read_string(const ConfigValue& value, const std::string& expected) {
  if (!value.is_string()) value.refuse(expected);
  const auto& text = value.scalar.get_ref<const std::string&>();
  if (text.empty() || text.find('\0') != std::string::npos) value.refuse(expected);
  return text;
}

std::filesystem::path read_path(const ConfigValue& value) {
  return value.folder / read_string(value, "a path");
}

std::filesystem::path read_labels_place(const ConfigValue& value) {
  std::filesystem::path labels = read_string(value, "a file or names of columns");
  return is_label_file(labels) ? read_path(value) : labels;
}

size_t read_name(const ConfigValue& value, const std::vector<std::string>& names, const char* also) {
  const std::string expected = fmt::format("{}one of {}", also, fmt::join(names, ", "));
  if (!value.is_string()) value.refuse(expected);
  const auto& text = value.scalar.get_ref<const std::string&>();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) value.refuse(expected + did_you_mean(text, names));
  return static_cast<size_t>(found - names.begin());
}

}  // namespace concord
