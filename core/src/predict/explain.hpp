// SPDX-License-Identifier: MIT
#pragma once
// Why a model gives an instance its labels. In the objective y'c - y'Ay a label v counts for y_v (c_v + p_v), where
// p_v = -2 sum_{w != v} A_vw y_w is what the prior adds to its score, given the other labels.
#include <optional>
#include <string>
#include <vector>

#include "predict/prediction.hpp"

namespace concord {

/// A part of a sum.
struct Contribution {
  std::string name;  ///< of a feature, of a base of scores, or of a label
  double amount = 0;
  std::optional<double> value = {};  ///< of a feature, as W sees it
};

struct LabelReasons {
  double score = 0;                 ///< c_v
  std::vector<Contribution> parts;  ///< of the score, the largest first, but for zeros
  double prior = 0;                 ///< p_v
  std::vector<Contribution> pulls;  ///< of p_v: what each other label gives, the largest first, but for zeros
  double ranking = 0;               ///< what the rule looks at
  std::optional<double> threshold = {};  ///< with which it is compared, if the rule has thresholds
};

/// What a rule goes by: the objective of a labelling, how far a label's number is from its threshold, or the expected F1.
enum class RuleMeasure { objective, threshold_distance, expected_f1 };
const char* name_of(RuleMeasure measure);

/// The labelling that would have been next.
struct RunnerUp {
  LabelVector labels;
  double difference =
      0;  ///< by how much the measure is below that of the prediction; of a threshold the distance
  RuleMeasure measure{};
};

struct Explanation {
  LabelVector labels;
  LabelVector without_prior;  ///< by the same rule with A = 0
  double objective = 0;       ///< of the labels
  double bound = 0;  ///< of every labelling that has the known labels, by the decoder; NaN without a proof
  std::vector<LabelReasons> reasons;  ///< for each label
  std::optional<RunnerUp> runner_up;  ///< none if the rule leaves no other choice
};

/// The instances that are predicted together with the one to explain, so that what is explained has the bits of `predict`.
struct ExplainedBlock {
  const Features& X;
  const KnownLabels& known;
  int64_t first = 0;  ///< number of the first one in the file: a multiple of Predictor::kChunk
};

/// A rounding is asked for the best labelling with another label v, for the kRivals labels v whose change alone costs
/// least: with an exact decoder and no more unknown labels this is the second best of all.
inline constexpr size_t kRivals = 64;

/// The same model and rule with A = 0.
Model without_prior(const Model& model);

/// `row` is counted within the block.
Explanation explain(const Model& model, const SolvePlan& plan, const ExplainedBlock& block, int64_t row,
                    uint64_t seed, const RunControl& control);

}  // namespace concord
