// SPDX-License-Identifier: MIT
#include "process/fork.hpp"
#include "process/table.hpp"

namespace concord {
namespace {

constexpr double kSecondsBetweenLooks = 0.05;  // a look is a walk through /proc

double cpu_seconds_of_group(pid_t group) {
  double seconds = 0;
  for (const RunningProcess& one : running_processes())
    if (one.group == group || one.id == group) seconds += one.cpu_seconds;
  return seconds;
}

}  // namespace

Stopwatch::Stopwatch(pid_t group) : group_(group), before_(cpu_seconds_of_group(group)) {}

double Stopwatch::cpu_seconds() {
  if (wall_seconds() >= next_look_) {
    const double used = cpu_seconds_of_group(group_) - before_;
    if (used > last_) last_work_ = wall_seconds();
    last_ = used;
    next_look_ = wall_seconds() + kSecondsBetweenLooks;
  }
  return last_;
}

double Stopwatch::wall_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace concord
