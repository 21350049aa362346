// SPDX-License-Identifier: MIT
#include "plugin/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <set>

#include "base/error.hpp"

#if defined(__x86_64__)
// glibc's header is C. Its _Bool is a word of g++ in C++ too, not of clang++.
#define _Bool bool  // NOLINT(bugprone-reserved-identifier)
#include <sys/platform/x86.h>
#undef _Bool
#endif

namespace concord {
namespace fs = std::filesystem;
namespace {

/// The level x86-64-v3 of the psABI: what a compiler may use after -march=x86-64-v3. "Active" also says that the
/// system saves the registers.
bool has_x86_64_v3() {
#if defined(__x86_64__)
  return CPU_FEATURE_ACTIVE(SSE3) && CPU_FEATURE_ACTIVE(SSSE3) && CPU_FEATURE_ACTIVE(SSE4_1) &&
         CPU_FEATURE_ACTIVE(SSE4_2) && CPU_FEATURE_ACTIVE(POPCNT) && CPU_FEATURE_ACTIVE(CMPXCHG16B) &&
         CPU_FEATURE_ACTIVE(LAHF64_SAHF64) && CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) &&
         CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(F16C) &&
         CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE);
#else
  return false;
#endif
}

/// Packages are built for every x86-64 processor. Below a folder of plugins there may be a second one with plugins
/// compiled for newer processors, which are preferred where the processor has what they need. Returns the name of
/// that subfolder. It is empty where the processor cannot run them, and if CONCORD_VARIANT=baseline asks for the plugins
/// that run on every machine.
std::string plugin_variant() {
  const char* asked = std::getenv("CONCORD_VARIANT");
  const std::string value = asked == nullptr ? "" : asked;
  if (!value.empty() && value != "baseline")
    fail(Fault::input,
         "CONCORD_VARIANT={}: it can be 'baseline', for plugins that run on every processor; unset it for "
         "those that suit this one best",
         value);
  return value.empty() && has_x86_64_v3() ? "x86-64-v3" : "";
}

/// Decoders of ours that need other people's solvers, and are not everywhere. Their names are near each other.
constexpr const char* kOfOtherPackages[] = {"sdp-csdp", "sdp-dsdp"};

std::string file_name_of(int32_t kind, const std::string& name) {
  return fmt::format("{}-{}.so", kind_name(kind), name);
}

}  // namespace

fs::path Registry::own_directory() {
  std::error_code error;
  Dl_info symbol{};
  link_map* object = nullptr;
  const void* const here = reinterpret_cast<const void*>(&Registry::own_directory);
  const bool known =
      ::dladdr1(here, &symbol, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 && object != nullptr;
  if (known && *object->l_name != '\0') {  // the program itself has no name there
    const fs::path library = fs::canonical(object->l_name, error);
    return error ? fs::path() : library.parent_path() / CONCORD_PLUGIN_DIR_FROM_LIB;
  }
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return (executable.parent_path() / CONCORD_PLUGIN_DIR_FROM_BIN).lexically_normal();
}

Registry::Registry(const std::vector<fs::path>& explicit_directories, RunControl control)
    : control_(std::move(control)), variant_(plugin_variant()) {
  std::set<fs::path> seen;  // the same folder by two names shadows nothing
  const auto add = [&](const fs::path& directory) {
    std::error_code error;
    const fs::path real = fs::canonical(directory, error);
    if (error || !fs::is_directory(real, error)) return false;
    if (!seen.insert(real).second) return true;
    if (!variant_.empty() && fs::is_directory(real / variant_, error))
      directories_.push_back(real / variant_);
    directories_.push_back(real);
    return true;
  };
  for (const auto& directory : explicit_directories)
    if (!add(directory))
      fail(Fault::input, About{directory.string(), directory.string()},
           "there is no such directory of plugins");
  const char* from_user = std::getenv("CONCORD_PLUGIN_PATH");
  std::string rest = from_user == nullptr ? "" : from_user;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const std::string entry = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    // Whatever depends on the current directory, which is never searched, is left out; so is an empty entry.
    if (entry.empty()) continue;
    const bool absolute = fs::path(entry).is_absolute();
    if ((!absolute || !add(entry)) && control_.log)
      control_.log(
          "CONCORD_PLUGIN_PATH", CONCORD_LOG_WARNING,
          fmt::format("{} is left out: it is not {}", entry, absolute ? "a directory" : "an absolute path"));
  }
  add(own_directory());
}

std::vector<PluginCandidate> Registry::candidates() const {
  std::vector<PluginCandidate> all;
  std::map<std::pair<int32_t, std::string>, fs::path> first;
  for (const auto& directory : directories_) {
    std::vector<PluginCandidate> here;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      const PluginReference reference(entry.path().string());
      if (reference.kind != 0 && entry.path().extension() == ".so")
        here.push_back({reference.kind, reference.name, entry.path(), {}});
    }
    std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) {
      return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
    });
    for (auto& candidate : here) {
      const auto [found, is_first] = first.try_emplace({candidate.kind, candidate.name}, candidate.file);
      if (!is_first && found->second.parent_path() == directory / variant_)
        continue;  // the same plugin, faster
      if (!is_first) candidate.shadowed_by = found->second;
      all.push_back(std::move(candidate));
    }
  }
  return all;
}

std::optional<fs::path> Registry::file_of(int32_t kind, const std::string& name) const {
  std::error_code error;
  for (const auto& directory : directories_)
    if (const fs::path file = directory / file_name_of(kind, name); fs::exists(file, error)) return file;
  return std::nullopt;
}

std::string Registry::suggestion(int32_t kind, const std::string& name) const {
  std::vector<std::string> same_kind;
  std::string other_kind;
  for (const auto& candidate : candidates()) {
    if (candidate.kind == kind) same_kind.push_back(candidate.name);
    if (candidate.kind != kind && candidate.name == name) other_kind = kind_name(candidate.kind);
  }
  return other_kind.empty() ? did_you_mean(name, same_kind)
                            : fmt::format("; {}/{} is a {}.", other_kind, name, other_kind);
}

fs::path Registry::locate(int32_t kind, const std::string& name) const {
  if (const auto file = file_of(kind, name)) return *file;
  const std::string hint = suggestion(kind, name);
  std::vector<std::string> places;
  for (const auto& directory : directories_) places.push_back(directory.string());
  fail(Fault::unavailable,
       About{"", fmt::format("{}/{}", kind_name(kind), name), control_.how_to_find_plugins},
       "there is no {} '{}'{} Looked for {} in {}", kind_name(kind), name, hint.empty() ? "." : hint,
       file_name_of(kind, name),
       places.empty() ? "no directory" : fmt::format("{}", fmt::join(places, ", ")));
}

bool Registry::is_misspelt(int32_t kind, const std::string& what) const {
  const PluginReference reference(what);
  if (reference.is_file() || (reference.kind != 0 && reference.kind != kind)) return false;
  const std::string& name = reference.name;
  if (std::find(std::begin(kOfOtherPackages), std::end(kOfOtherPackages), name) != std::end(kOfOtherPackages))
    return false;
  for (const Plugin* added : in_memory())
    if (added->kind() == kind && added->name() == name) return false;
  return !file_of(kind, name) && !suggestion(kind, name).empty();
}

const Plugin& Registry::add(const concord_plugin_table* table) {
  auto plugin = std::make_unique<Plugin>(table);
  const std::lock_guard lock(*mutex_);
  return *added_.emplace_back(std::move(plugin));
}

std::vector<const Plugin*> Registry::in_memory() const {
  const std::lock_guard lock(*mutex_);
  std::map<std::string, const Plugin*> last;
  for (const auto& plugin : added_) last[plugin->id()] = plugin.get();
  std::vector<const Plugin*> plugins;
  for (const auto& [id, plugin] : last) plugins.push_back(plugin);
  return plugins;
}

const Plugin& Registry::find(int32_t kind, const std::string& what) {
  const Plugin& plugin = load(kind, what);
  plugin.require_usable(control_);
  return plugin;
}

const Plugin& Registry::load(int32_t kind, const std::string& what) {
  std::error_code error;
  const PluginReference reference(what);
  const auto refuse_kind = [&](const std::string& which, int32_t its_kind) {
    fail(Fault::input, About{"", which}, "{} is a {}, and a {} is needed here", which, kind_name(its_kind),
         kind_name(kind));
  };
  if (!reference.is_file() && reference.kind != 0 && reference.kind != kind)
    refuse_kind(what, reference.kind);
  const std::lock_guard lock(*mutex_);
  if (!reference.is_file())
    for (auto added = added_.rbegin(); added != added_.rend(); ++added)
      if ((*added)->kind() == kind && (*added)->name() == reference.name) return **added;
  const auto named = named_.find({kind, reference.name});
  if (!reference.is_file() && named != named_.end()) return *named->second;
  const fs::path file = reference.is_file() ? fs::absolute(reference.file, error).lexically_normal()
                                            : locate(kind, reference.name);
  auto& plugin = loaded_[fs::weakly_canonical(file, error)];
  if (!plugin) {
    try {
      plugin = std::make_unique<Plugin>(file);
    } catch (...) {
      loaded_.erase(fs::weakly_canonical(file, error));
      throw;
    }
  }
  if (plugin->kind() != kind) refuse_kind(file.string(), plugin->kind());
  if (!reference.is_file() && plugin->name() != reference.name)
    fail(
        Fault::unavailable,
        About{"", file.string(), fmt::format("Rename the file to {}-{}.so", kind_name(kind), plugin->name())},
        "{} calls itself '{}'", file.string(), plugin->name());
  if (!reference.is_file()) named_[{kind, reference.name}] = plugin.get();
  return *plugin;
}

std::optional<BoundPlugin> bind_plugin(Registry& registry, int32_t kind, const PluginSpec& spec,
                                       ErrorList& errors) {
  try {
    const Plugin& plugin = registry.find(kind, spec.name);
    std::vector<Setting> settings = spec.settings;
    for (Setting& setting : settings)
      if (setting.origin.empty()) setting.origin = fmt::format("{}.{}", spec.origin, setting.key);
    ErrorList faults;
    BoundPlugin bound{&plugin, OptionValues(plugin.id(), plugin.options(), settings, faults)};
    if (faults.empty()) return bound;
    for (const Error& fault : faults.all()) errors.add(fault);
  } catch (const Error& e) {
    errors.add(e.kind(), e.reason(), {spec.origin, e.subject(), e.remedy()});
  }
  return std::nullopt;
}

}  // namespace concord
