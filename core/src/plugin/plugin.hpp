// SPDX-License-Identifier: MIT
#pragma once
// A plugin: from a file on disk to a table that the host may call.
#include <filesystem>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include <concord/abi.h>

#include "base/run.hpp"
#include "plugin/options.hpp"
#include "plugin/reference.hpp"

namespace concord {

/// A loaded plugin that passed the gate. It stays loaded until the process ends.
class Plugin {
 public:
  /// Loads FILE, or says which of the refusals applies (Error with Fault::unavailable). Does not probe.
  explicit Plugin(const std::filesystem::path& file);
  /// A plugin whose table is in memory, and stays there until the process ends. Refused as a file is.
  explicit Plugin(const concord_plugin_table* table);

  /// Empty for a plugin in memory.
  const std::filesystem::path& file() const { return file_; }
  int32_t kind() const { return kind_; }
  const std::string& id() const { return id_; }  ///< KIND/NAME
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& summary() const { return summary_; }
  const std::string& licence() const { return licence_; }
  const std::string& build_tag() const { return build_tag_; }
  const concord_capabilities& capabilities() const { return capabilities_; }
  bool has(uint32_t flag) const { return (capabilities_.flags & flag) != 0; }
  const std::vector<OptionDeclaration>& options() const { return options_; }

  /// A lock that keeps the plugin to one thread at a time, unless the plugin declares that it is re-entrant.
  /// Plugins that wrap old solvers have globals, so all objects of one plugin share the lock.
  std::unique_lock<std::mutex> serialised() const;

  /// Throws Error with Fault::unavailable and the plugin's reason when it is not usable here and now.
  void require_usable(const RunControl& control) const;

  /// The solver behind it and that one's version, as found now; empty if the plugin does not tell.
  std::string solver(const RunControl& control) const;

  /// The functions of its kind; requires that kind.
  const concord_decoder& decoder() const { return std::get<concord_decoder>(functions_); }
  const concord_loss& loss() const { return std::get<concord_loss>(functions_); }
  const concord_rounding& rounding() const { return std::get<concord_rounding>(functions_); }

 private:
  void pass_gate(const concord_plugin_table& table, const std::string& whose);

  // Copies of all that its table says: what passed the gate stays as it was.
  std::filesystem::path file_;
  int32_t kind_ = 0;
  std::string id_, name_, version_, summary_, licence_, build_tag_;
  int32_t (*probe_)(const concord_env* env) = nullptr;
  const void* (*get_extension_)(const char* id) = nullptr;
  std::variant<concord_decoder, concord_loss, concord_rounding> functions_;
  concord_capabilities capabilities_{};
  std::vector<OptionDeclaration> options_;
  mutable std::mutex mutex_;
};

// What stands between a file and a Plugin: library.cpp opens it, gate.cpp looks at its table.

/// Fault::unavailable unless this is a table with the magic number and the ABI of this host.
void require_table(const concord_plugin_table* table, const std::string& whose);

/// The table that the library has, its magic number and ABI checked. Fault::unavailable says which refusal applies.
/// The library is kept loaded: results hold strings and code of plugins, and closing a library runs its destructors at
/// a time nobody chose. `file` is canonical.
const concord_plugin_table* load_table(const std::filesystem::path& file);

/// Fault::unavailable when anyone could replace the file: it, its directory or, but for sticky ones like /tmp, a
/// directory above is writable by everyone. `file` is canonical.
void refuse_world_writable(const std::filesystem::path& file);

/// What in a plugin's table breaks the contract, a sentence each.
struct TableFaults {
  std::vector<std::string> descriptor;
  std::vector<std::string> capabilities;  ///< this and the rest are looked at if the descriptor has no fault
  std::vector<std::string> options;
  std::vector<std::string> functions;

  std::vector<std::string> all() const;
};
TableFaults faults_of(const concord_plugin_table& table);

}  // namespace concord
