// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "check/test.hpp"

namespace concord::check {

/// A small run with these settings; the labels are checked.
void run_rounding(Subject& subject, const std::vector<Setting>& settings);

}  // namespace concord::check
