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

/// The trainings of a cell taken together. Splits overlap, so that a mean over them varies more than 1/R of one training's
/// variance: intervals are of Student's t with the variance (1/R + tested/trained) s^2 (Nadeau and Bengio 2003).
struct OverTrainings {
  int64_t trainings = 0;             ///< that are done; two or more
  std::vector<MetricValue> metrics;  ///< means
  std::vector<Versus> versus;  ///< of the metric of the comparison, paired by split; instances: the pairs
};

struct TrainedCell {
  CellName name;
  CellEnd end;
  TrainingResult result;  ///< empty unless done
  std::vector<Versus> versus;
  std::optional<OverTrainings> over = {};  ///< of the first repeat, where there are more
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
  std::vector<TrainedCell> cells;    ///< the first repeats
  std::vector<TrainedCell> repeats;  ///< the others
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

/// Mean, standard error and 95 % interval over trainings whose test sets are `ratio` times as large as their training sets. Two
/// values or more.
PairedDifference over_trainings(const std::vector<double>& values, double ratio);
/// Student's t: the value that stays above a share of .975 of it, at so many degrees of freedom.
double t_975(int64_t degrees);
/// Fills `over` of the cells from the repeats.
void take_together(Results& results);

/// Every cell of the plan; those without a result of their key are pending.
Results gather_results(const CompareFolder& folder, const PlanRecord& plan);

}  // namespace concord::compare
