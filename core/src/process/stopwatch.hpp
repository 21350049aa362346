// SPDX-License-Identifier: MIT
#pragma once
// CPU time and wall time of a process group, cheap enough to ask for in a loop.
#include <chrono>
#include <sys/types.h>

namespace concord {

class Stopwatch {
 public:
  explicit Stopwatch(pid_t group);
  /// What all processes of the group that are alive, and their ended children, have used since the construction, up to a
  /// twentieth of a second ago.
  double cpu_seconds();
  double wall_seconds() const;

 private:
  pid_t group_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double before_;
  double last_ = 0;
  double next_look_ = 0;
};

}  // namespace concord
