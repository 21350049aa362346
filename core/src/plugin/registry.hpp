// SPDX-License-Identifier: MIT
#pragma once
// Finds plugins by name in a list of directories, and binds them to their options. A lookup opens one file; only a listing
// opens all.
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plugin/plugin.hpp"
#include "plugin/reference.hpp"

namespace concord {

/// A file KIND-NAME.so that a lookup could find.
struct PluginCandidate {
  int32_t kind = 0;
  std::string name;
  std::filesystem::path file;
  std::filesystem::path shadowed_by;  ///< the file that a lookup of this name finds instead, or empty
};

class Registry {
 public:
  /// Directories in the order of the search; each must exist (Fault::input names the one that does not).
  Registry(const std::vector<std::filesystem::path>& explicit_directories, RunControl control);

  /// In the order of the search; before a directory its variant for this processor, if there is one.
  const std::vector<std::filesystem::path>& directories() const { return directories_; }
  const RunControl& control() const { return control_; }

  /// A plugin in memory, which a name finds before any file. It takes the place of one with its kind and name; that one
  /// lives on, as somebody may hold it.
  const Plugin& add(const concord_plugin_table* table);
  /// The plugins in memory that a name finds.
  std::vector<const Plugin*> in_memory() const;

  /// By name, KIND/NAME or path (PluginReference). Usable, or an Error says why it is not. May be called by several
  /// threads, as load() may.
  const Plugin& find(int32_t kind, const std::string& what);
  /// As find, but it may be unusable here.
  const Plugin& load(int32_t kind, const std::string& what);

  /// The file that a lookup of this name finds, unopened; Fault::unavailable says where it was looked for.
  std::filesystem::path locate(int32_t kind, const std::string& name) const;
  /// Whether no plugin has this name (or KIND/NAME) and it can be told which one is meant: another name is near, or is that
  /// of another kind. A plugin of ours that is only not installed is not misspelt.
  bool is_misspelt(int32_t kind, const std::string& what) const;

  std::vector<PluginCandidate> candidates() const;

  /// Where Concord's own plugins are, found from the program, or from the library that this code is part of.
  static std::filesystem::path own_directory();

 private:
  /// What a lookup of the name finds, or nothing.
  std::optional<std::filesystem::path> file_of(int32_t kind, const std::string& name) const;
  /// What may be meant by a name that no plugin has: "; did you mean X?", or nothing.
  std::string suggestion(int32_t kind, const std::string& name) const;

  std::vector<std::filesystem::path> directories_;
  RunControl control_;
  std::string variant_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  ///< of the plugins below
  std::map<std::filesystem::path, std::unique_ptr<Plugin>> loaded_;
  std::map<std::pair<int32_t, std::string>, const Plugin*> named_;  ///< what lookups of names have found
  std::vector<std::unique_ptr<Plugin>> added_;  ///< the last one of a kind and name counts
};

/// A plugin as the user wrote it. Nothing of it is checked yet.
struct PluginSpec {
  std::string name;  ///< as PluginReference reads it
  std::vector<Setting> settings;
  std::string origin;  ///< where it was written, for error messages: "yeast.toml:12: train.decoder"
};

/// A plugin that is there and usable, and its effective options.
struct BoundPlugin {
  const Plugin* plugin = nullptr;
  OptionValues options;
};

/// The one place that turns words into a plugin with options. Every error goes to `errors`, and then nothing comes back.
std::optional<BoundPlugin> bind_plugin(Registry& registry, int32_t kind, const PluginSpec& spec,
                                       ErrorList& errors);

}  // namespace concord
