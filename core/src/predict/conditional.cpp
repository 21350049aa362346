// SPDX-License-Identifier: MIT
#include "predict/conditional.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "predict/joint.hpp"
#include "predict/predictor.hpp"
#include "predict/rules.hpp"
#include "solve/known.hpp"
#include "solve/pipeline.hpp"

namespace concord {

/// Some instances that one thread looks at, and what is asked of them.
struct ConditionalPredictor::Chunk {
  const Eigen::MatrixXd& scores;
  const KnownLabels& known;
  int64_t first;
  ThresholdOn on;
  bool round;
};

ConditionalPredictor::ConditionalPredictor(const SolvePlan& plan, const Eigen::MatrixXd& A, uint64_t seed,
                                           RunControl control)
    : plan_(plan), A_(prior_of(A)), seed_(seed), control_(std::move(control)) {}

Conditional ConditionalPredictor::predict(const Eigen::MatrixXd& scores, const KnownLabels& known,
                                          int64_t first, ThresholdOn on, bool round, ThreadPool& pool) const {
  require_finite_scores(scores, first);
  const int64_t n = scores.cols(), chunks = (n + Predictor::kChunk - 1) / Predictor::kChunk;
  Conditional found{Eigen::MatrixXd::Constant(scores.rows(), n, kRankOfKnown), {}, 0};
  if (round) found.rounded = known;
  std::vector<double> errors(static_cast<size_t>(chunks), 0.0);
  pool.run(chunks, [&](int64_t index) {
    std::map<std::vector<int64_t>, std::vector<int64_t>> alike;  // instances by their unknown labels
    for (int64_t i = index * Predictor::kChunk; i < std::min((index + 1) * Predictor::kChunk, n); ++i)
      alike[unknown_labels(known.col(i))].push_back(i);
    Conditional mine{{}, {}, 0};
    for (const auto& [unknown, members] : alike) {
      if (unknown.empty()) continue;
      mine.ranking.resize(static_cast<int64_t>(unknown.size()), static_cast<int64_t>(members.size()));
      mine.rounded.resize(round ? mine.ranking.rows() : 0, mine.ranking.cols());
      predict_alike({scores, known, first, on, round}, unknown, members, mine);
      found.ranking(unknown, members) = mine.ranking;
      if (round) found.rounded(unknown, members) = mine.rounded;
    }
    errors[static_cast<size_t>(index)] = mine.error;
  });
  if (!errors.empty()) found.error = *std::max_element(errors.begin(), errors.end());
  return found;
}

void ConditionalPredictor::predict_alike(const Chunk& chunk, const std::vector<int64_t>& unknown,
                                         const std::vector<int64_t>& members, Conditional& found) const {
  const PriorMatrix A = restricted(A_, unknown);
  std::vector<Instance> batch;
  for (const int64_t i : members) {
    const Instance whole{chunk.scores.col(i), std::nullopt,
                         kit::derive(seed_, static_cast<uint64_t>(chunk.first + i)), nullptr};
    batch.push_back(reduced(A_, whole, chunk.known.col(i), unknown).instance);
  }
  if (chunk.round || chunk.on == ThresholdOn::u) {
    const Pipeline pipeline(plan_, A, false, control_);
    const auto solutions = pipeline.decode(batch, chunk.first + members.front());
    for (size_t j = 0; j < batch.size(); ++j) {
      const auto column = static_cast<int64_t>(j);
      if (chunk.on == ThresholdOn::u) found.ranking.col(column) = solutions[j].u();
      if (chunk.round) found.rounded.col(column) = pipeline.round(batch[j], solutions[j]).labels;
    }
  }
  if (chunk.on == ThresholdOn::u) {
    Eigen::MatrixXd scores(found.ranking.rows(), found.ranking.cols());
    for (size_t j = 0; j < batch.size(); ++j) scores.col(static_cast<int64_t>(j)) = batch[j].c;
    if (chunk.round) rank_by_field(A, scores, found.ranking);
    return;
  }
  const Eigen::MatrixXd dense = chunk.on == ThresholdOn::marginals ? A.to_dense() : Eigen::MatrixXd();
  for (size_t j = 0; j < batch.size(); ++j) {
    const auto column = static_cast<int64_t>(j);
    if (chunk.on == ThresholdOn::scores ||
        control_.stop_requested()) {  // whoever asked to stop uses no ranking
      found.ranking.col(column) = batch[j].c;
      continue;
    }
    const Marginals likely = marginals(dense, batch[j].c, batch[j].seed);
    found.ranking.col(column) = likely.log_odds;
    found.error = std::max(found.error, likely.error);
  }
}

LabelMatrix conditional_labels(const PredictSettings& rule, const Eigen::VectorXd& numbers,
                               const Conditional& found, const KnownLabels& known) {
  const int64_t least = rule.min_labels.value_or(0);
  LabelMatrix labels;
  if (numbers.size() == 0) {
    labels = found.rounded;
  } else if (rule.threshold == ThresholdKind::expected_f1) {  // of the unknown labels, beside the known ones
    const auto have = (known > 0).colwise().count().transpose().cast<int64_t>();
    labels = label_by_expected_f1(found.ranking, numbers, (least - have.array()).max(0));
  } else {
    labels = apply_thresholds(found.ranking, numbers);
  }
  labels = (known != 0).select(known, labels);
  fill_min_labels(labels, found.ranking, least);
  return (known != 0).select(known, labels);  // also where min_labels asks for more than the unknown ones
}

int64_t revealed_labels(double share, int64_t V) {
  return std::llround(share * static_cast<double>(V));
}

KnownLabels reveal(const LabelMatrix& truth, double share, uint64_t seed, int64_t first) {
  const int64_t V = truth.rows(), revealed = revealed_labels(share, V);
  KnownLabels known = KnownLabels::Zero(V, truth.cols());
  std::vector<int64_t> order(static_cast<size_t>(V));
  for (int64_t i = 0; i < truth.cols(); ++i) {
    kit::Rng random(kit::derive(seed, static_cast<uint64_t>(first + i)));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t r = 0; r < revealed; ++r) {  // the beginning of a random order
      const auto left = static_cast<uint64_t>(V - r);
      std::swap(order[static_cast<size_t>(r)], order[static_cast<size_t>(r) + random.below(left)]);
      const int64_t v = order[static_cast<size_t>(r)];
      known(v, i) = truth(v, i);
    }
  }
  return known;
}

LabelMatrix without_known(const LabelMatrix& labels, const KnownLabels& known) {
  return (known != 0).select(LabelMatrix::Constant(labels.rows(), labels.cols(), -1), labels);
}

}  // namespace concord
