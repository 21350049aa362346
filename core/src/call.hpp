// SPDX-License-Identifier: MIT
#pragma once
// One call into a plugin: its concord_env, the reason it gave for failing, and the floating-point mode kept.
#include <concord/abi.h>

#include <memory>
#include <mutex>
#include <string>

#include "error.hpp"
#include "plugin_file.hpp"
#include "process_state.hpp"
#include "run_control.hpp"

namespace concord {

class Call {
 public:
  Call(const RunControl& control, std::string plugin_id);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const concord_env* env() const { return &env_; }
  const std::string& plugin() const { return plugin_; }
  /// The last text that the plugin logged as an error, or a sentence that it gave none.
  std::string reason() const;
  /// Throws Exit::input for CONCORD_UNSUPPORTED, Exit::plugin for every other status but CONCORD_OK.
  void require_ok(int32_t status, const char* function) const;

 private:
  void log(int32_t level, const char* text);

  const RunControl& control_;
  std::string plugin_;
  FloatingPointState floating_point_;
  mutable std::mutex mutex_;
  std::string last_error_;
  concord_env env_{};
};

/// An object of any kind with its options, destroyed by the plugin; Exit::plugin with the plugin's reason.
template <class Functions>
std::shared_ptr<void> create_object(const Plugin& plugin, const Functions& functions,
                                    const OptionValues& options, const RunControl& control) {
  const Call call(control, plugin.id());
  void* object = functions.create(call.env(), options.records().data(), options.records().size());
  if (object == nullptr) fail(Exit::plugin, "{} could not be created: {}", plugin.id(), call.reason());
  return {object, functions.destroy};
}

}  // namespace concord
