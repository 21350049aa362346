// SPDX-License-Identifier: MIT
#pragma once
// Makes the record of a key from the field of Settings that it sets: a range is said once, for the reader and the help.
#include <fmt/format.h>
#include <optional>

#include "config/keys.hpp"
#include "config/readers.hpp"

namespace concord {

inline nlohmann::ordered_json json_of(const PluginSpec& plugin) {
  return plugin_json(plugin);
}
inline nlohmann::ordered_json json_of(const std::vector<PluginSpec>& chain) {
  return chain_json(chain);
}
inline nlohmann::ordered_json json_of(const std::filesystem::path& path) {
  return path.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(path.string());
}
/// An empty text is none.
inline nlohmann::ordered_json json_of(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}
template <class T>
nlohmann::ordered_json json_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return name_of(value);
  else
    return value;
}
template <class T>
nlohmann::ordered_json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : nlohmann::ordered_json();
}

inline constexpr NumberRange kPositive{0, true};
inline constexpr NumberRange kNonNegative{0};

/// What a field holds, also where it may be left open.
template <class T>
struct Held {
  using type = T;
};
template <class T>
struct Held<std::optional<T>> {
  using type = T;
};

/// Each method takes the field as `[](auto& settings) -> auto& { return settings.SECTION.KEY; }`.
class KeyBuilder : public SettingKey {
 public:
  KeyBuilder(const char* section_, const char* key_, Form form_, const char* help_)
      : SettingKey{section_, key_, form_} {
    help = help_;
  }

  template <class Field>
  KeyBuilder& integer(Field field, int64_t low, int64_t high = std::numeric_limits<int64_t>::max()) {
    type = "integer";
    minimum = static_cast<double>(low);
    if (high < std::numeric_limits<int64_t>::max()) maximum = static_cast<double>(high);
    return reads(field, [low, high](const ConfigValue& value) { return read_integer(value, low, high); });
  }
  template <class Field>
  KeyBuilder& number(Field field, NumberRange range) {
    type = "number";
    minimum = range.minimum;
    maximum = range.maximum;
    excludes_minimum = range.excludes_minimum;
    return reads(field, [range](const ConfigValue& value) { return read_number(value, range); });
  }
  template <class Field>
  KeyBuilder& boolean(Field field) {
    type = "boolean";
    return reads(field, read_boolean);
  }
  template <class Enum, class Field>
  KeyBuilder& choice(Field field, std::vector<std::pair<Enum, const char*>> words) {
    type = "choice";
    for (const auto& [word, meaning] : words) choices.push_back({name_of(word), meaning});
    return reads(field, [words, names = names()](const ConfigValue& value) {
      return words[read_name(value, names, "")].first;
    });
  }
  template <class Field>
  KeyBuilder& path(Field field) {
    type = "path";
    return reads(field, read_path);
  }
  template <class Field>
  KeyBuilder& plugin(Field field) {
    type = "plugin";
    return reads(field, read_plugin);
  }
  /// By a reader of its own. `also` says what the type leaves out.
  template <class Field, class Read>
  KeyBuilder& special(const char* type_, const char* also_, Field field, Read read_) {
    type = type_;
    also = also_;
    return reads(field, read_);
  }
  KeyBuilder& at_least(double least) {
    minimum = least;
    return *this;
  }

  /// Refuses the key where `holds`; `inputs` are the keys that decide.
  KeyBuilder& refused(const char* when, std::vector<const char*> inputs, bool (*holds)(const Settings&),
                      std::string (*why)(const Settings&)) {
    contradictions.push_back({when, std::move(inputs), holds, why});
    return *this;
  }
  /// Refuses the key with a method, and says why.
  KeyBuilder& not_with(Method method, const char* when, const std::string& why) {
    contradictions.push_back({when,
                              {"train.method"},
                              [method](const Settings& settings) { return settings.train.method == method; },
                              [why](const Settings&) { return why; }});
    return *this;
  }
  /// Method likelihood has no use for the key.
  KeyBuilder& not_of_likelihood() {
    unused_by.push_back(Method::likelihood);
    return not_with(
        Method::likelihood, "with the method likelihood, which fits log-odds without a decoder or a loss",
        fmt::format("method likelihood does not use {}: it fits log-odds, without a decoder or a loss", key));
  }
  /// One-versus-rest has no use for the key.
  KeyBuilder& not_of_ovr() {
    unused_by.push_back(Method::ovr);
    return not_with(
        Method::ovr, "with the method ovr, which has no prior and is trained by LIBLINEAR",
        fmt::format("method ovr does not use {}: one-versus-rest has no prior, and LIBLINEAR trains it",
                    key));
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Choice& choice : choices) all.push_back(choice.name);
    return all;
  }

  template <class Field, class Read>
  KeyBuilder& reads(Field field, Read reader) {
    read = [field, reader](const ConfigValue& value, Settings& settings) {
      auto& held = field(settings);
      held = static_cast<typename Held<std::remove_reference_t<decltype(held)>>::type>(reader(value));
    };
    write = [field](const Settings& settings) { return json_of(field(settings)); };
    return *this;
  }
};

/// In files of their own, for setting_keys().
std::vector<SettingKey> preprocess_keys();
std::vector<SettingKey> score_keys();

}  // namespace concord
