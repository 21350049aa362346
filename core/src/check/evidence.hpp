// SPDX-License-Identifier: MIT
#pragma once
// A failing problem, shrunk and written to a file that `decode` replays.
#include <string>

#include "check/runner.hpp"

namespace concord::check {

/// The reason of a failed test of a decoder or a rounding, with the file and the command that replays it. A
/// wrong answer is described by the sentence of the small problem. A problem that does not fail on its own is
/// not written.
std::string with_evidence(const Report& report, const CanonicalProblem& problem,
                          const std::filesystem::path& file, const RunOptions& options,
                          const RunControl& control);

}  // namespace concord::check
