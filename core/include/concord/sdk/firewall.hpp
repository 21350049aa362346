// SPDX-License-Identifier: MIT
#pragma once
// No exception crosses the border: the thunks run the author's code inside `guarded`.
#include <exception>
#include <string>
#include <utility>

#include <concord/sdk/views.hpp>

namespace concord::sdk {

/// The status and the text of the exception that is being handled.
inline std::pair<int32_t, std::string> current_failure() {
  try {
    throw;
  } catch (const Unsupported& e) {
    return {CONCORD_UNSUPPORTED, e.what()};
  } catch (const std::exception& e) {
    return {CONCORD_FAILED, e.what()};
  } catch (...) {
    return {CONCORD_FAILED, "an exception that is not a std::exception"};
  }
}

/// Runs f; an exception becomes its status, and its text the reason that the host reports.
template <class F>
int32_t guarded(const concord_env* env, F&& f) noexcept {
  try {
    try {
      std::forward<F>(f)();
      return CONCORD_OK;
    } catch (...) {
      const auto [status, why] = current_failure();
      env->log(env->host, CONCORD_LOG_ERROR, why.c_str());
      return status;
    }
  } catch (...) {  // not even the text could be made
    env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
    return CONCORD_FAILED;
  }
}

}  // namespace concord::sdk
