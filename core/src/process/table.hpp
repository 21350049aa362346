// SPDX-License-Identifier: MIT
#pragma once
// The processes of this machine, as /proc tells of them.
#include <sys/types.h>
#include <vector>

namespace concord {

struct RunningProcess {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  double cpu_seconds = 0;  ///< user and system time, also of its ended children
};

std::vector<RunningProcess> running_processes();

}  // namespace concord
