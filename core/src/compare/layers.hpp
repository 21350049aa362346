// SPDX-License-Identifier: MIT
#pragma once
// The settings of a method on a dataset, put together from layers: the later one wins, key by key.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/entries.hpp"

namespace concord {

/// The members of `table` that are sections of a training config, as one document.
ConfigValue sections_of(const ConfigValue& table);
bool is_setting_section(const std::string& name);

/// `upper` on top of `lower`: a key keeps its place, so that grids keep their order.
std::vector<ConfigEntry> layered(std::vector<ConfigEntry> lower, const std::vector<ConfigEntry>& upper);

/// The values of some keys, each combination a column of the comparison.
struct AxisPoint {
  std::vector<ConfigEntry> entries;
  std::vector<std::string> texts;  ///< in the order of the axes
};
/// One point without entries if there are no axes. Fault::input where an axis is not a list.
std::vector<AxisPoint> points_of(const std::vector<ConfigEntry>& axes);

/// As a training config writes them: {"train": {"lambda_w": [0.1, 1]}}.
nlohmann::ordered_json document_json(const std::vector<ConfigEntry>& entries);

}  // namespace concord
