// SPDX-License-Identifier: MIT
#include <cmath>
#include <thread>

#include "api/handles.hpp"

namespace concord::api {

Run::Run(const concord_run* run)
    : threads_(static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))) {
  if (run == nullptr) return;
  run_ = read_struct(run, "concord_run");
  if (run_.threads < 0 || run_.threads > 4096)
    fail(Fault::input, About{"", "threads"},
         "threads is {}; it is 1 to 4096, or 0 for as many as the machine has", run_.threads);
  if (run_.threads > 0) threads_ = run_.threads;
  // The caller's byte is read as the flag that it is.
  static_assert(sizeof(std::atomic<bool>) == 1 && std::atomic<bool>::is_always_lock_free);
  control_.stop = reinterpret_cast<const std::atomic<bool>*>(run_.stop);
  if (run_.log != nullptr)
    control_.log = [this](const std::string& who, int level, const std::string& text) {
      log(level, who, text);
    };
}

void Run::set_deadline(double seconds) {
  constexpr double longest = 1e8;  // three years; a clock cannot count much further
  if (seconds == 0) return;
  if (!(seconds > 0 && seconds <= longest))
    fail(Fault::input, About{"", "time_limit"}, "time_limit is {}; it is positive and at most {:g} seconds",
         seconds, longest);
  control_.deadline = seconds_from_now(seconds);
}

void Run::event(const Json& event) const {
  if (run_.event == nullptr) return;
  const std::string text = event.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::lock_guard lock(mutex_);
  run_.event(run_.user, text.c_str());
}

void Run::log(int32_t level, const std::string& who, const std::string& text) const {
  if (run_.log == nullptr) return;
  const std::lock_guard lock(mutex_);
  run_.log(run_.user, level, who.c_str(), text.c_str());
}

}  // namespace concord::api
