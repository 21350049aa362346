// SPDX-License-Identifier: MIT
#pragma once
// Options: one line binds a field, its default, its range or choices, and its help.
//
//   struct Options { double tol; std::string engine; };
//   static auto options() {
//     using concord::opt;
//     return concord::OptionList<Options>{
//         opt("tol", &Options::tol, 1e-6).range(1e-12, 1).help("certified relative gap"),
//         opt("engine", &Options::engine, "dense").choices({"dense", "lemon"}).help("max-flow engine")};
//   }
#include <algorithm>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <concord/abi.h>

namespace concord {

/// One option of a plugin whose settings live in the struct O. The field's type decides the option's type:
/// bool, any integer, double, std::string (a choice if choices() is called) or std::vector<double>.
template <class O>
class Option {
 public:
  template <class T>
  Option(const char* name, T O::*field, T fallback) : name_(name) {
    if constexpr (std::is_same_v<T, bool>) {
      type_ = CONCORD_BOOL;
      integer_ = fallback ? 1 : 0;
      assign_ = [field](O& o, const concord_value& v) { o.*field = v.integer != 0; };
      read_ = [field](const O& o, concord_value& v) { v.integer = o.*field ? 1 : 0; };
    } else if constexpr (std::is_integral_v<T>) {
      type_ = CONCORD_INT;
      integer_ = static_cast<int64_t>(fallback);
      if constexpr (sizeof(T) < sizeof(int64_t)) {
        minimum_ = std::numeric_limits<T>::min();
        maximum_ = std::numeric_limits<T>::max();
      } else if constexpr (std::is_unsigned_v<T>) {
        minimum_ = 0;
      }
      assign_ = [field](O& o, const concord_value& v) { o.*field = static_cast<T>(v.integer); };
      read_ = [field](const O& o, concord_value& v) { v.integer = static_cast<int64_t>(o.*field); };
    } else if constexpr (std::is_same_v<T, double>) {
      type_ = CONCORD_REAL;
      real_ = fallback;
      assign_ = [field](O& o, const concord_value& v) { o.*field = v.real; };
      read_ = [field](const O& o, concord_value& v) { v.real = o.*field; };
    } else if constexpr (std::is_same_v<T, std::string>) {
      type_ = CONCORD_STRING;
      text_ = std::move(fallback);
      assign_ = [field](O& o, const concord_value& v) { o.*field = v.text; };
      read_ = [field](const O& o, concord_value& v) { v.text = (o.*field).c_str(); };
    } else {
      static_assert(std::is_same_v<T, std::vector<double>>,
                    "an option is a bool, an integer, a double, a std::string or a std::vector<double>");
      type_ = CONCORD_REALS;
      list_ = std::move(fallback);
      assign_ = [field](O& o, const concord_value& v) { (o.*field).assign(v.list, v.list + v.length); };
      read_ = [field](const O& o, concord_value& v) {
        v.list = (o.*field).data();
        v.length = (o.*field).size();
      };
    }
  }

  void assign(O& options, const concord_value& value) const { assign_(options, value); }
  /// What assign() has set. It points into `options`.
  concord_value value_in(const O& options) const {
    concord_value value{};
    value.size = sizeof value;
    value.type = type_;
    value.name = name_;
    read_(options, value);
    return value;
  }
  const char* name() const { return name_; }

  // The two halves of the record that crosses the border; they point into *this.
  concord_value default_value() const {
    return {sizeof(concord_value), type_, name_, integer_, real_, text_.c_str(), list_.data(), list_.size()};
  }
  concord_option record(const concord_value* fallback) const {
    return {sizeof(concord_option), type_,          name_, help_, fallback, minimum_, maximum_,
            choices_.data(),        choices_.size()};
  }

 protected:
  int32_t type_ = 0;
  const char* name_;
  const char* help_ = "";
  int64_t integer_ = 0;
  double real_ = 0;
  std::string text_;
  std::vector<double> list_;
  double minimum_ = -std::numeric_limits<double>::infinity();
  double maximum_ = std::numeric_limits<double>::infinity();
  std::vector<const char*> choices_;
  std::function<void(O&, const concord_value&)> assign_;
  std::function<void(const O&, concord_value&)> read_;
};

template <class O>
using OptionList = std::vector<Option<O>>;

/// What opt() returns: the option, and what can still be said about it.
template <class O, class T>
class OptionBuilder : public Option<O> {
 public:
  using Option<O>::Option;

  /// Inclusive limits of a number, or of every element of a list; an integer keeps the limits of its type
  /// too.
  OptionBuilder range(double minimum, double maximum) &&
      requires(!std::is_same_v<T, bool> && !std::is_same_v<T, std::string>) {
    this->minimum_ = std::max(this->minimum_, minimum);
    this->maximum_ = std::min(this->maximum_, maximum);
    return std::move(*this);
  }
  /// The values that a text may have.
  OptionBuilder choices(std::initializer_list<const char*> names) && requires std::is_same_v<T, std::string> {
    this->type_ = CONCORD_CHOICE;
    this->choices_ = names;
    return std::move(*this);
  }
  OptionBuilder help(const char* line) && {
    this->help_ = line;
    return std::move(*this);
  }
};

/// The default may be of any type that converts to the field's.
template <class O, class T>
OptionBuilder<O, T> opt(const char* name, T O::*field, std::type_identity_t<T> fallback) {
  return OptionBuilder<O, T>(name, field, std::move(fallback));
}

namespace sdk {

struct NoOptions {};

template <class Plugin>
auto declared_options() {
  if constexpr (requires { Plugin::options(); }) {
    return Plugin::options();
  } else {
    return OptionList<NoOptions>{};
  }
}

/// The static option records of a plugin class; `list` owns what the records point to.
template <class Plugin>
struct OptionRecords {
  decltype(declared_options<Plugin>()) list = declared_options<Plugin>();
  std::vector<concord_value> defaults;
  std::vector<concord_option> records;

  static const OptionRecords& get() {
    static const OptionRecords instance;
    return instance;
  }

 private:
  OptionRecords() {
    defaults.reserve(list.size());
    for (const auto& option : list) {
      defaults.push_back(option.default_value());
      records.push_back(option.record(&defaults.back()));
    }
  }
};

/// A new plugin object with the given option values; a plugin without options needs no constructor.
template <class Plugin>
Plugin* make(const concord_value* values, size_t count) {
  if constexpr (requires { Plugin::options(); }) {
    typename Plugin::Options options{};
    const auto& list = OptionRecords<Plugin>::get().list;
    if (count != list.size()) throw std::logic_error("the host did not pass every declared option");
    for (size_t i = 0; i < count; ++i) {
      const concord_value& value = *CONCORD_AT(const concord_value, values, i);
      if (std::strcmp(value.name, list[i].name()) != 0)
        throw std::logic_error(std::string("the host passed option ") + value.name + " out of order");
      list[i].assign(options, value);
    }
    return new Plugin(options);
  } else {
    return new Plugin();
  }
}

}  // namespace sdk
}  // namespace concord
