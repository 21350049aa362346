// SPDX-License-Identifier: MIT
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "process/fork.hpp"

namespace concord {
namespace {

constexpr char kComplete = '\x04';  // ends the output: a child that exits early has not sent it
constexpr int kPollMilliseconds = 20;

void write_all(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

int answer(int fd, const std::function<std::string()>& work) {
  try {
    write_all(fd, work() + kComplete);
    return 0;
  } catch (const std::exception& e) {
    std::fputs(fmt::format("concord: {}\n", e.what()).c_str(), stderr);
  } catch (...) {
    std::fputs("concord: an exception that is not a std::exception\n", stderr);
  }
  return 1;
}

struct Pipe : Pinned {
  int read_end = -1, write_end = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail(Fault::io, "no pipe: {}", std::strerror(errno));
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    ::close(read_end);
    close_write_end();
  }
  void close_write_end() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
};

/// What happened first: the child ended, or it passed a limit (named in `limit`), or the user asked for its end.
enum class Event { ended, limit, stopped };

Event collect(ForkedProcess& child, int fd, const TimeLimits& limits, const RunControl& control,
              std::string& output, std::string& limit) {
  char buffer[4096];
  bool open = true, ended = false;
  for (;;) {
    if (open) {
      struct pollfd wait = {fd, POLLIN, 0};
      if (::poll(&wait, 1, kPollMilliseconds) > 0) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n > 0) output.append(buffer, static_cast<size_t>(n));
        if (n > 0) continue;
        open = n != 0;
      } else if (ended) {
        return Event::ended;  // something that it started holds the pipe open
      } else {
        ended = child.has_ended();  // what it wrote before its end is read in the next round
        if (ended) continue;
      }
    } else {
      if (child.has_ended()) return Event::ended;
      ::usleep(1000);
    }
    if (control.stop_requested()) return Event::stopped;
    limit = child.passed(limits);
    if (!limit.empty()) return Event::limit;
  }
}

}  // namespace

IsolatedResult run_isolated(const std::function<std::string()>& work, const TimeLimits& limits,
                            const RunControl& control) {
  IsolatedResult result;
  Pipe pipe;
  ForkedProcess child([&] { return answer(pipe.write_end, work); });
  pipe.close_write_end();
  std::string limit;
  const Event event = collect(child, pipe.read_end, limits, control, result.output, limit);
  child.kill_group();
  if (event == Event::stopped) {
    result.failure = "was interrupted";
  } else if (event == Event::limit) {
    result.timed_out = true;
    result.failure = "did not answer within " + limit;
  } else if (child.status() != 0 || result.output.empty() || result.output.back() != kComplete) {
    result.failure = ending_text(child.status());
  } else {
    result.output.pop_back();
    result.ok = true;
  }
  return result;
}

}  // namespace concord
