// SPDX-License-Identifier: MIT
#pragma once
// How work runs: when it stops, who hears of it, and fixed pieces of it on a few threads. Which thread runs a piece never
// matters to the result: pieces write to places of their own, and whoever combines them does so in the order of the pieces.
#include <algorithm>
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

class ThreadPool;

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
  ThreadPool* pool = nullptr;  ///< its threads are lent to `prepare` of a decoder
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

/// For sentences about memory.
inline constexpr double kGiB = 1 << 30;

class ThreadPool : Pinned {
 public:
  /// `threads` in all, the caller's among them.
  explicit ThreadPool(int threads);
  ~ThreadPool();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// piece(0), ..., piece(count - 1), then returns. The exception of the first piece that threw is thrown. Not to be called
  /// by a piece.
  void run(int64_t count, const std::function<void(int64_t)>& piece);

 private:
  void work();
  /// False if there is no piece left.
  bool take_piece();
  int64_t left() const { return static_cast<int64_t>(open_.load() & kLeft); }

  static constexpr uint64_t kLeft = 0xffffffff;

  std::vector<std::thread> workers_;
  int spins_ = 0;  ///< looks at the state before a thread sleeps: a hand-over then takes 1 us instead of 10
  const std::function<void(int64_t)>* piece_ = nullptr;
  int64_t count_ = 0;
  /// The number of the job times 2^32, plus its pieces that nobody has taken. Whoever has taken one keeps `piece_` and
  /// `count_` as they are, as the job does not end before that piece does.
  std::atomic<uint64_t> open_ = 0;
  std::atomic<int64_t> unfinished_ = 0;  ///< pieces of the job that have not returned
  std::atomic<int> sleepers_ = 0;        ///< workers that wait for `begin_`
  std::atomic<bool> quit_ = false;
  std::mutex mutex_;  ///< of falling asleep, and of the failure
  std::condition_variable begin_, end_;
  int64_t failed_piece_ = 0;
  std::exception_ptr failure_;
};

/// Calls work(first, count) for pieces of 0, ..., n - 1, all of `size` but the last, on the threads of `pool` if there is one.
template <class Work>
void for_pieces(int64_t n, int64_t size, ThreadPool* pool, Work&& work) {
  const auto piece = [&](int64_t p) { work(p * size, std::min(size, n - p * size)); };
  const int64_t count = (n + size - 1) / size;
  if (pool != nullptr)
    pool->run(count, piece);
  else
    for (int64_t p = 0; p < count; ++p) piece(p);
}

}  // namespace concord
