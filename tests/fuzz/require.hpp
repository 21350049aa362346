// SPDX-License-Identifier: MIT
#pragma once
#include <cstdio>
#include <cstdlib>

namespace concord::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken invariant: %s\n", what);
  std::abort();
}

}  // namespace concord::fuzz
