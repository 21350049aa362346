// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace concord::check {

/// The symbols that a shared library offers to others, read from the file without loading it.
std::vector<std::string> exported_symbols(const std::filesystem::path& file);

}  // namespace concord::check
