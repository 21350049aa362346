// SPDX-License-Identifier: MIT
#include "numeric_environment.hpp"

#include <cstdlib>
#include <unistd.h>

namespace concord {

const char* openblas_core_type() {
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

void fix_numeric_environment(char** argv) {
  bool changed = false;
  const auto set_if_unset = [&](const char* name, const char* value) {
    if (value == nullptr || std::getenv(name) != nullptr) return;
    changed = ::setenv(name, value, 0) == 0 || changed;
  };
  set_if_unset("OPENBLAS_NUM_THREADS", "1");
  set_if_unset("OPENBLAS_CORETYPE", openblas_core_type());
  if (changed) ::execv("/proc/self/exe", argv);
}

}  // namespace concord
