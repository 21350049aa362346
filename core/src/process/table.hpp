// SPDX-License-Identifier: MIT
#pragma once
// The processes of this machine, as /proc tells of them: what a group of them has used, and those that have left the care of
// whoever started them.
#include <chrono>
#include <sys/types.h>
#include <vector>

#include "base/pinned.hpp"

namespace concord {

struct RunningProcess {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  double cpu_seconds = 0;  ///< user and system time, also of its ended children
};

std::vector<RunningProcess> running_processes();

/// Ends the processes that were started by a child's code and have left its group, its session or its care: this process
/// adopts them. Made before a child is started. When the last one of this process goes, so does every process that this
/// process has adopted since the first: while several children run, nobody can tell whose an adopted one was.
class Strays : Pinned {
 public:
  Strays();
  ~Strays();
};

/// CPU time and wall time of a process group, cheap enough to ask for in a loop.
class Stopwatch {
 public:
  explicit Stopwatch(pid_t group);
  /// What all processes of the group that are alive, and their ended children, have used since the construction, up to a
  /// twentieth of a second ago.
  double cpu_seconds();
  double wall_seconds() const;
  /// For how long the group has used none, as far as cpu_seconds() was asked for.
  double idle_seconds() const { return wall_seconds() - last_work_; }

 private:
  pid_t group_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double before_;
  double last_ = 0;
  double next_look_ = 0;
  double last_work_ = 0;  // on the wall
};

}  // namespace concord
