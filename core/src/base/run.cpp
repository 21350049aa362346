// SPDX-License-Identifier: MIT
#include "base/run.hpp"

#include <fstream>

namespace concord {
namespace {

constexpr int kSpins = 4096;  // about 100 us

/// A moment that leaves the core to its other hardware thread.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

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
  // A thread that spins takes the place of one that works, where there are more threads than cores.
  if (threads <= static_cast<int>(std::thread::hardware_concurrency())) spins_ = kSpins;
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
  if (count <= 1 || workers_.empty()) {
    for (int64_t i = 0; i < count; ++i) piece(i);
    return;
  }
  piece_ = &piece;
  count_ = count;
  failure_ = nullptr;
  unfinished_ = count;
  open_ = ((open_ | kLeft) + 1) | static_cast<uint64_t>(count);
  if (sleepers_ > 0) {
    const std::lock_guard lock(mutex_);  // who counts as a sleeper and has seen no piece is in wait() now
    begin_.notify_all();
  }
  while (take_piece()) continue;
  for (int i = 0; i < spins_ && unfinished_ > 0; ++i) relax();
  if (unfinished_ > 0) {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return unfinished_ == 0; });
  }
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::work() {
  while (true) {
    for (int i = 0; i < spins_ && left() == 0 && !quit_; ++i) relax();
    if (left() == 0) {
      std::unique_lock lock(mutex_);
      ++sleepers_;
      begin_.wait(lock, [this] { return quit_ || left() > 0; });
      --sleepers_;
    }
    if (quit_) return;
    while (take_piece()) continue;
  }
}

bool ThreadPool::take_piece() {
  uint64_t seen = open_;
  do {
    if ((seen & kLeft) == 0) return false;
  } while (!open_.compare_exchange_weak(seen, seen - 1));
  const int64_t mine = count_ - static_cast<int64_t>(seen & kLeft);
  int64_t finished = 1;
  try {
    (*piece_)(mine);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_ || mine < failed_piece_) {
      failure_ = std::current_exception();
      failed_piece_ = mine;
    }
    // No new pieces after a failure: those that nobody has taken count as finished.
    finished += static_cast<int64_t>(open_.fetch_and(~kLeft) & kLeft);
  }
  if (unfinished_.fetch_sub(finished) == finished) {
    const std::lock_guard lock(mutex_);  // so that whoever waits is either in wait() or sees that all is done
    end_.notify_one();
  }
  return true;
}

}  // namespace concord
