// SPDX-License-Identifier: MIT
#pragma once
// Solvers on one set of problems: each answer beside the best value that any of them found.
#include <string>
#include <vector>

#include "report/tables_view.hpp"

namespace concord::report {

struct Solved {
  const Json* json;
  std::string problem;
  double bound, value, seconds;
  double best = unknown;  ///< of all solvers of the set
  double bound_excess = unknown, value_shortfall = unknown;
};

struct Solve {
  const Json* json;
  const Json* solver;  ///< null if it is not declared
  std::string name;
  Status status;
  std::string reason;
  std::vector<Solved> results;
};

struct SolveSet {
  SolveSet(const Json& results, const std::string& problem_set);
  std::vector<Solve> solves;
};

}  // namespace concord::report
