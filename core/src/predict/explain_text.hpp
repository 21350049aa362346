// SPDX-License-Identifier: MIT
#pragma once
// An explanation as it is told, on a terminal and in a report: which labels, which parts of a sum, in which words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "predict/explain.hpp"

namespace concord {

/// The labels that are predicted, that the prior changed, or that the runner-up has otherwise.
std::vector<int64_t> labels_worth_telling(const Explanation& why);

/// The first parts of a sum, `most` of them; the others as one, "12 others".
std::vector<Contribution> largest_parts(const std::vector<Contribution>& parts, size_t most);

/// What the prior changed: labels that only the rule with the prior predicts, and labels that only it does not.
struct PriorChange {
  std::vector<int64_t> added, taken_away;
  bool any() const { return !added.empty() || !taken_away.empty(); }
};
PriorChange prior_change(const Explanation& why);

/// How far behind the runner-up is: "its objective is 0.12 less".
std::string difference_text(const RunnerUp& runner_up);

}  // namespace concord
