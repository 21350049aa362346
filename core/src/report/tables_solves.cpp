// SPDX-License-Identifier: MIT
#include "report/tables_solves.hpp"

#include <algorithm>

namespace concord::report {

SolveSet::SolveSet(const Json& results, const std::string& problem_set) {
  std::map<std::string, double> best;
  for (const Json& json : results.at("solves")) {
    if (text_at(json, "problems") != problem_set) continue;
    Solve solve{&json,
                &json_at(results, "no such key"),
                json.at("solver").get<std::string>(),
                status_of(json.at("status").get<std::string>()),
                text_at(json, "reason"),
                {}};
    for (const Json& solver : results.at("solvers"))
      if (text_at(solver, "name") == solve.name) solve.solver = &solver;
    if (solve.status == Status::done)
      for (const Json& result : json.at("results")) {
        Solved solved{&result, text_at(result, "problem"), number_at(result, "bound"),
                      number_at(result, "value"), number_at(result, "seconds")};
        if (std::isfinite(solved.value)) {
          const auto [at, fresh] = best.try_emplace(solved.problem, solved.value);
          if (!fresh) at->second = std::max(at->second, solved.value);
        }
        solve.results.push_back(solved);
      }
    solves.push_back(std::move(solve));
  }
  for (Solve& solve : solves)
    for (Solved& solved : solve.results) {
      const auto at = best.find(solved.problem);
      if (at == best.end()) continue;
      const double scale = std::max(1., std::abs(at->second));
      solved.best = at->second;
      solved.bound_excess = (solved.bound - solved.best) / scale;
      solved.value_shortfall = (solved.best - solved.value) / scale;
    }
}

}  // namespace concord::report
