// SPDX-License-Identifier: MIT
// Whether the parts of a model fit together: asked before a model is written, and after one was read.
#include <cmath>
#include <fmt/format.h>

#include "model/model.hpp"

namespace concord {
namespace {

/// What is wrong with the waves of a base, for V labels and so many features; or nothing.
std::string fault_of(const WaveRidge& base, int64_t V, int64_t features) {
  const int64_t n = base.waves.phases.size();
  if (base.beta.size() == 0 && n == 0) return "";
  if (n == 0 || base.waves.frequencies.rows() != features || base.waves.frequencies.cols() != n ||
      base.beta.rows() != n + 1 || base.beta.cols() != V)
    return fmt::format("the {} waves of its rbf base have frequencies of {} x {} and a beta of {} x {}", n,
                       base.waves.frequencies.rows(), base.waves.frequencies.cols(), base.beta.rows(),
                       base.beta.cols());
  const bool finite =
      base.waves.frequencies.allFinite() && base.waves.phases.allFinite() && base.beta.allFinite();
  return finite ? "" : "the waves of its rbf base hold a number that is not finite";
}

/// What is wrong with the bases of a model with V labels, `features` features and `given` columns of scores; or nothing.
std::string fault_of(const Bases& bases, int64_t V, int64_t features, int64_t given) {
  if (given != bases.given * V) return fmt::format("it has {} columns of scores for {} labels", given, V);
  if (bases.empty()) return "";
  if (bases.labels != V || bases.weights.size() != bases.count() || bases.offsets.size() != V)
    return fmt::format("{} weights and {} offsets do not fit {} bases of scores and {} labels",
                       bases.weights.size(), bases.offsets.size(), bases.count(), V);
  if (bases.W.size() > 0 && (bases.W.rows() != features + 1 || bases.W.cols() != V))
    return fmt::format("the W of its one-versus-rest base is {} x {}", bases.W.rows(), bases.W.cols());
  if (std::string fault = fault_of(bases.waves, V, features); !fault.empty()) return fault;
  bool finite = bases.weights.allFinite() && bases.offsets.allFinite() && bases.W.allFinite();
  if (!bases.kernels.empty() && bases.rows.columns() != features)
    return fmt::format("the rows of its kernels have {} features, not {}", bases.rows.columns(), features);
  for (const KernelRidge& base : bases.kernels) {
    if (base.alpha.rows() != bases.rows.rows() || base.alpha.cols() != V)
      return fmt::format("the alpha of a kernel is {} x {}", base.alpha.rows(), base.alpha.cols());
    if (base.direct.cols() != static_cast<int64_t>(bases.targets.size()) ||
        base.direct.rows() != (bases.targets.empty() ? 0 : bases.rows.rows()))
      return fmt::format("the direct regression of a kernel is {} x {}", base.direct.rows(),
                         base.direct.cols());
    finite = finite && base.alpha.allFinite() && base.direct.allFinite() && base.width > 0 &&
             std::isfinite(base.width);
  }
  for (int64_t i = 0; i < bases.rows.rows(); ++i)
    bases.rows.for_row(i, [&](int64_t, double x) { finite = finite && std::isfinite(x); });
  return finite ? "" : "its bases of scores hold a number that is not finite";
}

}  // namespace

std::string fault_of(const Model& model) {
  const auto V = static_cast<int64_t>(model.label_names.size());
  const int64_t inputs = model.preprocess.inputs, columns = model.preprocess.features();
  const PreprocessSettings& preprocess = model.settings.preprocess;
  const int64_t bias = preprocess.bias != 0 ? 1 : 0;
  const int64_t fourier = preprocess.features.value_or(true) ? preprocess.fourier.value_or(0) : 0;
  const auto none_or = [](int64_t size, int64_t wanted) { return size == 0 || size == wanted; };
  if (V == 0) return "it has no labels";
  if (std::string fault = model.preprocess.imputation.fault(preprocess.missing, columns); !fault.empty())
    return fault;
  const int64_t own = model.preprocess.filled();
  if (model.preprocess.settings != preprocess) return "its preprocessing is not the one of its config";
  if (model.preprocess.waves.phases.size() != fourier ||
      model.preprocess.waves.frequencies.cols() != fourier ||
      model.preprocess.waves.frequencies.rows() != (fourier > 0 ? own : 0))
    return fmt::format("its frequencies are {} x {} with {} phases, which does not fit {} Fourier features",
                       model.preprocess.waves.frequencies.rows(), model.preprocess.waves.frequencies.cols(),
                       model.preprocess.waves.phases.size(), fourier);
  if (columns < 0) return fmt::format("{} of its {} columns are scores", model.preprocess.given, inputs);
  const int64_t features = model.preprocess.seen();
  if (model.W.cols() != V || model.W.rows() - bias != features)
    return fmt::format("W is {} x {}, which does not fit {} features, {} and {} labels", model.W.rows(),
                       model.W.cols(), features, bias != 0 ? "a bias" : "no bias", V);
  if (model.A.rows() != V || model.A.cols() != V)
    return fmt::format("A is {} x {}, which does not fit {} labels", model.A.rows(), model.A.cols(), V);
  if (model.settings.predict.threshold == ThresholdKind::expected_f1) {
    // One offset for all labels, as in files of version 0.1, or one for each.
    if (model.thresholds.size() != 2 && model.thresholds.size() != V + 1)
      return fmt::format("the calibration of its rule has {} numbers, not {} or 2", model.thresholds.size(),
                         V + 1);
  } else if (model.thresholds.size() != 1 && !none_or(model.thresholds.size(), V)) {
    return fmt::format("it has {} thresholds for {} labels", model.thresholds.size(), V);
  }
  if (model.settings.predict.threshold == ThresholdKind::direct_f1 && model.bases.targets.empty())
    return "its rule direct-f1 has no regression to look at";
  if (!none_or(model.calibration.size(), V + 1))
    return fmt::format("its calibration has {} numbers for {} labels", model.calibration.size(), V);
  if (!none_or(static_cast<int64_t>(model.feature_names.size()), inputs))
    return fmt::format("it has {} names for {} features", model.feature_names.size(), inputs);
  if (!none_or(model.preprocess.centre.size(), own) || !none_or(model.preprocess.factor.size(), own))
    return fmt::format("its preprocessing does not fit {} features", own);
  if (std::string fault = fault_of(model.bases, V, own, model.preprocess.given); !fault.empty()) return fault;
  if (!model.W.allFinite()) return "W holds a number that is not finite";
  if (!model.A.allFinite()) return "A holds a number that is not finite";
  if (!model.thresholds.allFinite() || !model.calibration.allFinite())
    return "the thresholds or the calibration hold a number that is not finite";
  if (!model.preprocess.centre.allFinite() || !model.preprocess.factor.allFinite() ||
      !model.preprocess.waves.frequencies.allFinite() || !model.preprocess.waves.phases.allFinite())
    return "its preprocessing holds a number that is not finite";
  const double largest = model.A.cwiseAbs().maxCoeff();
  if ((model.A - model.A.transpose()).cwiseAbs().maxCoeff() > 1e-9 * largest) return "A is not symmetric";
  return "";
}

}  // namespace concord
