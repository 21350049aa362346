// SPDX-License-Identifier: MIT
#pragma once
// What the plugin and the worker of the vendor's decoder agree on: the rank of a factor, and where its warm block has what.
#include <cmath>
#include <cstdint>

namespace vendor {

inline int64_t rank(int64_t labels) {
  return static_cast<int64_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(labels + 1)))) + 1;
}

/// Numbers in a warm block: how often the instance was solved, then X.
inline int64_t warm_numbers(int64_t labels) {
  return 1 + rank(labels) * (labels + 1);
}

}  // namespace vendor
