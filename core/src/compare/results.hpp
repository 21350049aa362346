// SPDX-License-Identifier: MIT
#pragma once
// All results of a comparison: results.json, which the tables and the report are made of.
#include <map>
#include <string>
#include <vector>

#include "compare/folder.hpp"
#include "compare/result.hpp"

namespace concord::compare {

/// Mean of the paired differences to a baseline, its standard error and a 95 % interval of the bootstrap. In terms
/// of losses: negative is better.
struct PairedDifference {
  double difference = unknown, error = unknown;
  Range range;
  int64_t instances = 0;
};
PairedDifference paired_difference(const std::vector<double>& losses, const std::vector<double>& baseline,
                                   uint64_t seed);

struct Versus {
  std::string baseline;
  PairedDifference paired;
};

struct TrainedCell {
  CellName name;
  CellEnd end;
  TrainingResult result;  ///< empty unless done
  std::vector<Versus> versus;
};

/// How far bounds and values are from the best labels that any solver found, on average; NaN where none is known.
struct SolveSummary {
  double bound_excess = unknown, value_shortfall = unknown, gap = unknown;
  double seconds = unknown;                   ///< the median
  int64_t solved = 0, optimal = 0, best = 0;  ///< numbers of problems
};

struct SolvedCell {
  CellName name;
  CellEnd end;
  SolverResult result;  ///< empty unless done
  std::optional<SolveSummary> summary;
};

struct Results {
  Outline outline;
  bool metric_is_loss = true;
  std::string convention;  ///< of the metrics, where nothing is predicted or true
  std::string created;
  Provenance host;
  std::vector<TrainedCell> cells;
  std::vector<SolvedCell> solves;

  /// How many of all cells.
  size_t count(Status status) const;
};
Json to_json(const Results& results);
/// Fault::input if this is not what `concord compare` writes.
Results results_from_json(const Json& json);

/// The largest value that any solver found for each problem of a set.
std::map<std::string, double> best_values(const std::vector<SolvedCell>& solves,
                                          const std::string& problem_set);

/// Every cell of the plan; those without a result of their key are pending.
Results gather_results(const CompareFolder& folder, const PlanRecord& plan);

}  // namespace concord::compare
