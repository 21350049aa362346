// SPDX-License-Identifier: MIT
#pragma once
// Option values: from what the user wrote to what a plugin's create() gets, checked against its declaration.
#include <deque>
#include <string>
#include <vector>

#include <concord/abi.h>

#include "base/error.hpp"
#include "base/pinned.hpp"

namespace concord {

/// One option as the user wrote it. `origin` names the place for error messages ("--set decoder.tol=x").
struct Setting {
  std::string key;
  std::string value;
  std::string origin;
};

/// A declared option, copied from the plugin's table (whatever size its struct has there).
struct OptionDeclaration {
  int32_t type = 0;
  std::string name;
  std::string help;
  double minimum = 0;
  double maximum = 0;
  std::vector<std::string> choices;
  std::string default_text;  ///< in the notation in which a user writes it

  /// "real in [1e-12, 1]", "one of dense, lemon", ...
  std::string domain() const;
  const char* type_name() const;
};

std::vector<OptionDeclaration> declared_options(const concord_option* first, size_t count);

/// Every declared option with its effective value, in the order of the declaration.
class OptionValues {
 public:
  OptionValues() = default;  ///< of a plugin without options
  /// Settings of unknown options, ill-typed and out-of-range values are an error each.
  OptionValues(const std::string& plugin_id, const std::vector<OptionDeclaration>& declared,
               const std::vector<Setting>& settings, ErrorList& errors);
  OptionValues(const OptionValues&) = delete;  // the records point into the other members
  OptionValues(OptionValues&&) = default;      // moving keeps the elements where they are
  OptionValues& operator=(OptionValues&&) = default;

  const std::vector<concord_value>& records() const { return records_; }
  const std::vector<OptionDeclaration>& declared() const { return declared_; }
  /// The effective value in the notation in which a user writes it.
  std::string text(size_t i) const;

 private:
  std::vector<OptionDeclaration> declared_;
  std::vector<concord_value> records_;
  std::deque<std::string> texts_;  // deques: the records point into their elements
  std::deque<std::vector<double>> lists_;
};

/// Values for a plugin to look at, with copies of all that they point to: whatever the plugin does to them reaches nobody.
class LentValues : Pinned {
 public:
  explicit LentValues(const std::vector<concord_value>& values);
  const std::vector<concord_value>& records() const { return records_; }

 private:
  std::vector<concord_value> records_;
  std::deque<std::string> texts_;  // deques: the records point into their elements
  std::deque<std::vector<double>> lists_;
};

/// A value in the user's notation; reals as short as they can be and still the same bits.
std::string option_text(const concord_value& value);

}  // namespace concord
