// SPDX-License-Identifier: MIT
#pragma once
// Makes a failing problem small, so that a person can look at it.
#include <functional>

#include "problem/problem.hpp"

namespace concord {

/// The smallest problem found that still fails: labels are taken out, the cardinality is dropped, entries
/// become 0, then numbers become round. Every step keeps the class of the prior (signs stay, nothing couples
/// that did not). At most `attempts` calls of `fails`. requires fails(problem)
CanonicalProblem shrink(CanonicalProblem problem, const std::function<bool(const CanonicalProblem&)>& fails,
                        int attempts);

}  // namespace concord
