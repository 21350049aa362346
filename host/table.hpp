// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "cli.hpp"

namespace concord {

/// Rows of cells, each column as wide as its widest cell; the first `left` to the left, numbers to the right.
std::string table(const std::vector<Strings>& rows, size_t left);

}  // namespace concord
