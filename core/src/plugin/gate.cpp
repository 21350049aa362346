// SPDX-License-Identifier: MIT
// The gate: a table that breaks the contract of abi.h is never called.
#include <cmath>
#include <cstring>
#include <set>

#include "base/error.hpp"
#include "plugin/foreign.hpp"
#include "plugin/plugin.hpp"

namespace concord {
namespace {

constexpr size_t kMostOptions = 1000;  // more is a table that was never filled, and so it is below
constexpr size_t kMostChoices = 1000;
constexpr size_t kMostNumbers = 1'000'000;  // of a default list
constexpr size_t kMostName = 200;

/// One line that is not empty and not endless.
bool is_line(const char* s) {
  return s != nullptr && *s != '\0' && ::strnlen(s, kMostForeignText) < kMostForeignText && one_line(s) == s;
}

bool is_plugin_name(const std::string& s) {
  return !s.empty() && s.size() <= kMostName &&
         s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

bool is_option_name(const std::string& s) {
  return !s.empty() && s[0] >= 'a' && s[0] <= 'z' &&
         s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/// Sentences about everything in the table that breaks the contract of abi.h.
std::vector<std::string> descriptor_faults(const concord_plugin_table& t) {
  std::vector<std::string> faults;
  const auto check = [&](bool good, std::string fault) {
    if (!good) faults.push_back(std::move(fault));
  };
  check(std::strcmp(kind_name(t.kind), "?") != 0, fmt::format("its kind is {}", t.kind));
  const std::string name = foreign_line(t.name, kMostName + 1);
  check(is_plugin_name(name),
        fmt::format("its name is '{}', not [a-z0-9-]+ of at most {} letters", name, kMostName));
  check(is_line(t.version), "it has no version of one line");
  check(is_line(t.summary), "it has no summary of one line");
  check(is_line(t.licence), "it has no licence of one line");
  check(is_line(t.build_tag), "it has no build tag of one line");
  check(t.capabilities != nullptr, "it has no capabilities");
  check(t.functions != nullptr, "it has no functions");
  check(t.option_count == 0 || t.options != nullptr, "it counts options but has none");
  check(t.option_count <= kMostOptions, fmt::format("it counts {} options", t.option_count));
  return faults;
}

std::vector<std::string> capability_faults(const concord_capabilities& c) {
  std::vector<std::string> faults;
  const auto within = [&](int32_t value, int32_t last, const char* what) {
    if (value < 0 || value > last)
      faults.push_back(fmt::format("capability '{}' is {}, not 0 to {}", what, value, last));
  };
  within(c.prior, CONCORD_PRIOR_ANY, "prior");
  within(c.constraints, CONCORD_CONSTRAINTS_SUBSET, "constraints");
  within(c.moment, CONCORD_MOMENT_RANK_ONE, "moment");
  within(c.guarantee, CONCORD_MAY_BE_OPTIMAL, "guarantee");
  if (c.max_labels < 0) faults.push_back(fmt::format("capability 'max_labels' is {}", c.max_labels));
  return faults;
}

std::vector<std::string> option_faults(const concord_plugin_table& t) {
  std::vector<std::string> faults;
  std::set<std::string> seen;
  // The first header of this ABI ended with choice_count; what later ones append a plugin may not have.
  constexpr size_t least = offsetof(concord_option, choice_count) + sizeof(size_t);
  if (t.option_count > 0 && t.options->size < least)
    return {fmt::format("the size of its option records is {}, less than {}", t.options->size, least)};
  for (size_t i = 0; i < t.option_count; ++i) {
    const concord_option o = foreign_copy(CONCORD_AT(const concord_option, t.options, i));
    const std::string name = foreign_line(o.name, kMostName);
    const auto check = [&](bool good, const char* fault) {
      if (!good) faults.push_back(fmt::format("option '{}' {}", name, fault));
    };
    check(is_option_name(name), "has a name that is not [a-z][a-z0-9_]*");
    check(seen.insert(name).second, "is declared twice");
    check(is_line(o.help), "has no help of one line");
    check(o.type >= CONCORD_BOOL && o.type <= CONCORD_REALS, "has an unknown type");
    check(!(std::isnan(o.minimum) || std::isnan(o.maximum) || o.minimum > o.maximum), "has an empty range");
    check(o.type != CONCORD_CHOICE || (o.choices != nullptr && o.choice_count > 0), "has no choices");
    check(o.choice_count <= kMostChoices, "has too many choices");
    const concord_value fallback =
        o.default_value == nullptr ? concord_value{} : foreign_copy(o.default_value);
    check(fallback.type == o.type, "has no default of its own type");
    check(fallback.length <= kMostNumbers, "has a default list without end");
    check(fallback.length == 0 || fallback.list != nullptr, "has a default list of length but no numbers");
  }
  // The defaults must be values that a user could give.
  if (!faults.empty()) return faults;
  ErrorList errors;
  [[maybe_unused]] const OptionValues defaults(t.name, declared_options(t.options, t.option_count), {},
                                               errors);
  for (const Error& error : errors.all()) faults.emplace_back(error.what());
  return faults;
}

/// The functions without which a kind cannot work.
bool complete(const concord_plugin_table& t) {
  if (t.kind == CONCORD_DECODER) {
    const auto f = functions_of<concord_decoder>(t);
    return f.create != nullptr && f.destroy != nullptr && f.prepare != nullptr && f.solve != nullptr;
  }
  if (t.kind == CONCORD_LOSS) {
    const auto f = functions_of<concord_loss>(t);
    return f.create != nullptr && f.destroy != nullptr && f.prepare != nullptr && f.evaluate != nullptr &&
           f.shape != nullptr && f.describe != nullptr;
  }
  const auto f = functions_of<concord_rounding>(t);
  return f.create != nullptr && f.destroy != nullptr && f.round != nullptr;
}

}  // namespace

std::vector<std::string> TableFaults::all() const {
  std::vector<std::string> every = descriptor;
  for (const auto* part : {&capabilities, &options, &functions})
    every.insert(every.end(), part->begin(), part->end());
  return every;
}

TableFaults faults_of(const concord_plugin_table& table) {
  TableFaults faults;
  faults.descriptor = descriptor_faults(table);
  if (!faults.descriptor.empty()) return faults;  // the rest could not even be read
  faults.capabilities = capability_faults(foreign_copy(table.capabilities));
  faults.options = option_faults(table);
  if (!complete(table)) faults.functions.push_back("a function that its kind needs is missing");
  return faults;
}

}  // namespace concord
