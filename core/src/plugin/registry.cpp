// SPDX-License-Identifier: MIT
#include "plugin/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "plugin/variant.hpp"

namespace concord {
namespace fs = std::filesystem;
namespace {

bool is_path(const std::string& what) {
  return what.find('/') != std::string::npos || what.ends_with(".so");
}

/// KIND-NAME.so, or kind 0.
PluginCandidate candidate_of(const fs::path& file) {
  PluginCandidate candidate;
  candidate.file = file;
  const std::string stem = file.stem().string();
  const size_t dash = stem.find('-');
  if (file.extension() != ".so" || dash == std::string::npos) return candidate;
  candidate.kind = kind_from_name(stem.substr(0, dash));
  candidate.name = stem.substr(dash + 1);
  return candidate;
}

}  // namespace

fs::path Registry::own_directory() {
  std::error_code error;
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
      fail(Fault::input, "--plugin-dir {}: there is no such directory", directory.string());
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
      PluginCandidate candidate = candidate_of(entry.path());
      if (candidate.kind != 0) here.push_back(std::move(candidate));
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

fs::path Registry::locate(int32_t kind, const std::string& name) const {
  const std::string file_name = fmt::format("{}-{}.so", kind_name(kind), name);
  std::error_code error;
  for (const auto& directory : directories_)
    if (fs::exists(directory / file_name, error)) return directory / file_name;

  std::vector<std::string> same_kind;
  std::string other_kind;
  for (const auto& candidate : candidates()) {
    if (candidate.kind == kind) same_kind.push_back(candidate.name);
    if (candidate.kind != kind && candidate.name == name) other_kind = kind_name(candidate.kind);
  }
  const std::string hint = other_kind.empty() ? did_you_mean(name, same_kind)
                                              : fmt::format("; {}/{} is a {}.", other_kind, name, other_kind);
  std::vector<std::string> places;
  for (const auto& directory : directories_) places.push_back(directory.string());
  fail(
      Fault::unavailable,
      "there is no {} '{}'{} Looked for {} in {}. 'concord plugins' lists what is there; --plugin-dir DIR or "
      "CONCORD_PLUGIN_PATH adds a directory",
      kind_name(kind), name, hint.empty() ? "." : hint, file_name,
      places.empty() ? "no directory" : fmt::format("{}", fmt::join(places, ", ")));
}

const Plugin& Registry::find(int32_t kind, const std::string& what) {
  const Plugin& plugin = load(kind, what);
  plugin.require_usable(control_);
  return plugin;
}

const Plugin& Registry::load(int32_t kind, const std::string& name_or_path) {
  std::error_code error;
  // "decoder/NAME", as listings write it, is a name; a file of that path would be "./decoder/NAME.so".
  const std::string prefix = std::string(kind_name(kind)) + "/";
  const bool prefixed = name_or_path.starts_with(prefix) && !name_or_path.ends_with(".so");
  const std::string what = prefixed ? name_or_path.substr(prefix.size()) : name_or_path;
  const fs::path file = is_path(what) ? fs::absolute(what, error).lexically_normal() : locate(kind, what);
  auto& plugin = loaded_[fs::weakly_canonical(file, error)];
  if (!plugin) {
    try {
      plugin = std::make_unique<Plugin>(file);
    } catch (...) {
      loaded_.erase(fs::weakly_canonical(file, error));
      throw;
    }
  }
  if (plugin->kind() != kind)
    fail(Fault::input, "{} is a {}, and a {} is needed here", file.string(), kind_name(plugin->kind()),
         kind_name(kind));
  if (!is_path(what) && plugin->name() != what)
    fail(Fault::unavailable, "{} calls itself '{}'. Rename the file to {}-{}.so", file.string(),
         plugin->name(), kind_name(kind), plugin->name());
  return *plugin;
}

}  // namespace concord
