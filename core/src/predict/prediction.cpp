// SPDX-License-Identifier: MIT
#include "predict/prediction.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord {
namespace {

Eigen::ArrayXXd probabilities_of(const Eigen::MatrixXd& log_odds, const KnownLabels& known) {
  const Eigen::ArrayXXd p = log_odds.unaryExpr([](double x) { return sigmoid(x); }).array();
  return (known == 0).select(p, (known > 0).cast<double>());
}

}  // namespace

ModelPredictor::ModelPredictor(const Model& model, const SolvePlan& plan, uint64_t seed,
                               const RunControl& control, int threads)
    : model_(model),
      control_(control),
      on_(effective_threshold_on(model.settings, model.has_prior())),
      conditional_(plan, model.A, seed, control),
      pool_(threads) {
  if (needs_decoder(model) && on_ != ThresholdOn::marginals) predictor_.emplace(plan, model.A, seed, control);
}

bool ModelPredictor::needs_decoder(const Model& model) {
  return model.rounds() || effective_threshold_on(model.settings, model.has_prior()) == ThresholdOn::u;
}

Prediction ModelPredictor::predict(const Features& X, int64_t first) {
  if (on_ == ThresholdOn::marginals || is_direct())
    return predict(X, KnownLabels::Zero(model_.labels(), X.rows()), first);
  Prediction prediction;
  prediction.ranking = problem_scores(model_, X, &pool_);
  require_finite_scores(prediction.ranking, first);
  if (predictor_) {
    const Decoded decoded = predictor_->decode(std::move(prediction.ranking), first, pool_);
    prediction.labels = concord::predict_labels(*predictor_, model_, decoded, first, pool_);
    prediction.ranking = as_the_rule_sees(model_.settings.predict, Predictor::ranking(decoded, on_));
    if (on_ == ThresholdOn::u && model_.rounds())
      prediction.ranked_by_field = rank_by_field(predictor_->prior(), decoded.scores, prediction.ranking);
  } else {
    prediction.ranking = as_the_rule_sees(model_.settings.predict, std::move(prediction.ranking));
    prediction.labels = apply_rule(model_.settings.predict, prediction.ranking, model_.thresholds);
  }
  if (control_.stop_requested()) fail(Fault::interrupted, "interrupted");
  return prediction;
}

Prediction ModelPredictor::predict(const Features& X, const KnownLabels& known, int64_t first) {
  if (is_direct() && (known != 0).any())
    fail(
        Fault::input, About{"", "predict.threshold"},
        "the rule direct-f1 has no joint, so known labels tell it nothing; a model with the rule expected-f1 takes "
        "them");
  Eigen::MatrixXd direct;
  const Eigen::MatrixXd scores = problem_scores(model_, X, &pool_, is_direct() ? &direct : nullptr);
  Conditional found = conditional_.predict(scores, known, first, on_, model_.rounds(), pool_);
  if (control_.stop_requested()) fail(Fault::interrupted, "interrupted");
  found.ranking = as_the_rule_sees(model_.settings.predict, std::move(found.ranking));
  LabelMatrix labels = is_direct()
                           ? label_by_direct_f1(model_.bases.targets, direct, model_.labels(),
                                                model_.settings.predict.min_labels.value_or(0))
                           : conditional_labels(model_.settings.predict, model_.thresholds, found, known);
  return {std::move(labels), std::move(found.ranking), known};
}

Probabilities ModelPredictor::probabilities(const Features& X, const KnownLabels& known, int64_t first) {
  if (!has_probabilities())
    fail(
        Fault::input,
        "the model has no probabilities: the scores of method {} are no log-odds, and no data were held out to "
        "calibrate them (or version 0.1 has trained it); train again with select.holdout or select.folds above 0, or by "
        "method likelihood",
        name_of(model_.settings.train.method));
  if (is_calibrated()) {
    const Prediction found = (known != 0).any() ? predict(X, known, first) : predict(X, first);
    return {calibrated_probabilities(found.ranking, known), 0};
  }
  const Eigen::MatrixXd scores = problem_scores(model_, X, &pool_);
  const Conditional found = conditional_.predict(scores, known, first, ThresholdOn::marginals, false, pool_);
  if (control_.stop_requested()) fail(Fault::interrupted, "interrupted");
  return {probabilities_of(found.ranking, known), found.error};
}

Eigen::ArrayXXd ModelPredictor::calibrated_probabilities(const Eigen::MatrixXd& ranking,
                                                         const KnownLabels& known) const {
  Eigen::MatrixXd log_odds(ranking.rows(), ranking.cols());
  for (int64_t i = 0; i < ranking.cols(); ++i) log_odds.col(i) = calibrated(ranking.col(i), calibration());
  return probabilities_of(log_odds, known);
}

Prediction ModelPredictor::predict_all(const Features& X, const KnownLabels& known) {
  const int64_t V = model_.labels();
  Prediction all{LabelMatrix(V, X.rows()), Eigen::MatrixXd(V, X.rows()), known};
  if (has_probabilities()) all.probabilities.resize(V, X.rows());
  const bool some_known = (known != 0).any();
  in_blocks(X, [&](const Features& part, int64_t first) {
    const int64_t n = part.rows();
    const KnownLabels given =
        some_known ? KnownLabels(known.middleCols(first, n)) : KnownLabels(KnownLabels::Zero(V, n));
    const Prediction found = some_known ? predict(part, given, first) : predict(part, first);
    all.labels.middleCols(first, n) = found.labels;
    all.ranking.middleCols(first, n) = found.ranking;
    if (has_probabilities())  // by the ranking, where it says enough
      all.probabilities.middleCols(first, n) =
          is_calibrated()                 ? calibrated_probabilities(found.ranking, given)
          : on_ == ThresholdOn::marginals ? probabilities_of(found.ranking, given)
                                          : probabilities(part, given, first).p;
  });
  return all;
}

LabelMatrix ModelPredictor::predict_labels(const Features& X, const KnownLabels& known) {
  const bool some_known = (known != 0).any();
  LabelMatrix labels(model_.labels(), X.rows());
  in_blocks(X, [&](const Features& part, int64_t first) {
    labels.middleCols(first, part.rows()) =
        some_known ? predict(part, known.middleCols(first, part.rows()), first).labels
                   : predict(part, first).labels;
  });
  return labels;
}

template <class Visit>
void ModelPredictor::in_blocks(const Features& X, Visit&& visit) {
  std::vector<int64_t> rows;
  for (int64_t first = 0; first < X.rows(); first += kBlock) {
    rows.resize(static_cast<size_t>(std::min(kBlock, X.rows() - first)));
    std::iota(rows.begin(), rows.end(), first);
    visit(X.select(rows), first);
  }
}

ExpectedColumns columns_of(const Model& model) {
  ExpectedColumns columns{model.preprocess.inputs, model.feature_names, model.label_names, "the model"};
  columns.takes_missing = model.settings.preprocess.missing.has_value();
  columns.ignore = model.settings.data.ignore;
  return columns;
}

KnownLabels partly_known(const LabelMatrix& Y) {
  KnownLabels known = Y;
  for (int64_t i = 0; i < Y.cols(); ++i)
    if ((Y.col(i) != 0).all()) known.col(i).setZero();
  return known;
}

PredictedStream predict_stream(InstanceReader& reader, KnownReader* known, ModelPredictor& predictor,
                               const PredictionText& text, int64_t block,
                               const std::function<void(const std::string&)>& write) {
  if (block < 1 || block % Predictor::kChunk != 0)
    fail(Fault::input, "blocks of {} instances: must be a multiple of {}", block, Predictor::kChunk);
  write(text.header());
  PredictedStream done;
  while (true) {
    const Dataset data = reader.read(block);
    if (data.instances() == 0) break;
    const KnownLabels given = known != nullptr ? known->read(data.instances()) : partly_known(data.Y);
    Prediction prediction = (given != 0).any() ? predictor.predict(data.X, given, done.instances)
                                               : predictor.predict(data.X, done.instances);
    prediction.known = given;
    if (text.needs_probabilities()) {
      Probabilities likely = predictor.probabilities(data.X, given, done.instances);
      prediction.probabilities = std::move(likely.p);
      done.error = std::max(done.error, likely.error);
    }
    done.ranked_by_field = done.ranked_by_field || prediction.ranked_by_field;
    write(text.lines(prediction));
    done.instances += data.instances();
  }
  if (known != nullptr) known->require_end();
  return done;
}

}  // namespace concord
