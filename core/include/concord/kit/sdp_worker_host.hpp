// SPDX-License-Identifier: MIT
#pragma once
// The decoder's side of a worker process (sdp_worker.hpp): started at the first solve, kept for many, ended
// when it fails, hangs or is interrupted, and started again by the next solve. It is fed through a socket
// pair: no files, and no SIGPIPE. Whatever happens to it becomes the sentence of one decode.
#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <concord/kit/sdp_backend.hpp>
#include <concord/kit/sdp_wire.hpp>

namespace concord::kit {

namespace detail {

/// The folder of the plugin's own file, links followed.
inline std::filesystem::path plugin_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&plugin_folder), &info) == 0 || info.dli_fname == nullptr)
    throw std::runtime_error("the plugin does not find its own file");
  return std::filesystem::canonical(info.dli_fname).parent_path();
}

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

}  // namespace detail

/// Where workers are: the folder `libexec` beside that of the plugin.
inline std::string worker_file(const char* name) {
  return (detail::plugin_folder().parent_path() / "libexec" / name).string();
}

/// Throws Unsupported unless the worker is there and finds its libraries.
inline void probe_worker(const std::string& file) {
  if (::access(file.c_str(), X_OK) != 0) throw Unsupported("its worker " + file + " is missing");
  detail::Spawn spawn;
  for (const int fd : {0, 1, 2}) spawn.discard(fd);
  const pid_t pid = spawn.run(file, "--probe");
  int status = 0;
  pid_t ended = 0;
  for (int tenths = 0; ended == 0 && tenths < 50; ++tenths) {
    ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(tenths < 10 ? 5 : 100));
    if (ended < 0 && errno == EINTR) ended = 0;
  }
  if (ended == 0) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    throw Unsupported("its worker " + file + " does not answer");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw Unsupported("its worker does not find its libraries ('ldd " + file + "' lists them)");
  if (status != 0) throw Unsupported("its worker " + file + " " + detail::how_it_ended(status));
}

/// One worker process. Used by one thread at a time.
class WorkerProcess {
 public:
  explicit WorkerProcess(const std::string& file) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::generic_category(), "no socket for the worker");
    socket_ = ends[0];
    try {
      detail::Spawn spawn;
      spawn.redirect(ends[1], STDIN_FILENO);
      spawn.redirect(STDERR_FILENO, STDOUT_FILENO);
      pid_ = spawn.run(file);
    } catch (...) {
      ::close(ends[0]);
      ::close(ends[1]);
      throw;
    }
    ::close(ends[1]);
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

  /// The worker's answer; empty if `interrupted` said to stop. Throws a sentence if there is none; then, and
  /// after an interruption, the worker must be thrown away.
  template <class Interrupted>
  SdpAnswer ask(const wire::Bytes& question, double seconds, Interrupted&& interrupted) {
    const auto start = std::chrono::steady_clock::now();
    const auto wait_for = [&](short event) {
      pollfd wait{socket_, event, 0};
      while (::poll(&wait, 1, 5) <= 0) {
        if (interrupted()) return false;
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds)
          hangs(seconds);
      }
      return true;
    };
    for (size_t sent = 0; sent < question.size();) {
      if (!wait_for(POLLOUT)) return {};
      const ssize_t n =
          ::send(socket_, question.data() + sent, question.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<size_t>(n);
      if (n < 0 && errno != EAGAIN && errno != EINTR) lost("before it had the whole problem");
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
    wire::Header header{};
    if (!receive(reinterpret_cast<char*>(&header), sizeof header, "before it answered")) return {};
    // M, X and y, and a few words.
    if (header.magic != wire::kMagic || header.bytes > 3 * question.size() + (1 << 16))
      throw std::runtime_error("the worker's answer is not one");
    wire::Bytes bytes(header.bytes);
    if (!receive(bytes.data(), bytes.size(), "in the middle of its answer")) return {};
    return wire::read_answer(bytes);
  }

 private:
  [[noreturn]] static void hangs(double seconds) {
    std::ostringstream text;
    text << "the worker gave no answer within " << seconds << " s (option time_limit) and was ended";
    throw std::runtime_error(text.str());
  }
  [[noreturn]] void lost(const char* when) {
    for (int i = 0; i < 200 && alive(); ++i) ::usleep(5000);
    throw std::runtime_error("the worker " +
                             (ended_ ? detail::how_it_ended(status_) : std::string("closed its socket")) +
                             " " + when);
  }
  /// 0: it runs.
  pid_t wait(int flags) {
    pid_t got = 0;
    while ((got = ::waitpid(pid_, &status_, flags)) < 0 && errno == EINTR) {
    }
    ended_ = got != 0;
    return got;
  }

  int socket_ = -1;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// The options of every SDP decoder with a worker.
struct SdpWorkerOptions : SdpOptions {
  double time_limit;
};

/// The idle workers of a plugin: as many as there were concurrent solves. They outlive the decoder objects,
/// as starting one takes longer than most solves, and end with the process.
class WorkerPool {
 public:
  std::unique_ptr<WorkerProcess> take(const std::string& file) {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
        idle_.pop_back();
        if (worker->alive()) return worker;
      }
    }
    return std::make_unique<WorkerProcess>(file);
  }
  void give_back(std::unique_ptr<WorkerProcess> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;
};

/// An SDP backend (sdp_backend.hpp) that asks a worker.
class SdpWorkerBackend {
 public:
  using Options = SdpWorkerOptions;
  static auto options() {
    return OptionList<Options>{opt("time_limit", &Options::time_limit, 3600)
                                   .range(1, 1e6)
                                   .help("seconds after which a worker without an answer is ended")};
  }
  static constexpr uint32_t flags = CONCORD_REENTRANT;

  SdpWorkerBackend(const char* worker, const Options& options)
      : file_(worker_file(worker)), time_limit_(options.time_limit) {}

  SdpAnswer solve(const SdpProblem& problem, double tol, const Env& env) {
    static WorkerPool pool;
    std::unique_ptr<WorkerProcess> worker = pool.take(file_);
    SdpAnswer answer = worker->ask(wire::question(problem, tol), time_limit_,
                                   [&] { return env.interruption().has_value(); });
    if (!answer.empty()) pool.give_back(std::move(worker));  // else, or when ask throws, it has ended here
    return answer;
  }

 private:
  std::string file_;
  double time_limit_;
};

}  // namespace concord::kit
