// SPDX-License-Identifier: MIT
#include "predict/predictor.hpp"

#include <algorithm>

#include <concord/kit/rng.hpp>

#include "model/linear.hpp"
#include "predict/rules.hpp"

namespace concord {
namespace {

int64_t chunks_of(int64_t n) {
  return (n + Predictor::kChunk - 1) / Predictor::kChunk;
}

}  // namespace

Eigen::MatrixXd label_scores(const RowMatrix& W, const Features& X, ThreadPool* pool) {
  if (X.columns() != W.rows())
    fail(Fault::input, "the data have {} features (with the bias), and the model {}", X.columns(), W.rows());
  Eigen::MatrixXd all(W.cols(), X.rows());
  for_pieces(X.rows(), Predictor::kChunk, pool,
             [&](int64_t begin, int64_t n) { all.middleCols(begin, n) = block_scores(W, X, begin, n); });
  return all;
}

Eigen::MatrixXd problem_scores(const Model& model, const Features& X, ThreadPool* pool,
                               Eigen::MatrixXd* direct) {
  Eigen::MatrixXd c = label_scores(model.W, model.preprocess.apply(X, pool), pool);
  if (!model.bases.empty())
    c += stacked(
        model.bases.weights, model.bases.offsets,
        base_scores(model.bases, model.preprocess.scaled(X), model.preprocess.given_scores(X), pool, direct));
  return c;
}

PriorMatrix prior_of(const Eigen::MatrixXd& A) {
  return A.isZero(0) ? PriorMatrix(SparseMatrix(A.rows(), A.cols())) : PriorMatrix(A);
}

bool rank_by_field(const PriorMatrix& A, const Eigen::MatrixXd& scores, Eigen::MatrixXd& ranking) {
  bool any = false;
  for (int64_t i = 0; i < ranking.cols(); ++i) {
    const Eigen::VectorXd u = ranking.col(i);
    if (!(u.array().abs() == 1).all()) continue;
    const Eigen::VectorXd Au =
        A.is_sparse() ? Eigen::VectorXd(A.sparse() * u) : Eigen::VectorXd(A.dense() * u);
    ranking.col(i) = scores.col(i) - 2 * (Au - A.diagonal().cwiseProduct(u));
    any = true;
  }
  return any;
}

void require_finite_scores(const Eigen::MatrixXd& scores, int64_t first) {
  for (int64_t i = 0; i < scores.cols(); ++i)
    if (!scores.col(i).allFinite())
      fail(Fault::input, "instance {} (counted from 0): its scores are not finite", first + i);
}

PluginSpec decoder_of_prediction(const Settings& settings) {
  if (settings.predict.decoder) return *settings.predict.decoder;
  if (settings.train.method == Method::ovr) return {"modular", {}, "the default"};
  if (settings.train.method == Method::likelihood) return {"sdp-mixing", {}, "the default"};
  return settings.train.decoder;
}

std::vector<PluginSpec> rounding_of_prediction(const Settings& settings) {
  return settings.predict.rounding.empty() ? default_rounding(false) : settings.predict.rounding;
}

SolvePlan plan_prediction(Registry& registry, const Settings& settings, ErrorList& errors) {
  return plan_solve(registry, decoder_of_prediction(settings), settings.predict.rounding, false, errors);
}

Predictor::Predictor(const SolvePlan& plan, const Eigen::MatrixXd& A, uint64_t seed,
                     const RunControl& control)
    : seed_(seed), pipeline_(plan, prior_of(A), false, control) {}

Instance Predictor::instance(const Eigen::MatrixXd& scores, int64_t i, int64_t first) const {
  return {scores.col(i), std::nullopt, kit::derive(seed_, static_cast<uint64_t>(first + i)), nullptr};
}

Decoded Predictor::decode(Eigen::MatrixXd scores, int64_t first, ThreadPool& pool) const {
  require_finite_scores(scores, first);
  const int64_t n = scores.cols();
  Decoded decoded{std::move(scores), Eigen::MatrixXd(pipeline_.prior().labels(), n),
                  std::vector<RelaxedSolution>(static_cast<size_t>(n))};
  pool.run(chunks_of(n), [&](int64_t chunk) {
    const int64_t begin = chunk * kChunk, end = std::min(begin + kChunk, n);
    std::vector<Instance> batch;
    for (int64_t i = begin; i < end; ++i) batch.push_back(instance(decoded.scores, i, first));
    std::vector<RelaxedSolution> solutions = pipeline_.decode(batch, first + begin);
    for (int64_t i = begin; i < end; ++i) {
      RelaxedSolution& solution = solutions[static_cast<size_t>(i - begin)];
      decoded.u.col(i) = solution.u();
      decoded.solutions[static_cast<size_t>(i)] = std::move(solution);
    }
  });
  return decoded;
}

const Eigen::MatrixXd& Predictor::ranking(const Decoded& decoded, ThresholdOn on) {
  return on == ThresholdOn::u ? decoded.u : decoded.scores;
}

LabelMatrix Predictor::round(const Decoded& decoded, int64_t first, ThresholdOn on, int64_t min_labels,
                             ThreadPool& pool) const {
  const int64_t n = decoded.scores.cols();
  LabelMatrix labels(pipeline_.prior().labels(), n);
  pool.run(chunks_of(n), [&](int64_t chunk) {
    for (int64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, n); ++i)
      labels.col(i) =
          pipeline_.round(instance(decoded.scores, i, first), decoded.solutions[static_cast<size_t>(i)])
              .labels;
  });
  Eigen::MatrixXd by = ranking(decoded, on);
  if (on == ThresholdOn::u) rank_by_field(prior(), decoded.scores, by);
  fill_min_labels(labels, by, min_labels);
  return labels;
}

LabelMatrix predict_labels(const Predictor& predictor, const Model& model, const Decoded& decoded,
                           int64_t first, ThreadPool& pool) {
  const ThresholdOn on = effective_threshold_on(model.settings, model.has_prior());
  const PredictSettings& rule = model.settings.predict;
  if (model.rounds()) return predictor.round(decoded, first, on, rule.min_labels.value_or(0), pool);
  return apply_rule(rule, as_the_rule_sees(rule, Predictor::ranking(decoded, on)), model.thresholds);
}

ThresholdOn effective_threshold_on(const Settings& settings, bool has_prior) {
  const ThresholdOn by_default = settings.train.method == Method::likelihood ? ThresholdOn::marginals
                                 : has_prior                                 ? ThresholdOn::u
                                                                             : ThresholdOn::scores;
  return settings.predict.threshold_on.value_or(by_default);
}

}  // namespace concord
