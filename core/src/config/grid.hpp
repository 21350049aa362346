// SPDX-License-Identifier: MIT
#pragma once
// From the values of keys to the cells of a grid.
#include <string>
#include <utility>
#include <vector>

#include "config/keys.hpp"
#include "config/value.hpp"

namespace concord {

inline constexpr size_t kMostCells = 10'000;

/// One of the values that a key takes, and what of it is a choice of the grid.
struct Alternative {
  ConfigValue value;
  std::vector<std::pair<std::string, std::string>> chosen;
};

/// The values of one key in their order: one, unless it is a grid. Fault::input for an empty list, for a grid
/// where none is possible, and for more than kMostCells.
std::vector<Alternative> expand(const SettingKey& key, const ConfigValue& value);

/// Calls visit(indices) for every combination, the last index varying fastest.
template <class Visit>
void for_product(const std::vector<size_t>& counts, Visit&& visit) {
  std::vector<size_t> indices(counts.size(), 0);
  while (true) {
    visit(indices);
    size_t i = counts.size();
    while (i > 0 && ++indices[i - 1] == counts[i - 1]) indices[--i] = 0;
    if (i == 0) return;
  }
}

/// The product of the counts, or nothing above kMostCells.
bool fits_in_grid(const std::vector<size_t>& counts);

}  // namespace concord
