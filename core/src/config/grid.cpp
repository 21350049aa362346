// SPDX-License-Identifier: MIT
#include "base/error.hpp"
#include "config/entries.hpp"
#include "config/readers.hpp"

namespace concord {
namespace {

using Form = SettingKey::Form;

/// A plugin's table with lists among its options: every combination of their elements. An empty list is the
/// value of an option that is a list, which only the plugin can judge.
std::vector<Alternative> expand_options(const std::string& key, const ConfigValue& plugin) {
  if (!plugin.is_table()) return {{plugin, {}}};
  const ConfigValue table = flat_plugin_table(plugin);
  std::vector<size_t> grids, counts;
  for (size_t i = 0; i < table.table.size(); ++i) {
    const ConfigMember& option = table.table[i];
    if (!option.value.is_list() || option.value.list.empty() || option.key == "name") continue;
    grids.push_back(i);
    counts.push_back(option.value.list.size());
  }
  if (!fits_in_grid(counts))
    fail(Fault::input, About{plugin.place, key}, "its options make a grid of more than {} cells", kMostCells);

  std::vector<Alternative> alternatives;
  for_product(counts, [&](const std::vector<size_t>& indices) {
    Alternative one{table, {}};
    for (size_t g = 0; g < grids.size(); ++g) {
      const ConfigMember& option = table.table[grids[g]];
      const ConfigValue& element = option.value.list[indices[g]];
      one.value.table[grids[g]].value = element;
      one.chosen.emplace_back(key + "." + option.key,
                              element.is_list() ? fmt::format("[{}]", element.text()) : element.text());
    }
    alternatives.push_back(std::move(one));
  });
  return alternatives;
}

}  // namespace

bool fits_in_grid(const std::vector<size_t>& counts) {
  size_t cells = 1;
  for (const size_t count : counts) {
    if (count > kMostCells / cells) return false;
    cells *= count;
  }
  return true;
}

std::vector<Alternative> expand(const SettingKey& key, const ConfigValue& value) {
  if (!value.is_list())
    return key.form == Form::plugin ? expand_options(key.name(), value)
                                    : std::vector<Alternative>{{value, {}}};
  if (key.form == Form::single)
    value.refuse(fmt::format("one value: a list is a grid, and [{}] can have none", key.section));
  if (value.list.empty()) value.refuse("a value, or a list of values: a grid");

  std::vector<Alternative> alternatives;
  for (const ConfigValue& element : value.list) {
    if (element.is_list()) element.refuse("a value: a list within a list has no meaning here");
    const auto expanded = key.form == Form::plugin ? expand_options(key.name(), element)
                                                   : std::vector<Alternative>{{element, {}}};
    for (const Alternative& one : expanded)
      alternatives.push_back({one.value, {{key.name(), one.value.text()}}});
    if (alternatives.size() > kMostCells)
      fail(Fault::input, About{value.place, key.name()}, "this grid has more than {} cells", kMostCells);
  }
  return alternatives;
}

}  // namespace concord
