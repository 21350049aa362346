// SPDX-License-Identifier: MIT
#pragma once
// One call into a plugin: its concord_env, the reason it gave for failing, the firewall on the host's side.
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include <concord/abi.h>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "base/run.hpp"
#include "plugin/foreign.hpp"
#include "plugin/plugin.hpp"
#include "process/state.hpp"
#include "process/watch.hpp"

namespace concord {

class Call : Pinned {
 public:
  /// The plugin may use the threads of `lent`, which outlives the call.
  Call(const RunControl& control, std::string plugin_id, ThreadPool* lent = nullptr);

  const concord_env* env() const { return &env_; }
  const std::string& plugin() const { return plugin_; }
  /// The last text that the plugin logged as an error, or a sentence that it gave none.
  std::string reason() const;
  /// Runs `function`, which calls into the plugin: an exception that escapes from there is the plugin's
  /// fault.
  template <class Function>
  auto run(const char* name, Function&& function) const {
    const FloatingPointState restored_afterwards;
    const ForeignCode at_work(plugin_, name);
    try {
      return function();
    } catch (const std::exception& e) {
      std::throw_with_nested(Error(  // whoever must know whether memory ran out can see it
          Fault::plugin,
          fmt::format("{} let an exception escape from {}: {}", plugin_, name, foreign_line(e.what())),
          About{"", plugin_}));
    } catch (const abi::__forced_unwind&) {
      end_with_thread(plugin_, name);
    } catch (...) {
      fail(Fault::plugin, About{"", plugin_},
           "{} let an exception escape from {} that is not even a std::exception", plugin_, name);
    }
  }
  /// As run, for functions that return a status: Fault::unsupported for CONCORD_UNSUPPORTED, Fault::plugin for every
  /// other status but CONCORD_OK.
  template <class Function>
  void require_ok(const char* name, Function&& function) const {
    check(run(name, function), name);
  }

 private:
  void log(int32_t level, const char* text) const;
  void check(int32_t status, const char* name) const;

  const RunControl& control_;
  ThreadPool* lent_;
  std::string plugin_;
  mutable std::mutex mutex_;
  mutable std::string last_error_;
  concord_env env_{};
};

/// An object of any kind with its options, destroyed by the plugin; Fault::plugin with the plugin's reason.
template <class Functions>
std::shared_ptr<void> create_object(const Plugin& plugin, const Functions& functions,
                                    const OptionValues& options, const RunControl& control) {
  const Call call(control, plugin.id());
  const LentValues lent(options.records());
  const auto lock = plugin.serialised();
  void* object = call.run(
      "create", [&] { return functions.create(call.env(), lent.records().data(), lent.records().size()); });
  if (object == nullptr)
    fail(Fault::plugin, About{"", plugin.id()}, "{} could not be created: {}", plugin.id(), call.reason());
  return {object, [&plugin, control, destroy = functions.destroy](void* self) {
            try {
              const Call last(control, plugin.id());
              const auto serialised = plugin.serialised();
              last.run("destroy", [&] { destroy(self); });
            } catch (const Error& e) {  // nothing can be thrown from here, and the results are out
              if (control.log) control.log(plugin.id(), CONCORD_LOG_WARNING, e.what());
            }
          }};
}

}  // namespace concord
