// SPDX-License-Identifier: MIT
#pragma once
// What `concord decode` prints of its answers.
#include <optional>
#include <string>

#include "cli.hpp"
#include "solve/pipeline.hpp"

namespace concord {

/// A problem, and how it is to be solved.
struct DecodeJob {
  std::string problem_name;
  const CanonicalProblem& problem;
  uint64_t seed;
  std::optional<double> time_limit;  ///< seconds for each decoder
  std::string chosen_because = {};   ///< why `auto` chose the decoder; empty if the user named it
};

Json report_json(const DecodeJob& job, const SolvePlan& plan, const DecodeReport& report);
/// A decoder that could not solve the problem: what report_json has, as null.
Json failure_json(const DecodeJob& job, const SolvePlan& plan, const char* status,
                  const std::string& message);

/// The problem in one line, and its answer in several.
std::string headline(const DecodeJob& job);
std::string report_text(const DecodeJob& job, const SolvePlan& plan, const DecodeReport& report);

std::string bound_text(double bound);
std::string gap_text(double gap);

}  // namespace concord
