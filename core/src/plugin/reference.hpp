// SPDX-License-Identifier: MIT
#pragma once
// How a user names a plugin: NAME, KIND/NAME as listings write it, or the path of its file. Roundings come in chains a+b.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace concord {

const char* kind_name(int32_t kind);              ///< "decoder", "loss", "rounding"; "?" for any other
int32_t kind_from_name(const std::string& name);  ///< 0 for a name that is none of them

struct PluginReference {
  /// A path ends in ".so", or holds a '/' that does not come after a kind: a file decoder/x is written ./decoder/x.
  explicit PluginReference(const std::string& text);

  std::string name;            ///< by which the plugin goes: "mine", also of ./here/decoder-mine.so
  int32_t kind = 0;            ///< as KIND/NAME or KIND-NAME.so has it; 0 where nothing says
  std::filesystem::path file;  ///< empty for a name, which the registry looks for

  bool is_file() const { return !file.empty(); }
};

/// The parts of "a+b". A '+' within a path does not divide it: a path goes on until ".so", and has a '/' before its first
/// '+'. Fault::input at `place` when a part is empty.
std::vector<std::string> chain_parts(const std::string& chain, const std::string& place);

/// The plugin as it reads from elsewhere: a path from `folder` on, a name as it is.
std::string located_plugin(const std::string& plugin, const std::filesystem::path& folder);

}  // namespace concord
