// SPDX-License-Identifier: MIT
#pragma once
// The results of a comparison as tables and figures look at them: by dataset and method, beside one baseline.
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/results.hpp"
#include "metrics/metrics.hpp"

namespace concord::report {

using compare::Json;
using compare::PairedDifference;
using compare::PriorFigures;
using compare::PriorVerdict;
using compare::Range;
using compare::Results;
using compare::Status;
using compare::unknown;

/// {"train": {"epochs": 5}} as {"train.epochs", "5"}, in its order.
compare::NamedTexts flattened(const Json& settings);
/// "[0.335, 0.367]", or nothing.
std::string range_text(const Range& range, bool sign = false);

enum class Verdict { better, worse, neither };
/// On the interval of the difference.
Verdict verdict_of(const PairedDifference& paired);
/// "better", "worse", "no significant difference"
const char* verdict_words(Verdict verdict);
/// "yes", "no, it hurt", "cannot be told, as ..."
std::string help_words(const PriorFigures& figures);
/// The same, or "not measured".
std::string help_words(const PriorVerdict& verdict);
/// Why a cell failed.
std::string failure_text(const compare::CellEnd& end);

/// A training cell.
struct CellView {
  const compare::TrainedCell* cell;
  double value = unknown;  ///< of the view's metric
  Range interval = {};
  const PairedDifference* versus = nullptr;  ///< to the baseline, if there is one
  const compare::OverTrainings* over =
      nullptr;  ///< what value and difference are of, if there are several trainings

  const std::string& dataset() const { return cell->name.row; }
  const std::string& method() const { return cell->name.column; }
  const compare::CellEnd& end() const { return cell->end; }
  const compare::TrainingResult& result() const { return cell->result; }
  bool done() const { return end().done(); }
  /// Over the trainings if there are several; null if there is none of that name.
  const compare::MetricValue* metric(const std::string& name) const;
};

struct MethodColumn {
  std::string name;
  std::string group;   ///< what it shares with its neighbours, or empty
  std::string within;  ///< its name inside the group
};

struct ResultsView {
  /// Values are of the comparison's metric, differences those to the given one of the baselines. The results must outlive
  /// the view.
  explicit ResultsView(const Results& results, size_t baseline = 0);
  /// Values of another metric of labels; differences, which only the comparison's metric has, are left out.
  ResultsView(const Results& results, const Metric& metric);

  const Results& results;
  const compare::Outline& outline;
  std::string metric;
  bool metric_is_loss;
  std::string baseline;  ///< empty if there is none
  std::vector<MethodColumn> methods;
  std::vector<CellView> cells;  ///< dataset by dataset

  std::vector<std::string> dataset_names() const;
  const CellView* find(const std::string& dataset, const std::string& method) const;
  /// Better by the metric; false with unknown values.
  bool better(double a, double b) const { return metric_is_loss ? a < b : a > b; }
  /// The first of the best cells of a dataset with a value, or none.
  const CellView* best(const std::string& dataset) const;
  /// Whether it reads the same as the best of its dataset: equal as printed is equal.
  bool marked(const CellView& cell) const;
  /// In how many cells of a dataset it was measured whether the prior helps, and what came out.
  struct PriorCounts {
    size_t measured = 0, helped = 0, hurt = 0;
  };
  PriorCounts prior_counts(const std::string& dataset) const;
  /// Whether values are means over trainings, and intervals are over these.
  bool is_repeated() const { return outline.repeats > 1; }
  /// "4 of 5" where trainings are missing, or nothing.
  std::string trainings_text(const CellView& cell) const;
  /// As the reference has it ("0.39", "N/A"), or empty.
  std::string reference_text(const std::string& method, const std::string& dataset) const;

 private:
  void fill();

  std::map<std::pair<std::string, std::string>, size_t> index_;
};

/// The answer to a problem beside the best value that any solver of the set found.
struct SolvedView {
  const compare::ProblemResult* result;
  double best = unknown, bound_excess = unknown, value_shortfall = unknown;
  double seconds = unknown;
};

/// A solver on a set of problems.
struct SolveView {
  const compare::SolvedCell* cell;
  compare::SolverRecord solver;  ///< empty if it is not declared
  std::vector<SolvedView> results;
};
std::vector<SolveView> solves_of(const Results& results, const std::string& problem_set);

}  // namespace concord::report
