// SPDX-License-Identifier: MIT
#pragma once
// Plugins by name, with their default options.
#include <memory>
#include <string>

#include "plugin/registry.hpp"

namespace bench {

inline std::shared_ptr<const concord::BoundPlugin> chosen(int32_t kind, const std::string& name) {
  static concord::Registry registry({}, {});
  const concord::Plugin& plugin = registry.find(kind, name);
  concord::ErrorList errors;
  return std::make_shared<concord::BoundPlugin>(
      concord::BoundPlugin{&plugin, concord::OptionValues(plugin.id(), plugin.options(), {}, errors)});
}

}  // namespace bench
