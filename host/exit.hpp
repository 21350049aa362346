// SPDX-License-Identifier: MIT
#pragma once
// The exit codes of the command line.
#include "base/error.hpp"

namespace concord {

enum class Exit {
  done = 0,
  negative = 1,     // check failed, comparison with failed rows
  input = 2,        // bad input or usage, or a problem that the plugin cannot solve
  unavailable = 3,  // a named plugin or solver is not there or not usable
  io = 4,
  plugin = 5,  // a plugin failed or lied while running
  interrupted = 130
};

inline Exit exit_of(Fault kind) {
  switch (kind) {
    case Fault::unavailable:
      return Exit::unavailable;
    case Fault::io:
      return Exit::io;
    case Fault::plugin:
      return Exit::plugin;
    case Fault::interrupted:
      return Exit::interrupted;
    default:
      return Exit::input;
  }
}

}  // namespace concord
