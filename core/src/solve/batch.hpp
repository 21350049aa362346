// SPDX-License-Identifier: MIT
#pragma once
// Many problems of one prior at once, in pieces on a few threads.
#include <functional>
#include <string>
#include <vector>

#include "solve/pipeline.hpp"

namespace concord {

struct BatchRequest {
  std::string decoder;
  std::vector<PluginSpec> rounding = {};  ///< empty: the default
  std::vector<ScopedSetting> settings = {};
  PriorMatrix A;
  int64_t count = 0;
  const double* c = nullptr;   ///< count x V
  const int64_t* k = nullptr;  ///< count of them, below 0 for none; or null: none for all
  uint64_t seed = 1;           ///< problem i has seed + i
};

/// Calls found(i, solved) for every problem, from any thread. The division into pieces depends on `count` only, so
/// the number of threads changes no bit. Everything is resolved before the first problem is solved. Fault::interrupted if
/// a stop was requested meanwhile.
void solve_batch(Registry& registry, const BatchRequest& request, int threads, const RunControl& control,
                 const std::function<void(int64_t, const Pipeline::Solved&)>& found);

}  // namespace concord
