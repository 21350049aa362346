// SPDX-License-Identifier: MIT
#pragma once
// Verbs that load plugins into their own process run in a child of this one. A plugin that crashes or leaves is named, and
// there is no exit code 0 without a result.
#include <functional>

namespace concord {

/// The exit code of the program whose work this is. A crash is 128 + the number of the signal, as shells have it.
int supervised(const std::function<int()>& work);

}  // namespace concord
