// SPDX-License-Identifier: MIT
#pragma once
// One BLAS thread and the right OpenBLAS kernels, unless the user chose otherwise.
#include <cstdlib>
#include <unistd.h>

namespace concord::kit {

/// The OpenBLAS core type for this processor ("ZEN", "HASWELL", "SKYLAKEX"), or nullptr for OpenBLAS's
/// choice.
inline const char* openblas_core_type() {
#if defined(__x86_64__)
  // OpenBLAS falls back to SSE3 kernels on processors newer than itself; these three fit any of them.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "SKYLAKEX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return __builtin_cpu_is("amd") ? "ZEN" : "HASWELL";
#endif
  return nullptr;
}

/// Call first in main. OpenBLAS reads its settings when it is loaded, which may be before main. So the
/// process sets what is unset and executes itself once more. Returns if nothing was unset. Returns too if the
/// execution failed; the settings then hold for libraries loaded later.
inline void fix_numeric_environment(char** argv) {
  bool changed = false;
  const auto set_if_unset = [&](const char* name, const char* value) {
    if (value == nullptr || std::getenv(name) != nullptr) return;
    changed = ::setenv(name, value, 0) == 0 || changed;
  };
  set_if_unset("OPENBLAS_NUM_THREADS", "1");
  set_if_unset("OPENBLAS_CORETYPE", openblas_core_type());
  if (changed) ::execv("/proc/self/exe", argv);
}

}  // namespace concord::kit
