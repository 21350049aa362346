// SPDX-License-Identifier: MIT
#include "plugin/variant.hpp"

#include <cstdlib>

#include "base/error.hpp"

#if defined(__x86_64__)
#define _Bool bool  // glibc's header is C; g++ knows the word in C++ too, clang++ does not
#include <sys/platform/x86.h>
#undef _Bool
#endif

namespace concord {
namespace {

/// The level x86-64-v3 of the psABI: what a compiler may use after -march=x86-64-v3. "Active" also says that the
/// system saves the registers.
bool has_x86_64_v3() {
#if defined(__x86_64__)
  return CPU_FEATURE_ACTIVE(SSE3) && CPU_FEATURE_ACTIVE(SSSE3) && CPU_FEATURE_ACTIVE(SSE4_1) &&
         CPU_FEATURE_ACTIVE(SSE4_2) && CPU_FEATURE_ACTIVE(POPCNT) && CPU_FEATURE_ACTIVE(CMPXCHG16B) &&
         CPU_FEATURE_ACTIVE(LAHF64_SAHF64) && CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) &&
         CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(F16C) &&
         CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE);
#else
  return false;
#endif
}

}  // namespace

std::string plugin_variant() {
  const char* asked = std::getenv("CONCORD_VARIANT");
  const std::string value = asked == nullptr ? "" : asked;
  if (!value.empty() && value != "baseline")
    fail(Fault::input,
         "CONCORD_VARIANT={}: it can be 'baseline', for plugins that run on every processor; unset it for "
         "those that suit this one best",
         value);
  return value.empty() && has_x86_64_v3() ? "x86-64-v3" : "";
}

}  // namespace concord
