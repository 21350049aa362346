// SPDX-License-Identifier: MIT
#include "process/isolate.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace concord {
namespace {

constexpr char kComplete = '\x04';  // ends the output: a child that exits early has not sent it

void write_all(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

[[noreturn]] void child(int fd, const std::function<std::string()>& work) {
  ::setpgid(0, 0);                     // so that whatever it starts dies with it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and it dies with the host
  std::string text;
  try {
    text = work() + kComplete;
  } catch (const std::exception& e) {
    std::fputs(fmt::format("concord: {}\n", e.what()).c_str(), stderr);
    ::_exit(1);
  } catch (...) {
    std::fputs("concord: an exception that is not a std::exception\n", stderr);
    ::_exit(1);
  }
  write_all(fd, text);
  ::_exit(0);
}

}  // namespace

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return fmt::format("crashed with SIG{}", name != nullptr ? name : std::to_string(WTERMSIG(status)));
  }
  return fmt::format("ended the process with exit code {}", WEXITSTATUS(status));
}

IsolatedResult run_isolated(const std::function<std::string()>& work, double seconds,
                            const RunControl& control) {
  IsolatedResult result;
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    result.failure = fmt::format("no pipe: {}", std::strerror(errno));
    return result;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(fds[0]);
    child(fds[1], work);
  }
  ::close(fds[1]);
  if (pid < 0) {
    result.failure = fmt::format("no child process: {}", std::strerror(errno));
    ::close(fds[0]);
    return result;
  }
  ::setpgid(pid, pid);  // in both processes, as either may come first

  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  bool exited = false, timed_out = false;
  char buffer[4096];
  for (;;) {
    struct pollfd wait = {fds[0], POLLIN, 0};
    const int ready = ::poll(&wait, 1, 20);
    if (ready > 0) {
      const ssize_t n = ::read(fds[0], buffer, sizeof buffer);
      if (n > 0) {
        result.output.append(buffer, static_cast<size_t>(n));
        continue;
      }
      if (n == 0) break;
    }
    // The child may be gone while something that it started holds the pipe open.
    if (exited) break;
    exited = ::waitpid(pid, &status, WNOHANG) == pid;
    if (Clock::now() > deadline || control.stop_requested()) {
      timed_out = true;
      break;
    }
  }
  ::close(fds[0]);
  if (!exited && !timed_out) {
    // The pipe is closed; give the child until the deadline to end.
    while (!(exited = ::waitpid(pid, &status, WNOHANG) == pid) && Clock::now() < deadline) ::usleep(1000);
    timed_out = !exited;
  }
  ::kill(-pid, SIGKILL);
  if (!exited) ::waitpid(pid, &status, 0);

  if (timed_out) {
    result.timed_out = !control.stop_requested();
    result.failure =
        control.stop_requested() ? "was interrupted" : fmt::format("did not answer within {} s", seconds);
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || result.output.empty() ||
             result.output.back() != kComplete) {
    result.failure = ending_text(status);
  } else {
    result.output.pop_back();
    result.ok = true;
  }
  return result;
}

}  // namespace concord
