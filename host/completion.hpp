// SPDX-License-Identifier: MIT
#pragma once
// Completions of shells, written from the same records as --help and the manual pages: `concord help --completion SHELL`.
#include <string>
#include <vector>

#include "man.hpp"

namespace concord {

/// The script for bash, zsh or fish. Fault::input for another shell. Names of plugins are those that the registry finds.
std::string completion(const std::string& shell, const std::vector<ManPage>& pages, Registry& registry);

}  // namespace concord
