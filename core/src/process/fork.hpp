// SPDX-License-Identifier: MIT
#pragma once
// A child process in a group of its own, which dies with the host, and how long it may take; and work in a child, which
// may crash, exit or hang without harm to the host.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "base/pinned.hpp"
#include "base/run.hpp"
#include "process/table.hpp"

namespace concord {

/// How long a process may take. Its limit is CPU time, which a busy machine does not stretch; the clock on the wall is
/// far off, and catches a process that sleeps.
struct TimeLimits {
  double cpu_seconds;
  double wall_seconds;
  /// So long without any CPU time it waits for what does not come.
  double idle_seconds = std::numeric_limits<double>::infinity();

  TimeLimits(double cpu)
      : TimeLimits(cpu, std::min(10 * cpu, cpu + 180)) {}  // NOLINT: a number of seconds is a limit
  TimeLimits(double cpu, double wall) : cpu_seconds(cpu), wall_seconds(wall) {}
};

class ForkedProcess : Pinned {
 public:
  /// Runs `work` in the child, which ends with the exit code that it returns. Fault::io if there is no process.
  explicit ForkedProcess(const std::function<int()>& work);
  /// Kills it, and whatever it has started, also what has left its group or its session (Strays).
  ~ForkedProcess();

  bool has_ended();  ///< does not wait
  void wait();
  void signal(int number) const;  ///< to the process alone
  void kill_group();              ///< and waits for its end

  /// Since the start, on the wall.
  double seconds() const { return watch_.wall_seconds(); }
  /// "20 s of CPU time", "200 s (3.1 s of CPU time used)" or "10 s in which it used no CPU time" if it has passed that
  /// limit, else nothing.
  std::string passed(const TimeLimits& limits);

  int status() const { return status_; }               ///< as waitpid gives it; requires that it has ended
  const struct rusage& used() const { return used_; }  ///< requires that it has ended

 private:
  Strays strays_;  ///< before and after the child
  pid_t id_;
  Stopwatch watch_;
  bool ended_ = false, killed_ = false;
  int status_ = 0;
  struct rusage used_ {};
};

/// "crashed with SIGSEGV" or "ended the process with exit code 3", from a status.
std::string ending_text(int status);

/// User and system time.
double cpu_seconds(const struct rusage& used);

/// For a child: descriptor `fd` becomes the file, opened with these flags of open(2).
void redirect(int fd, const std::string& file, int flags);
/// For a child: becomes the program that the first word names, as a path or as found in PATH. Returns the exit code 127
/// if there is none.
int become(const std::vector<std::string>& words);

struct IsolatedResult {
  bool ok = false;
  std::string output;   ///< what the work returned, if ok
  std::string failure;  ///< "crashed with SIGSEGV", "did not answer within 10 s of CPU time", ... otherwise
  bool timed_out = false;  ///< the failure is that it took too long
};

/// Runs `work` in a forked child and returns the text that it made, of 64 MiB at most. Call it while single-threaded. A
/// stop request ends the child. The text is the child's word: code that `work` calls may have written another, so whoever
/// reads the text checks everything in it.
IsolatedResult run_isolated(const std::function<std::string()>& work, const TimeLimits& limits,
                            const RunControl& control = {});

}  // namespace concord
