// SPDX-License-Identifier: MIT
#pragma once
// The process itself: guards that put it back as it was, whatever a plugin's code did to it, and what every result says of
// the host's build and the machine.
#include <cfenv>
#include <nlohmann/json.hpp>
#include <string>

#include "base/pinned.hpp"

namespace concord {

/// Rounding mode, exception masks and (x86) flush-to-zero of this thread. Cheap: used around every call.
class FloatingPointState : Pinned {
 public:
  FloatingPointState();
  ~FloatingPointState();
  /// Whether the state differs now from what it was.
  bool changed() const;

 private:
  std::fenv_t saved_;
  unsigned control_;  ///< MXCSR without its sticky exception flags
};

/// Floating-point state, locale and working directory: used around a load, which runs static constructors.
class ProcessState : Pinned {
 public:
  ProcessState();
  ~ProcessState();

 private:
  FloatingPointState floating_point_;
  std::string locale_;
  int directory_;
};

/// What produced a result: the host's build and the machine. Every result carries it.
struct Provenance {
  std::string version;
  std::string build_tag;
  std::string processor;
  std::string system;
};

Provenance provenance();

/// As models and --json of every verb have it: version, abi, build, processor, system.
nlohmann::ordered_json host_record();

}  // namespace concord
