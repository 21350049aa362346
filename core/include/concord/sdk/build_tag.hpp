// SPDX-License-Identifier: MIT
#pragma once
// How this translation unit was compiled: recorded with every result, never a reason to refuse a plugin.
#include <Eigen/Core>
#include <string>

#define CONCORD_STRINGIFY_(x) #x
#define CONCORD_STRINGIFY(x) CONCORD_STRINGIFY_(x)

namespace concord::sdk {

inline std::string build_tag() {
#if defined(__clang__)
  std::string tag = "clang " __clang_version__;
#else
  std::string tag = "gcc " __VERSION__;
#endif
  while (!tag.empty() && tag.back() == ' ') tag.pop_back();
  tag += "; C++ " CONCORD_STRINGIFY(__cplusplus);
  tag += "; Eigen " CONCORD_STRINGIFY(EIGEN_WORLD_VERSION) "." CONCORD_STRINGIFY(
      EIGEN_MAJOR_VERSION) "." CONCORD_STRINGIFY(EIGEN_MINOR_VERSION);
  tag += ", align " CONCORD_STRINGIFY(EIGEN_MAX_ALIGN_BYTES);
  tag += "; ";
  tag += Eigen::SimdInstructionSetsInUse();
#if defined(__AVX2__)
  tag += " AVX2";
#endif
#if defined(__FMA__)
  tag += " FMA";
#endif
#if defined(NDEBUG)
  tag += "; NDEBUG";
#else
  tag += "; assertions on";
#endif
#if defined(CONCORD_SDK_VERSION)
  tag += "; Concord SDK " CONCORD_SDK_VERSION;
#endif
  return tag;
}

}  // namespace concord::sdk
