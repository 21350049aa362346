// SPDX-License-Identifier: MIT
#pragma once
// Labels that are known before the decoder runs. With labels K fixed at u_K and R the rest, what is left is
//   maximise u_R'(c_R - 2 A_RK u_K) - u_R'A_RR u_R   plus the constant   u_K'c_K - u_K'A_KK u_K,
// a problem like any other: every decoder, rounding, bound and rule applies to it as it stands.
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.hpp"
#include "solve/decoder.hpp"

namespace concord {

/// The places of the labels that are 0, which stands for unknown; increasing.
std::vector<int64_t> unknown_labels(const LabelVector& known);

/// Rows and columns `labels` of A.
PriorMatrix restricted(const PriorMatrix& A, std::span<const int64_t> labels);

/// What is left of a problem when some of its labels are known.
struct ReducedProblem {
  Instance instance;    ///< of the unknown labels; its cardinality is less the known labels at +1
  double constant = 0;  ///< to be added to values and bounds
};

/// `known` holds -1, +1, and 0 where a label is unknown. Fault::input if the cardinality and the known labels contradict
/// each other.
ReducedProblem reduced(const PriorMatrix& A, const Instance& instance, const LabelVector& known,
                       std::span<const int64_t> unknown);

}  // namespace concord
