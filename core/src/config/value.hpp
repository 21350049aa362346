// SPDX-License-Identifier: MIT
#pragma once
// A value of a config that knows where it was written. TOML, --set and the JSON of a model file all become
// this, so that there is one reader for each key.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace concord {

struct ConfigMember;

struct ConfigValue {
  enum class Kind { scalar, list, table, date };

  Kind kind = Kind::scalar;
  nlohmann::json scalar;            ///< boolean, integer, real or string
  std::vector<ConfigValue> list;    ///< of Kind::list
  std::vector<ConfigMember> table;  ///< of Kind::table, in the order of the text
  std::string place;                ///< "yeast.toml:3:12: train.lambda_w", or "--set train.lambda_w=0"
  std::filesystem::path folder;     ///< what a relative path in it is relative to

  bool is_list() const { return kind == Kind::list; }
  bool is_table() const { return kind == Kind::table; }
  bool is_string() const { return kind == Kind::scalar && scalar.is_string(); }
  const ConfigMember* find(std::string_view key) const;

  /// As a user writes it after --set: strings are bare, except inside a table or list; lists in a table are
  /// values, not grids.
  std::string text() const;
  /// For messages: "0.5", "the string 'x'", "a list".
  std::string found() const;
  /// Fault::input: "PLACE: found X; expected Y".
  [[noreturn]] void refuse(std::string_view expected) const;
};

struct ConfigMember {
  std::string key;
  std::string place;  ///< of the key: "yeast.toml:3:1"
  ConfigValue value;
  std::pair<size_t, size_t> at{};  ///< line and column, for the order of keys
};

/// The tables of a TOML text. Fault::input with "NAME:LINE:COLUMN: ..." if it is not TOML.
ConfigValue parse_toml(std::string_view text, const std::string& name, const std::filesystem::path& folder);

/// The VALUE of `--set KEY=VALUE`: TOML, or a bare word that stands for a string. Relative paths in it are
/// relative to the current directory.
ConfigValue parse_toml_value(std::string_view value, const std::string& place);

/// `place` is followed by ".KEY" for the members; relative paths are relative to `folder`.
ConfigValue value_from_json(const nlohmann::ordered_json& json, const std::string& place,
                            const std::filesystem::path& folder = {});

/// The text of an option as JSON: a number, a truth value or a list of numbers where that gives the same text
/// back, else a string.
nlohmann::ordered_json option_json(const std::string& text);

}  // namespace concord
