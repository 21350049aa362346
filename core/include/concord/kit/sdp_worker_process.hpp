// SPDX-License-Identifier: MIT
#pragma once
// A worker (sdp_worker.hpp) as a process: started, asked, watched, ended. What it prints is kept, up to a limit, for the
// sentence that says how it failed.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <concord/kit/sdp_wire.hpp>

namespace concord::kit {

namespace detail {

class Spawn {
 public:
  Spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // A group of its own: Ctrl-C is the host's to handle. No signal blocked or ignored.
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void redirect(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void discard(int fd) { ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0); }

  pid_t run(const std::string& file, const char* argument = nullptr) {
    char* const argv[] = {const_cast<char*>(file.c_str()), const_cast<char*>(argument), nullptr};
    pid_t pid = -1;
    if (const int error = ::posix_spawn(&pid, file.c_str(), &actions_, &attributes_, argv, environ);
        error != 0)
      throw std::runtime_error("its worker " + file +
                               " cannot be started: " + std::generic_category().message(error));
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

inline std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
  const char* name = ::sigdescr_np(WTERMSIG(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + (name ? name : "unknown") + ")";
}

/// The end of what a process prints, through a pipe that must be drained while it runs.
class Chatter {
 public:
  Chatter() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "no pipe for the worker");
    ::fcntl(ends_[1], F_SETFL, 0);  // its own end waits, as a terminal would
  }
  ~Chatter() {
    close_writer();
    ::close(ends_[0]);
  }
  Chatter(const Chatter&) = delete;
  Chatter& operator=(const Chatter&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  /// Does not wait. False: nobody can write any more.
  bool drain() {
    char buffer[4096];
    // As much as a pipe holds: who prints without end is drained again later.
    for (int times = 0; times < 32; ++times) {
      const ssize_t got = ::read(ends_[0], buffer, sizeof buffer);
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      if (got == 0) return false;
      text_.append(buffer, static_cast<size_t>(got));
      if (text_.size() > kMost) text_.erase(0, text_.size() - kMost);
    }
    return true;
  }
  void forget() { text_.clear(); }
  const std::string& text() const { return text_; }

  /// "; it said: ..." with the last lines, or nothing. The host cleans it as any text of a plugin.
  std::string as_clause() const {
    constexpr size_t most = 250;
    const size_t first = text_.find_first_not_of(" \n\r\t");
    if (first == std::string::npos) return "";
    std::string words = text_.substr(first, text_.find_last_not_of(" \n\r\t") + 1 - first);
    if (words.size() > most) words = "..." + words.substr(words.size() - most);
    for (size_t at = 0; (at = words.find('\n', at)) != std::string::npos; at += 3)
      words.replace(at, 1, " | ");
    return "; it said: " + words;
  }

 private:
  static constexpr size_t kMost = 4000;
  int ends_[2] = {-1, -1};
  std::string text_;
};

/// Its name and number of the wire, and what it says of its solver.
struct Greeting {
  std::string version;
  std::string solver;
};
inline Greeting greeting_in(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {  // a library may print as it is loaded
    const std::string start = std::string(wire::kGreeting) + " ";
    if (line.rfind(start, 0) != 0) continue;
    const size_t space = line.find(' ', start.size());
    return {line.substr(start.size(), space - start.size()),
            space == std::string::npos ? "" : line.substr(space + 1)};
  }
  return {"1", ""};  // of 0.1, which says nothing
}

}  // namespace detail

/// It ended, or closed its socket, without an answer.
struct WorkerLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One worker process. Used by one thread at a time.
class WorkerProcess {
 public:
  using Log = std::function<void(int32_t level, const std::string& text)>;

  explicit WorkerProcess(const std::string& file) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::generic_category(), "no socket for the worker");
    socket_ = ends[0];
    try {
      detail::Spawn spawn;
      spawn.redirect(ends[1], STDIN_FILENO);
      spawn.redirect(chatter_.writer(), STDOUT_FILENO);
      spawn.redirect(chatter_.writer(), STDERR_FILENO);
      pid_ = spawn.run(file);
    } catch (...) {
      ::close(ends[0]);
      ::close(ends[1]);
      throw;
    }
    ::close(ends[1]);
    chatter_.close_writer();
  }
  ~WorkerProcess() {
    // Only a process that is still our child may be ended: another could have got its number.
    if (alive()) {
      ::kill(pid_, SIGKILL);
      wait(0);
    }
    ::close(socket_);
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  bool alive() { return !ended_ && wait(WNOHANG) == 0; }

  /// The worker's answer of `most` bytes at most; empty if `interrupted` said to stop. Throws a sentence if there is none;
  /// then, and after an interruption, the worker must be thrown away.
  template <class Interrupted>
  wire::Answer ask(const wire::Bytes& question, size_t most, double seconds, Interrupted&& interrupted,
                   const Log& log) {
    const auto start = std::chrono::steady_clock::now();
    const auto wait_for = [&](short event) {
      for (;;) {
        pollfd wait[] = {{socket_, event, 0}, {can_chat_ ? chatter_.reader() : -1, POLLIN, 0}};
        ::poll(wait, 2, 5);
        if (wait[1].revents != 0) can_chat_ = chatter_.drain();
        if (wait[0].revents != 0) return true;
        if (interrupted()) return false;
        if (seconds_since(start) > seconds) hangs(seconds);
      }
    };
    for (size_t sent = 0; sent < question.size();) {
      if (!wait_for(POLLOUT)) return {};
      const ssize_t n =
          ::send(socket_, question.data() + sent, question.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<size_t>(n);
      if (n < 0 && errno != EAGAIN && errno != EINTR) lost("while it was given the problem");
    }
    const auto receive = [&](char* data, size_t size, const char* when) {
      while (size > 0) {
        if (!wait_for(POLLIN)) return false;
        const ssize_t n = ::recv(socket_, data, size, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) lost(when);
        if (n < 0) continue;
        data += n;
        size -= static_cast<size_t>(n);
      }
      return true;
    };
    for (int lines = 0;;) {
      wire::Header header{};
      if (!receive(reinterpret_cast<char*>(&header), sizeof header, "while it solved, without an answer"))
        return {};
      if (header.magic != wire::kMagic || header.bytes > most)
        throw std::runtime_error("what the worker sent while it solved is not an answer" +
                                 chatter_.as_clause());
      wire::Bytes bytes(header.bytes);
      if (!receive(bytes.data(), bytes.size(), "in the middle of its answer")) return {};
      auto message = wire::read_message(bytes);
      if (const auto* line = std::get_if<wire::LogLine>(&message)) {
        constexpr int most_lines = 1000;
        if (++lines <= most_lines)
          log(std::clamp<int32_t>(line->level, CONCORD_LOG_DEBUG, CONCORD_LOG_WARNING), line->text);
        if (lines == most_lines)
          log(CONCORD_LOG_WARNING, "the worker logs more lines than are shown of one solve");
        if (interrupted()) return {};  // there is no end of some logs
        if (seconds_since(start) > seconds) hangs(seconds);
        continue;
      }
      chatter_.forget();
      return std::get<wire::Answer>(std::move(message));
    }
  }

 private:
  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  [[noreturn]] void hangs(double seconds) const {
    std::ostringstream text;
    text << "the worker gave no answer within " << seconds << " s (option time_limit) and was ended"
         << chatter_.as_clause();
    throw std::runtime_error(text.str());
  }
  [[noreturn]] void lost(const char* when) {
    for (int i = 0; i < 200 && alive(); ++i) ::usleep(5000);
    chatter_.drain();
    throw WorkerLost("the worker " +
                     (ended_ ? detail::how_it_ended(status_) : std::string("closed its socket")) + " " +
                     when + chatter_.as_clause());
  }
  /// 0: it runs.
  pid_t wait(int flags) {
    pid_t got = 0;
    while ((got = ::waitpid(pid_, &status_, flags)) < 0 && errno == EINTR) {
    }
    ended_ = got != 0;
    return got;
  }

  detail::Chatter chatter_;
  int socket_ = -1;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  bool can_chat_ = true;
};

}  // namespace concord::kit
