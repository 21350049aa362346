// SPDX-License-Identifier: MIT
#include "plugin/call.hpp"

#include <new>

namespace concord {
namespace {

/// Is this what a plugin of the SDK says of a std::bad_alloc, which cannot cross the border?
bool is_out_of_memory(const std::string& reason) {
  return reason == std::bad_alloc().what() || reason == "out of memory";
}

}  // namespace

Call::Call(const RunControl& control, std::string plugin_id, ThreadPool* lent)
    : control_(control), lent_(lent), plugin_(std::move(plugin_id)) {
  env_.size = sizeof env_;
  env_.threads = control.threads;
  env_.host = this;
  env_.stop_requested = [](void* host) -> int32_t {
    return static_cast<const Call*>(host)->control_.stop_requested() ? 1 : 0;
  };
  env_.seconds_left = [](void* host) { return static_cast<const Call*>(host)->control_.seconds_left(); };
  env_.log = [](void* host, int32_t level, const char* text) {
    static_cast<const Call*>(host)->log(level, text);
  };
  if (lent == nullptr || lent->threads() == 1) return;
  env_.threads = lent->threads();
  env_.run = [](void* host, int64_t count, void (*piece)(void*, int64_t), void* context) {
    static_cast<const Call*>(host)->lent_->run(count, [&](int64_t i) { piece(context, i); });
  };
}

void Call::log(int32_t level, const char* text) const {
  // Called from the plugin's code: nothing may be thrown through it.
  try {
    const std::string copy = text == nullptr ? "(no text)" : foreign_line(text);
    const std::lock_guard lock(mutex_);
    if (level >= CONCORD_LOG_ERROR) {
      last_error_ = copy;  // the caller reports it when the call fails
    } else if (control_.log) {
      control_.log(plugin_, level, copy);
    }
  } catch (...) {
    return;
  }
}

std::string Call::reason() const {
  const std::lock_guard lock(mutex_);
  return last_error_.empty() ? "it gave no reason" : last_error_;
}

void Call::check(int32_t status, const char* name) const {
  if (status == CONCORD_OK) return;
  if (status == CONCORD_UNSUPPORTED)
    fail(Fault::unsupported, About{"", plugin_}, "{} cannot solve this problem: {}", plugin_, reason());
  if (status == CONCORD_FAILED) {
    const Error failure(Fault::plugin, fmt::format("{} failed in {}: {}", plugin_, name, reason()),
                        About{"", plugin_});
    if (!is_out_of_memory(reason())) throw failure;
    try {
      throw std::bad_alloc();
    } catch (const std::bad_alloc&) {
      std::throw_with_nested(failure);  // as if the exception itself had crossed the border
    }
  }
  fail(Fault::plugin, About{"", plugin_},
       "{} returned the status {} from {}, which is none that a call may return ({})", plugin_, status, name,
       reason());
}

}  // namespace concord
