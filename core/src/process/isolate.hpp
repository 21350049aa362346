// SPDX-License-Identifier: MIT
#pragma once
// Work in a child process, which may crash, exit or hang without harm to the host.
#include <functional>
#include <string>

#include "base/run_control.hpp"
#include "process/fork.hpp"

namespace concord {

struct IsolatedResult {
  bool ok = false;
  std::string output;   ///< what the work returned, if ok
  std::string failure;  ///< "crashed with SIGSEGV", "did not answer within 10 s of CPU time", ... otherwise
  bool timed_out = false;  ///< the failure is that it took too long
};

/// Runs `work` in a forked child and returns the text that it made. Call it while single-threaded. A stop
/// request ends the child.
IsolatedResult run_isolated(const std::function<std::string()>& work, const TimeLimits& limits,
                            const RunControl& control = {});

}  // namespace concord
