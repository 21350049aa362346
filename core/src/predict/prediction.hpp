// SPDX-License-Identifier: MIT
#pragma once
// A model at work: features as they are in a file in, labels and the numbers behind them out, block by block.
#include <Eigen/Core>
#include <functional>
#include <optional>

#include "base/run.hpp"
#include "data/files.hpp"
#include "data/known.hpp"
#include "model/model.hpp"
#include "predict/conditional.hpp"
#include "predict/predictor.hpp"
#include "predict/text.hpp"

namespace concord {

struct Probabilities {
  Eigen::ArrayXXd p;
  double error = 0;  ///< the largest standard error; 0: exact
};

class ModelPredictor {
 public:
  /// `model` must outlive it. A decoder is prepared only if the labels depend on one: thresholds on the scores
  /// need none.
  ModelPredictor(const Model& model, const SolvePlan& plan, uint64_t seed, const RunControl& control,
                 int threads);

  /// Do the labels depend on the decoder?
  static bool needs_decoder(const Model& model);

  /// Instances `first`, `first` + 1, ... of a run: the same bits for any number of threads and any division
  /// into blocks at multiples of Predictor::kChunk. Fault::interrupted if a stop was requested meanwhile, as
  /// decoders that were stopped give up early.
  Prediction predict(const Features& X, int64_t first);
  /// The same where some labels are known: a column for each instance.
  Prediction predict(const Features& X, const KnownLabels& known, int64_t first);
  /// V x n: how likely each label is, given the known ones, which are 0 or 1: marginals of the joint by method likelihood, or
  /// what the calibration makes of the ranking. Fault::input if the model has neither.
  Probabilities probabilities(const Features& X, const KnownLabels& known, int64_t first);
  /// Can probabilities() be asked for?
  bool has_probabilities() const { return has_joint() || is_calibrated(); }
  /// Labels, ranking and, of a model that has them, probabilities of all instances; an empty `known` knows no label.
  Prediction predict_all(const Features& X, const KnownLabels& known = {});
  /// All labels, in blocks: relaxed solutions may need much more memory than labels.
  LabelMatrix predict_labels(const Features& X, const KnownLabels& known = {});

  static constexpr int64_t kBlock = 16 * Predictor::kChunk;

 private:
  bool is_direct() const { return model_.settings.predict.threshold == ThresholdKind::direct_f1; }
  bool has_joint() const { return model_.settings.train.method == Method::likelihood; }
  /// The numbers by which validation makes log-odds of the ranking; empty: there are none.
  const Eigen::VectorXd& calibration() const {
    return model_.settings.predict.threshold == ThresholdKind::expected_f1 ? model_.thresholds
                                                                           : model_.calibration;
  }
  bool is_calibrated() const { return !has_joint() && calibration().size() > 0; }
  Eigen::ArrayXXd calibrated_probabilities(const Eigen::MatrixXd& ranking, const KnownLabels& known) const;
  /// Calls visit(part of X, number of its first row).
  template <class Visit>
  void in_blocks(const Features& X, Visit&& visit);

  const Model& model_;
  RunControl control_;
  ThresholdOn on_;
  ConditionalPredictor conditional_;
  std::optional<Predictor> predictor_;
  ThreadPool pool_;
};

/// What files a model goes with.
ExpectedColumns columns_of(const Model& model);

/// The labels of instances that have some as unknown: those of the others are not looked at.
KnownLabels partly_known(const LabelMatrix& Y);

struct PredictedStream {
  int64_t instances = 0;
  double error = 0;              ///< the largest standard error of a probability
  bool ranked_by_field = false;  ///< of some instance: Prediction::ranked_by_field
};
/// Reads `block` instances at a time (a multiple of Predictor::kChunk), predicts them and writes their lines. Known labels
/// come from `known`, or from instances whose labels are in part '?'.
PredictedStream predict_stream(InstanceReader& reader, KnownReader* known, ModelPredictor& predictor,
                               const PredictionText& text, int64_t block,
                               const std::function<void(const std::string&)>& write);

}  // namespace concord
