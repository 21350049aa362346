// SPDX-License-Identifier: MIT
#pragma once
// Packages are built for every x86-64 processor. Below a folder of plugins there may be a second one with plugins
// compiled for newer processors, which are preferred where the processor has what they need.
#include <string>

namespace concord {

/// The name of that subfolder, or empty: the processor cannot run it, or CONCORD_VARIANT=baseline asks for the
/// plugins that run on every machine. Fault::input for another value of the variable.
std::string plugin_variant();

}  // namespace concord
