// SPDX-License-Identifier: MIT
#pragma once
// Rows of a dataset as a user names them: "0,5,10-20", counted from 0, both ends of a range included.
#include <cstdint>
#include <string>
#include <vector>

namespace concord {

/// In the order given. Fault::input quotes the part that is no row, is twice there, or is not below `count`.
std::vector<int64_t> parse_rows(const std::string& option, const std::string& text, int64_t count);

}  // namespace concord
