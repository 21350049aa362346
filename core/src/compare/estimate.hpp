// SPDX-License-Identifier: MIT
#pragma once
// About how long a training cell takes.
#include <vector>

#include "base/run_control.hpp"
#include "train/plan.hpp"

namespace concord::compare {

/// How many passes over an instance all fits of the cell make, and how many fits there are.
struct Work {
  double visits = 0;
  int64_t fits = 0;
};
Work work_of(const std::vector<CellPlan>& plans, int64_t instances);

/// Seconds for one visit of an instance, from one epoch on a few of them.
double visit_seconds(const CellPlan& plan, const Dataset& train, const RunControl& control);

}  // namespace concord::compare
