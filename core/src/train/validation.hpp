// SPDX-License-Identifier: MIT
#pragma once
// Cells of a grid, tried on held-out data. Cells that differ only in their epochs or their rules of prediction
// share one fit.
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "train/plan.hpp"

namespace concord {

/// Part p gets about proportions[p] of the instances, and of the positives of each label (iterative
/// stratification: rare labels first, each instance to the part that lacks the label most). Returns the part of
/// each instance.
std::vector<int> stratified_parts(const LabelMatrix& Y, const std::vector<double>& proportions,
                                  uint64_t seed);

/// Fit on one, validate on the other; both increasing.
struct Split {
  std::vector<int64_t> fit, validation;
};

/// By select.folds and repeats, or select.holdout (none if both are 0). Fault::input when there are fewer instances
/// than parts.
std::vector<Split> make_splits(const LabelMatrix& Y, const SelectSettings& select, uint64_t seed);

/// Labels of all held-out instances of all splits against the truth.
struct HeldOutLosses {
  double value = 0;  ///< of select.metric
  double error = 0;  ///< its standard error over instances; NaN if it is no mean over them
  /// Mean loss of each training instance over the splits that held it out; NaN where none did. The loss is
  /// that of the metric, or of example F1 if the metric is no mean over instances.
  Eigen::VectorXd losses;
};

/// A cell on all held-out instances, of which a share of labels is known where train.known says so.
struct CellResult : HeldOutLosses {
  Eigen::VectorXd thresholds;   ///< for the refit: tuned on all held-out instances, or as fixed
  Eigen::VectorXd calibration;  ///< Model::calibration
  Eigen::VectorXd lambdas;      ///< of select.lambda_per_label, else empty
  /// The largest relative gap of its fits; NaN if the method has none.
  double gap = std::numeric_limits<double>::quiet_NaN();
  /// The same rule, where there is a verdict: with no label known if validation reveals some, else with half of them.
  std::optional<HeldOutLosses> otherwise;
};

/// Mean of the entries that are not NaN, and its standard error.
struct MeanWithError {
  double mean, error;
};
MeanWithError mean_with_error(const Eigen::VectorXd& values);

/// The cells that share a fit.
struct FitGroup {
  std::vector<size_t> cells;
  std::vector<int64_t> epochs;  ///< at which the fit is looked at, increasing
  std::vector<double> lambdas;  ///< of select.lambda_per_label, else empty
};
std::vector<FitGroup> group_cells(const std::vector<CellPlan>& cells);

/// What the cells of a group made of one split's held-out instances.
struct SplitOutcome {
  struct Answers {
    Eigen::MatrixXd ranking;  ///< V x n, what thresholds look at
    LabelMatrix labels;       ///< what the rounding said, where no threshold decides
  };
  struct PerCell : Answers {
    Answers otherwise;                                      ///< those of CellResult::otherwise; else empty
    double gap = std::numeric_limits<double>::quiet_NaN();  ///< of the fit, relative
  };
  std::vector<PerCell> cells;                       ///< in the order of the group
  LabelMatrix known;                                ///< labels that were revealed, else 0; empty: none
  LabelMatrix known_otherwise;                      ///< those of the answers `otherwise`
  std::vector<Eigen::MatrixXd> rankings_by_lambda;  ///< of select.lambda_per_label
  bool complete = false;                            ///< false: stopped
};

/// `otherwise`: whether cells also answer with other labels known, for a verdict.
SplitOutcome try_split(const std::vector<CellPlan>& cells, const FitGroup& group, const Dataset& train,
                       const Split& split, bool otherwise, uint64_t seed, ThreadPool& pool,
                       const RunControl& control);

/// One result for each cell of the group. Thresholds are tuned across parts: those that score a part were chosen
/// on the others (a single hold-out is halved), so that tuning does not flatter.
std::vector<CellResult> summarise(const std::vector<CellPlan>& cells, const FitGroup& group,
                                  const std::vector<SplitOutcome>& outcomes, const Dataset& train,
                                  const std::vector<Split>& splits);

}  // namespace concord
