// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "check/test.hpp"

namespace concord::check {

/// A small run with these settings; the labels are checked.
void run_rounding(Subject& subject, const std::vector<Setting>& settings, const RunControl& control);

/// What is wrong with the labels made of the problem's spectral relaxation, if anything.
std::optional<std::string> replay_rounding(Subject& subject, const CanonicalProblem& problem);

}  // namespace concord::check
