// SPDX-License-Identifier: MIT
#pragma once
// From x to labels: scores s = W'x, the decoder on (s, A), then thresholds or a rounding, then min_labels.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "data/dataset.hpp"
#include "model/model.hpp"
#include "solve/pipeline.hpp"

namespace concord {

/// W'x for every row of X, V x n. X is preprocessed. O(nnz V). In chunks of Predictor::kChunk rows, so that a
/// division of X at multiples of it changes no bit; on the threads of `pool` if there is one.
Eigen::MatrixXd label_scores(const RowMatrix& W, const Features& X, ThreadPool* pool = nullptr);

/// The linear terms of the problems that a model meets in data, V x n: W'x and the scores of bases. Bits are the same for
/// any division of X at multiples of Predictor::kChunk, and any number of threads.
/// `direct`, if asked for, gets the estimates of direct-f1, targets x n.
Eigen::MatrixXd problem_scores(const Model& model, const Features& X, ThreadPool* pool = nullptr,
                               Eigen::MatrixXd* direct = nullptr);

/// A as decoders are handed it. An empty sparse prior makes A = 0 free of charge, where a dense one costs V^2 for every
/// instance.
PriorMatrix prior_of(const Eigen::MatrixXd& A);

/// Where a rounding makes the labels, an instance whose u is -1 and +1 only is ranked by its field
/// c_v - 2 sum_{w != v} A_vw u_w instead, half of what the objective gains if label v is on: `ranking` holds u, and gets the
/// field. True if there is such an instance.
bool rank_by_field(const PriorMatrix& A, const Eigen::MatrixXd& scores, Eigen::MatrixXd& ranking);

/// Fault::input names the first instance with a score that is not finite; `first` is the number of column 0.
void require_finite_scores(const Eigen::MatrixXd& scores, int64_t first);

/// The plugins that settings ask for. The decoder is by default the one of training (`modular` after
/// one-versus-rest, which has none), the rounding default_rounding().
PluginSpec decoder_of_prediction(const Settings& settings);
std::vector<PluginSpec> rounding_of_prediction(const Settings& settings);
/// What settings.predict asks for; a prior that the decoder cannot take is found by Predictor. With errors the
/// plan is not to be used.
SolvePlan plan_prediction(Registry& registry, const Settings& settings, ErrorList& errors);

/// Scores and relaxed solutions of some instances: what every rule of prediction starts from.
struct Decoded {
  Eigen::MatrixXd scores;  ///< V x n
  Eigen::MatrixXd u;       ///< V x n
  std::vector<RelaxedSolution> solutions;
};

class Predictor {
 public:
  /// Prepares the decoder for A; Fault::input if it cannot take this prior. Answers are verified: a lie is
  /// Fault::plugin.
  Predictor(const SolvePlan& plan, const Eigen::MatrixXd& A, uint64_t seed, const RunControl& control);

  /// In fixed chunks on the pool's threads; `first` is the index of the first instance in the whole run, from
  /// which its seed comes. Same bits for any number of threads and any division into calls at multiples of
  /// kChunk.
  Decoded decode(Eigen::MatrixXd scores, int64_t first, ThreadPool& pool) const;
  static constexpr int64_t kChunk = 64;

  const PriorMatrix& prior() const { return pipeline_.prior(); }

  /// The quantity that thresholds and min_labels look at.
  static const Eigen::MatrixXd& ranking(const Decoded& decoded, ThresholdOn on);

  /// By the rounding chain on the true objective (no thresholds), then min_labels by `on`.
  LabelMatrix round(const Decoded& decoded, int64_t first, ThresholdOn on, int64_t min_labels,
                    ThreadPool& pool) const;

 private:
  Instance instance(const Eigen::MatrixXd& scores, int64_t i, int64_t first) const;

  uint64_t seed_;
  Pipeline pipeline_;
};

/// The rule of a model: thresholds if it has some, else the rounding.
LabelMatrix predict_labels(const Predictor& predictor, const Model& model, const Decoded& decoded,
                           int64_t first, ThreadPool& pool);
/// threshold_on with its default: marginals of method likelihood, else u where the model has a prior, else scores.
ThresholdOn effective_threshold_on(const Settings& settings, bool has_prior);

}  // namespace concord
