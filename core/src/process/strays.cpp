// SPDX-License-Identifier: MIT
#include <csignal>
#include <mutex>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/table.hpp"

namespace concord {
namespace {

constexpr int kRounds =
    2000;  // of a millisecond: whoever starts processes faster than they are ended wins in the end

struct Known {
  std::mutex mutex;
  int watchers = 0;
  std::set<pid_t> before;  ///< children that the first watcher found
};

Known& known() {
  static Known one;
  return one;
}

/// The children of this process, adopted ones among them.
std::set<pid_t> children() {
  std::set<pid_t> ids;
  for (const RunningProcess& one : running_processes())
    if (one.parent == ::getpid()) ids.insert(one.id);
  return ids;
}

void end_all_but(const std::set<pid_t>& spared) {
  for (int round = 0; round < kRounds; ++round) {
    bool left = false;
    for (const pid_t id : children()) {
      if (spared.contains(id)) continue;
      left = true;
      ::kill(id, SIGKILL);  // its own children are adopted then, and ended in the next round
      ::waitpid(id, nullptr, WNOHANG);
    }
    if (!left) return;
    ::usleep(1000);
  }
}

}  // namespace

Strays::Strays() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::lock_guard lock(known().mutex);
  if (known().watchers++ == 0) known().before = children();
}

Strays::~Strays() {
  const std::lock_guard lock(known().mutex);
  if (--known().watchers == 0) end_all_but(known().before);
}

}  // namespace concord
