// SPDX-License-Identifier: MIT
#include "plugin/reference.hpp"

#include <algorithm>

#include <concord/abi.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {
namespace {

/// Whether a '+' after this text begins another part.
bool is_complete(const std::string& part) {
  return part.ends_with(".so") || !PluginReference(part).is_file();
}

}  // namespace

const char* kind_name(int32_t kind) {
  static constexpr const char* names[] = {"?", "decoder", "loss", "rounding"};
  static_assert(CONCORD_DECODER == 1 && CONCORD_LOSS == 2 && CONCORD_ROUNDING == 3);
  return names[kind >= CONCORD_DECODER && kind <= CONCORD_ROUNDING ? kind : 0];
}

int32_t kind_from_name(const std::string& name) {
  for (const int32_t kind : {CONCORD_DECODER, CONCORD_LOSS, CONCORD_ROUNDING})
    if (name == kind_name(kind)) return kind;
  return 0;
}

PluginReference::PluginReference(const std::string& text) : name(text) {
  const size_t slash = text.find('/');
  const bool ends_in_so = text.ends_with(".so");
  if (slash == std::string::npos && !ends_in_so) return;
  if (!ends_in_so && text.find('/', slash + 1) == std::string::npos) {
    kind = kind_from_name(text.substr(0, slash));
    if (kind != 0) {
      name = text.substr(slash + 1);
      return;
    }
  }
  file = text;
  const std::string stem = file.stem().string();
  const size_t dash = stem.find('-');
  kind = dash == std::string::npos ? 0 : kind_from_name(stem.substr(0, dash));
  name = kind == 0 ? stem : stem.substr(dash + 1);
}

std::vector<std::string> chain_parts(const std::string& chain, const std::string& place) {
  std::vector<std::string> parts;
  for (size_t from = 0; from <= chain.size();) {
    size_t plus = std::min(chain.find('+', from), chain.size());
    while (plus < chain.size() && !is_complete(chain.substr(from, plus - from)))
      plus = std::min(chain.find('+', plus + 1), chain.size());
    parts.push_back(chain.substr(from, plus - from));
    if (parts.back().empty())
      fail(Fault::input, About{place}, "{} has an empty part; expected \"a\" or \"a+b\"", quote(chain));
    from = plus + 1;
  }
  return parts;
}

std::string located_plugin(const std::string& plugin, const std::filesystem::path& folder) {
  return PluginReference(plugin).is_file() ? (folder / plugin).string() : plugin;
}

}  // namespace concord
