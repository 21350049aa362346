// SPDX-License-Identifier: MIT
#include "base/run.hpp"

#include <fstream>

namespace concord {

double available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  double kibibytes = 0;
  while (info >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    info.ignore(64, '\n');
  }
  return std::numeric_limits<double>::infinity();
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  begin_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(int64_t count, const std::function<void(int64_t)>& piece) {
  if (count <= 1 || workers_.empty()) {  // waking threads costs more than a small piece
    for (int64_t i = 0; i < count; ++i) piece(i);
    return;
  }
  std::unique_lock lock(mutex_);
  piece_ = &piece;
  next_ = 0;
  count_ = count;
  failure_ = nullptr;
  begin_.notify_all();
  take_pieces(lock);
  end_.wait(lock, [this] { return running_ == 0; });
  piece_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [this] { return quit_ || (piece_ != nullptr && next_ < count_); });
    if (quit_) return;
    take_pieces(lock);
  }
}

/// Called, and returns, with the lock held.
void ThreadPool::take_pieces(std::unique_lock<std::mutex>& lock) {
  while (piece_ != nullptr && next_ < count_) {
    const int64_t mine = next_++;
    const auto& piece = *piece_;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      piece(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (failure && (!failure_ || mine < failed_piece_)) {
      failure_ = failure;
      failed_piece_ = mine;
    }
    if (failure) next_ = count_;  // no new pieces after a failure
  }
  if (running_ == 0) end_.notify_all();
}

}  // namespace concord
