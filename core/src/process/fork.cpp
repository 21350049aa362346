// SPDX-License-Identifier: MIT
#include "process/fork.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace concord {
namespace {

constexpr int kNotStarted = 127;

[[noreturn]] void run(const std::function<int()>& work, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);  // the host died before the line above
  try {
    ::_exit(work());
  } catch (...) {
    ::_exit(kNotStarted);
  }
}

pid_t forked(const std::function<int()>& work) {
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) run(work, parent);
  if (id < 0) fail(Fault::io, "no child process: {}", std::strerror(errno));
  ::setpgid(id, id);  // in both processes, as either may come first
  return id;
}

}  // namespace

ForkedProcess::ForkedProcess(const std::function<int()>& work) : id_(forked(work)), watch_(id_) {}

ForkedProcess::~ForkedProcess() {
  kill_group();
}

bool ForkedProcess::has_ended() {
  if (ended_) return true;
  const pid_t answer = ::wait4(id_, &status_, WNOHANG, &used_);
  ended_ =
      answer == id_ || (answer < 0 && errno == ECHILD);  // nobody knows a child whose parent ignores SIGCHLD
  return ended_;
}

void ForkedProcess::wait() {
  while (!ended_) ended_ = ::wait4(id_, &status_, 0, &used_) == id_ || errno != EINTR;
}

void ForkedProcess::signal(int number) const {
  if (!ended_) ::kill(id_, number);
}

void ForkedProcess::kill_group() {
  if (killed_) return;
  ::kill(-id_, SIGKILL);  // the group outlives its leader while a member lives
  signal(SIGKILL);        // which may have joined another group
  wait();
  killed_ = true;
}

std::string ForkedProcess::passed(const TimeLimits& limits) {
  const double cpu = watch_.cpu_seconds();
  if (cpu > limits.cpu_seconds) return fmt::format("{:g} s of CPU time", limits.cpu_seconds);
  if (seconds() > limits.wall_seconds)
    return fmt::format("{:g} s ({:.1f} s of CPU time used)", limits.wall_seconds, cpu);
  if (watch_.idle_seconds() > limits.idle_seconds)
    return fmt::format("{:g} s in which it used no CPU time", limits.idle_seconds);
  return "";
}

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return fmt::format("crashed with SIG{}", name != nullptr ? name : std::to_string(WTERMSIG(status)));
  }
  return fmt::format("ended the process with exit code {}", WEXITSTATUS(status));
}

double cpu_seconds(const struct rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void redirect(int fd, const std::string& file, int flags) {
  const int opened = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  if (opened >= 0) ::dup2(opened, fd);
}

int become(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  return kNotStarted;
}

}  // namespace concord
