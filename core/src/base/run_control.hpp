// SPDX-License-Identifier: MIT
#pragma once
// What the user decides about a run: when to stop, how many threads, who hears the plugins' log.
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace concord {

struct RunControl {
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C
  std::optional<std::chrono::steady_clock::time_point> deadline;
  int threads = 1;
  /// Called with "decoder/name", a CONCORD_LOG_ level and a text, from any thread.
  std::function<void(const std::string&, int, const std::string&)> log;

  bool stop_requested() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  double seconds_left() const {
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(*deadline - std::chrono::steady_clock::now()).count();
  }
};

}  // namespace concord
