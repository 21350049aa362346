// SPDX-License-Identifier: MIT
#include "supervise.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include "exit.hpp"
#include "output.hpp"
#include "process/fork.hpp"
#include "process/watch.hpp"

namespace concord {
namespace {

/// Of an end that the program has not chosen.
std::string sentence(const WatchedEnd& end) {
  const std::string ending = ending_text(end.status);
  if (!end.at_work.empty()) return fmt::format("{} {}", end.at_work, ending);
  if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL)
    return "killed with SIGKILL, perhaps by the system for want of memory";
  return fmt::format("the program itself {}", ending);
}

}  // namespace

int supervised(const std::function<int()>& work) {
  const WatchedEnd end = run_watched(work);
  say(end.words);
  const bool signalled = WIFSIGNALED(end.status);
  if (!end.code) {
    say(fmt::format("concord: {}\n", sentence(end)));
    return signalled ? 128 + WTERMSIG(end.status) : static_cast<int>(Exit::plugin);
  }
  // The results are out: a library that crashes while the process ends spoils nothing.
  if (signalled)
    say(fmt::format("concord: warning: at the end of the process a library {}\n", ending_text(end.status)));
  return *end.code != 0 || signalled ? *end.code : WEXITSTATUS(end.status);
}

}  // namespace concord
