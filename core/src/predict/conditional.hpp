// SPDX-License-Identifier: MIT
#pragma once
// Prediction of the labels that are unknown, given those that are known, and by probabilities of the joint.
#include <Eigen/Core>

#include "base/run.hpp"
#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "predict/rules.hpp"
#include "solve/plan.hpp"

namespace concord {

/// V x n: -1 and +1 where a label is known, 0 where not.
using KnownLabels = LabelMatrix;

struct Conditional {
  /// V x n: of the unknown labels c_R - 2 A_RK u_K, the u of their problem (or the field: rank_by_field), or the log-odds of
  /// their marginals.
  Eigen::MatrixXd ranking;
  LabelMatrix rounded;  ///< by decoder and rounding, known labels included; empty if not asked for
  double error = 0;     ///< of the marginals: the largest standard error of a probability
};

class ConditionalPredictor {
 public:
  /// `A` must outlive it.
  ConditionalPredictor(const SolvePlan& plan, const Eigen::MatrixXd& A, uint64_t seed, RunControl control);

  /// Reduces each instance to its unknown labels. Instances of a chunk with the same unknown labels share one prepared
  /// decoder. The bits do not depend on the number of threads; `first` is the number of the first instance, which seeds
  /// derive from.
  Conditional predict(const Eigen::MatrixXd& scores, const KnownLabels& known, int64_t first, ThresholdOn on,
                      bool round, ThreadPool& pool) const;

 private:
  struct Chunk;
  void predict_alike(const Chunk& chunk, const std::vector<int64_t>& unknown,
                     const std::vector<int64_t>& members, Conditional& found) const;

  const SolvePlan& plan_;
  PriorMatrix A_;
  uint64_t seed_;
  RunControl control_;
};

/// Labels by the rule and its numbers, or as they were rounded where there are none. Known labels are kept, and count for
/// min_labels.
LabelMatrix conditional_labels(const PredictSettings& rule, const Eigen::VectorXd& numbers,
                               const Conditional& found, const KnownLabels& known);

/// So many of V labels are revealed: the nearest number.
int64_t revealed_labels(double share, int64_t V);
/// Reveals `share` of the labels of each instance, rounded to the nearest number; which ones, the seed decides. `first` is
/// the number of the first instance.
KnownLabels reveal(const LabelMatrix& truth, double share, uint64_t seed, int64_t first = 0);

/// The labels with those that are known at -1: metrics then speak of the unknown ones alone.
LabelMatrix without_known(const LabelMatrix& labels, const KnownLabels& known);

}  // namespace concord
