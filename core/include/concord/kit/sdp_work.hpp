// SPDX-License-Identifier: MIT
#pragma once
// What a worker (sdp_worker.hpp) is told besides the problem, and what it may say besides the answer.
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/abi.h>

namespace concord::kit {

/// The value of one option of the plugin; `type` is one of abi.h, and says which field has it.
struct SdpSetting {
  std::string name;
  int32_t type = CONCORD_INT;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<double> list;
};

/// The options of the plugin by their names, as its user set them: every declared one, `tol` and the other common ones too.
/// Asking for a name or a type that the plugin does not declare throws a sentence.
class SdpSettings {
 public:
  SdpSettings() = default;
  explicit SdpSettings(std::vector<SdpSetting> all) : all_(std::move(all)) {}

  bool flag(const std::string& name) const { return find(name, CONCORD_BOOL, "yes or no").integer != 0; }
  int64_t integer(const std::string& name) const { return find(name, CONCORD_INT, "an integer").integer; }
  double real(const std::string& name) const { return find(name, CONCORD_REAL, "a real number").real; }
  const std::string& text(const std::string& name) const { return find(name, CONCORD_STRING, "a text").text; }
  const std::vector<double>& reals(const std::string& name) const {
    return find(name, CONCORD_REALS, "a list of numbers").list;
  }
  const std::vector<SdpSetting>& all() const { return all_; }

 private:
  const SdpSetting& find(const std::string& name, int32_t type, const char* what) const {
    std::string names;
    for (const SdpSetting& one : all_) {
      const int32_t its = one.type == CONCORD_CHOICE ? int32_t{CONCORD_STRING} : one.type;
      if (one.name == name && its == type) return one;
      if (one.name == name)
        throw std::runtime_error("the worker takes the option '" + name + "' for " + what +
                                 ", and its plugin declares it as something else");
      names += (names.empty() ? "" : ", ") + one.name;
    }
    throw std::runtime_error("the worker asks for an option '" + name +
                             "' that its plugin does not declare (it declares " + names + ")");
  }
  std::vector<SdpSetting> all_;
};

/// One solve, as the worker sees it.
class SdpWork {
 public:
  using Log = std::function<void(int32_t level, const std::string& text)>;

  double tol = 1e-6;    ///< the relative gap that is asked for
  int threads = 1;      ///< that the solve may use
  SdpSettings options;  ///< those of the plugin
  std::span<char>
      warm;  ///< what this instance had in it after its last solve, zero at first; to be rewritten

  SdpWork() = default;
  SdpWork(double seconds, Log log) : seconds_(seconds), log_(std::move(log)) {}

  /// Until the answer should be on its way: a worker without one is ended a little later. Infinity without a limit.
  double seconds_left() const {
    return seconds_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// A line for the host's log, at a level of abi.h up to CONCORD_LOG_WARNING. (What fails is thrown.)
  void log(int32_t level, const std::string& text) const {
    if (log_) log_(level, text);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_ = std::numeric_limits<double>::infinity();
  Log log_;
};

}  // namespace concord::kit
