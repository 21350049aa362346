// SPDX-License-Identifier: MIT
#pragma once
// How work runs: when it stops, who hears of it, and fixed pieces of it on a few threads. Which thread runs a piece never
// matters to the result: pieces write to places of their own, and whoever combines them does so in the order of the pieces.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/pinned.hpp"

namespace concord {

/// When so many seconds have passed.
inline std::chrono::steady_clock::time_point seconds_from_now(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// What the user decides about a run.
struct RunControl {
  const std::atomic<bool>* stop = nullptr;                        ///< set by Ctrl-C
  std::optional<std::chrono::steady_clock::time_point> deadline;  ///< decoders then give what they have
  std::optional<std::chrono::steady_clock::time_point> cut_off;   ///< the run then ends as by Ctrl-C
  int threads = 1;
  /// Called with "decoder/name", a CONCORD_LOG_ level and a text, from any thread.
  std::function<void(const std::string&, int, const std::string&)> log;
  /// The remedy of an error about a plugin that is not there, in the words of whoever started the run.
  std::string how_to_find_plugins = "CONCORD_PLUGIN_PATH adds a directory";

  bool stop_requested() const {
    return (stop != nullptr && stop->load(std::memory_order_relaxed)) || is_cut_off();
  }
  bool is_cut_off() const { return cut_off && std::chrono::steady_clock::now() >= *cut_off; }
  double seconds_left() const {
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(*deadline - std::chrono::steady_clock::now()).count();
  }
};

/// Bytes that the system could still give, or no limit where it does not say.
double available_memory();

class ThreadPool : Pinned {
 public:
  /// `threads` in all, the caller's among them.
  explicit ThreadPool(int threads);
  ~ThreadPool();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// piece(0), ..., piece(count - 1), then returns. The exception of the first piece that threw is thrown.
  void run(int64_t count, const std::function<void(int64_t)>& piece);

 private:
  void work();
  void take_pieces(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::vector<std::thread> workers_;
  const std::function<void(int64_t)>* piece_ = nullptr;
  int64_t next_ = 0, count_ = 0, running_ = 0;
  int64_t failed_piece_ = 0;
  std::exception_ptr failure_;
  bool quit_ = false;
};

}  // namespace concord
