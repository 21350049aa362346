// SPDX-License-Identifier: MIT
#pragma once
// The decoder's side of a worker process (sdp_worker.hpp): started at the first solve, kept for many, ended
// when it fails, hangs or is interrupted, and started again by the next solve. It is fed through a socket
// pair: no files, and no SIGPIPE. Whatever happens to it becomes the sentence of one decode.
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <concord/kit/sdp_backend.hpp>
#include <concord/kit/sdp_worker_process.hpp>

namespace concord::kit {

namespace detail {

/// The folder of the plugin's own file, links followed.
inline std::filesystem::path plugin_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&plugin_folder), &info) == 0 || info.dli_fname == nullptr)
    throw std::runtime_error("the plugin does not find its own file");
  return std::filesystem::canonical(info.dli_fname).parent_path();
}

}  // namespace detail

/// Where workers are: the folder `libexec` beside that of the plugin.
inline std::string worker_file(const char* name) {
  return (detail::plugin_folder().parent_path() / "libexec" / name).string();
}

namespace detail {

/// What `worker --probe` prints; throws Unsupported if it does not end well.
inline Greeting greeting_of(const std::string& file) {
  if (::access(file.c_str(), X_OK) != 0) throw Unsupported("its worker " + file + " is missing");
  Spawn spawn;
  Chatter chatter;
  spawn.discard(STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) spawn.redirect(chatter.writer(), fd);
  const pid_t pid = spawn.run(file, "--probe");
  chatter.close_writer();
  int status = 0;
  pid_t ended = 0;
  for (int tenths = 0; ended == 0 && tenths < 50; ++tenths) {
    chatter.drain();
    ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(tenths < 10 ? 5 : 100));
    if (ended < 0 && errno == EINTR) ended = 0;
  }
  chatter.drain();
  if (ended == 0) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    throw Unsupported("its worker " + file + " does not answer --probe" + chatter.as_clause());
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw Unsupported("its worker does not find its libraries ('ldd " + file + "' lists them)" +
                      chatter.as_clause());
  if (status != 0)
    throw Unsupported("its worker " + file + " " + how_it_ended(status) + " when it was probed" +
                      chatter.as_clause());
  return greeting_in(chatter.text());
}

/// Empty if the worker is of the version of this header.
inline std::string other_version(const Greeting& greeting) {
  if (greeting.version == wire::kVersion) return "";
  return " speaks version " + greeting.version + " of the wire, and the plugin version " + wire::kVersion +
         ": install both from one build";
}

}  // namespace detail

/// What the worker says of its solver. Throws Unsupported unless the worker is there, finds its libraries and is of this
/// version of the wire.
inline std::string probe_worker(const std::string& file) {
  const detail::Greeting greeting = detail::greeting_of(file);
  const std::string other = detail::other_version(greeting);
  if (!other.empty()) throw Unsupported("its worker " + file + other);
  return greeting.solver;
}

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

/// An SDP backend (sdp_backend.hpp) that asks a worker. The worker is told every option, the threads, and by when to answer.
class SdpWorkerBackend {
 public:
  using Options = SdpWorkerOptions;
  static constexpr uint32_t flags = CONCORD_REENTRANT;

  SdpWorkerBackend(const char* worker, const SdpWorkerOptions& options)
      : file_(worker_file(worker)), time_limit_(options.time_limit) {}

  void set_options(std::vector<SdpSetting> options) { options_ = std::move(options); }

  template <class Problem>
  SdpAnswer solve(const Problem& problem, const SdpTask& task) {
    // A tenth of the time is for the way back and for what is computed from the answer.
    const double seconds = 0.9 * std::min(time_limit_, std::max(0.0, task.env.seconds_left()));
    const std::span<const char> warm(reinterpret_cast<const char*>(task.warm.data()), task.warm.size());
    // M, X and y, and a few words.
    const auto n = static_cast<size_t>(problem.order());
    const size_t most = (2 * n * n + 2 * n) * sizeof(double) + warm.size() + (1 << 16);
    wire::Answer answer =
        ask(wire::question(problem, {task.tol, seconds, task.env.threads(), options_, warm}), most, task.env);
    if (answer.answer.empty()) return {};
    if (answer.warm.size() != warm.size())
      throw std::runtime_error("the worker sent a warm block of another size");
    std::copy(answer.warm.begin(), answer.warm.end(), reinterpret_cast<char*>(task.warm.data()));
    return std::move(answer.answer);
  }

 private:
  wire::Answer ask(const wire::Bytes& question, size_t most, const Env& env) const {
    static WorkerPool pool;
    std::unique_ptr<WorkerProcess> worker = pool.take(file_);
    try {
      wire::Answer answer = worker->ask(
          question, most, time_limit_, [&] { return env.interruption().has_value(); },
          [&](int32_t level, const std::string& text) { env.log(level, text); });
      if (!answer.answer.empty())
        pool.give_back(std::move(worker));  // else, or when ask throws, it ends here
      return answer;
    } catch (const WorkerLost& lost) {
      throw std::runtime_error(lost.what() + version_fault());
    }
  }
  /// A worker of another version ends without a word that the plugin can read. Then its probe tells.
  std::string version_fault() const {
    try {
      const std::string other = detail::other_version(detail::greeting_of(file_));
      return other.empty() ? "" : "; it" + other;
    } catch (const std::exception&) {
      return "";
    }
  }

  std::string file_;
  double time_limit_;
  std::vector<SdpSetting> options_;
};

}  // namespace concord::kit
