// SPDX-License-Identifier: MIT
#include "plugin/plugin.hpp"

#include <boost/dll/shared_library.hpp>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <sys/stat.h>

#include "base/error.hpp"
#include "plugin/call.hpp"
#include "plugin/foreign.hpp"
#include "process/process_state.hpp"

namespace concord {
namespace {

/// The entry point of the library. It is kept loaded: results hold strings and code of plugins, and closing a
/// library runs its destructors at a time nobody chose.
concord_plugin_function load(const std::filesystem::path& file) {
  static auto* const kept = new std::vector<boost::dll::shared_library>;  // never destroyed on purpose
  const ProcessState restored_afterwards;
  boost::dll::fs::error_code error;
  boost::dll::shared_library library;
  ::dlerror();
  library.load(file, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local, error);
  if (error) {
    const char* text = ::dlerror();
    fail(
        Fault::unavailable,
        "cannot load {}: {}. Rebuild the plugin, or install the library that it misses ('ldd {}' lists them)",
        file.string(), text != nullptr ? text : error.message(), file.string());
  }
  kept->push_back(library);
  if (!library.has(CONCORD_PLUGIN_SYMBOL))
    fail(Fault::unavailable,
         "{} is not a Concord plugin: it does not export '" CONCORD_PLUGIN_SYMBOL
         "'. End its source with CONCORD_EXPORT_DECODER, _LOSS or _ROUNDING",
         file.string());
  return reinterpret_cast<concord_plugin_function>(::dlsym(library.native(), CONCORD_PLUGIN_SYMBOL));
}

constexpr size_t kMostOptions = 1000;  // more is a table that was never filled

/// One line that is not empty: what a listing may print as it is.
bool is_line(const char* s) {
  return s != nullptr && *s != '\0' && one_line(s) == s;
}

bool is_plugin_name(const std::string& s) {
  return !s.empty() && s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
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
  check(is_plugin_name(foreign_text(t.name)),
        fmt::format("its name is '{}', not [a-z0-9-]+", foreign_text(t.name)));
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
    const std::string name = foreign_text(o.name);
    const auto check = [&](bool good, const char* fault) {
      if (!good) faults.push_back(fmt::format("option '{}' {}", name, fault));
    };
    check(is_option_name(name), "has a name that is not [a-z][a-z0-9_]*");
    check(seen.insert(name).second, "is declared twice");
    check(is_line(o.help), "has no help of one line");
    check(o.type >= CONCORD_BOOL && o.type <= CONCORD_REALS, "has an unknown type");
    check(!(std::isnan(o.minimum) || std::isnan(o.maximum) || o.minimum > o.maximum), "has an empty range");
    check(o.type != CONCORD_CHOICE || (o.choices != nullptr && o.choice_count > 0), "has no choices");
    const concord_value fallback =
        o.default_value == nullptr ? concord_value{} : foreign_copy(o.default_value);
    check(fallback.type == o.type, "has no default of its own type");
    check(fallback.length == 0 || fallback.list != nullptr, "has a default list of length but no numbers");
  }
  // The defaults must be values that a user could give.
  if (faults.empty()) OptionValues(t.name, declared_options(t.options, t.option_count), {}, faults);
  return faults;
}

template <class Functions>
Functions functions_of(const concord_plugin_table& table) {
  return foreign_copy(static_cast<const Functions*>(table.functions));
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

void refuse_world_writable(const std::filesystem::path& file) {
  for (auto path = file;; path = path.parent_path()) {
    struct stat info {};
    const bool near = path == file || path == file.parent_path();
    if (::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0 &&
        (near || (info.st_mode & S_ISVTX) == 0))
      fail(Fault::unavailable,
           "refusing to load {}: {} is writable by everyone, who could then run code as you. Run 'chmod o-w "
           "{}', "
           "or move the plugin",
           file.string(), path.string(), path.string());
    if (path == path.parent_path()) return;
  }
}

Plugin::Plugin(const std::filesystem::path& given) {
  std::error_code error;
  file_ = std::filesystem::canonical(given, error);  // what a link points to is what is checked and loaded
  if (error)
    fail(Fault::unavailable,
         "no such file: {}. Check the path, or name an installed plugin ('concord plugins')", given.string());
  const std::filesystem::path& file = file_;
  if (!std::filesystem::is_regular_file(file, error))
    fail(Fault::unavailable, "{} is not a file. Give the path of a KIND-NAME.so", file.string());
  refuse_world_writable(file);

  const concord_plugin_function entry = load(file);
  const concord_plugin_table* foreign = nullptr;
  {
    const ProcessState restored_afterwards;
    try {
      foreign = entry();
    } catch (...) {
      fail(Fault::unavailable, "{} is not a usable plugin: its function '" CONCORD_PLUGIN_SYMBOL "' throws",
           file.string());
    }
  }
  if (foreign == nullptr || foreign->magic != CONCORD_MAGIC)
    fail(Fault::unavailable, "{} is not a Concord plugin: its table {}. Build it against concord/abi.h",
         file.string(), foreign == nullptr ? "is missing" : "does not start with the magic number");
  if (foreign->abi != CONCORD_ABI)
    fail(Fault::unavailable,
         "{} was built for plugin ABI {}, and this host speaks ABI {}. Rebuild the plugin against this "
         "version's "
         "headers",
         file.string(), foreign->abi, CONCORD_ABI);
  table_ = foreign_copy(foreign);

  const std::vector<std::string> faults = faults_of(table_).all();
  if (!faults.empty())
    fail(Fault::unavailable, "{} breaks the plugin contract: {}. See docs/border.md", file.string(),
         fmt::join(faults, "; "));
  capabilities_ = foreign_copy(table_.capabilities);
  options_ = declared_options(table_.options, table_.option_count);
}

std::unique_lock<std::mutex> Plugin::serialised() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!has(CONCORD_REENTRANT)) lock.lock();
  return lock;
}

void Plugin::require_usable(const RunControl& control) const {
  if (table_.probe == nullptr) return;
  const ProcessState restored_afterwards;
  const Call call(control, id());
  if (call.run("probe", [&] { return table_.probe(call.env()); }) != CONCORD_OK)
    fail(Fault::unavailable, "{} is present but not usable here: {}", id(), call.reason());
}

concord_decoder Plugin::decoder() const {
  return functions_of<concord_decoder>(table_);
}
concord_loss Plugin::loss() const {
  return functions_of<concord_loss>(table_);
}
concord_rounding Plugin::rounding() const {
  return functions_of<concord_rounding>(table_);
}

}  // namespace concord
