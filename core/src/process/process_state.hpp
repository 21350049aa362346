// SPDX-License-Identifier: MIT
#pragma once
// Guards that put the process back as it was, whatever a plugin's code did to it.
#include <cfenv>
#include <string>

namespace concord {

/// Rounding mode, exception masks and (x86) flush-to-zero of this thread. Cheap: used around every call.
class FloatingPointState {
 public:
  FloatingPointState();
  ~FloatingPointState();
  FloatingPointState(const FloatingPointState&) = delete;
  FloatingPointState& operator=(const FloatingPointState&) = delete;
  /// Whether the state differs now from what it was.
  bool changed() const;

 private:
  std::fenv_t saved_;
  unsigned control_;  ///< MXCSR without its sticky exception flags
};

/// Floating-point state, locale and working directory: used around a load, which runs static constructors.
class ProcessState {
 public:
  ProcessState();
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

 private:
  FloatingPointState floating_point_;
  std::string locale_;
  int directory_;
};

}  // namespace concord
