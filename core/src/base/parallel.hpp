// SPDX-License-Identifier: MIT
#pragma once
// Fixed pieces of work on a few threads. Which thread runs a piece never matters to the result: pieces write to
// places of their own, and whoever combines them does so in the order of the pieces.
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace concord {

class ThreadPool {
 public:
  /// `threads` in all, the caller's among them.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

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
