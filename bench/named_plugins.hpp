// SPDX-License-Identifier: MIT
#pragma once
// Plugins by name, with their default options.
#include <memory>
#include <string>
#include <vector>

#include "plugin/registry.hpp"
#include "solve/decode.hpp"

namespace bench {

inline std::shared_ptr<const concord::ChosenPlugin> chosen(int32_t kind, const std::string& name) {
  static concord::Registry registry({}, {});
  const concord::Plugin& plugin = registry.find(kind, name);
  std::vector<std::string> errors;
  return std::make_shared<concord::ChosenPlugin>(concord::ChosenPlugin{
      &plugin, concord::OptionValues(plugin.id(), plugin.options(), {}, errors), false});
}

}  // namespace bench
