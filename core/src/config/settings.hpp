// SPDX-License-Identifier: MIT
#pragma once
// Everything a training run depends on, with one value for each key of the config. Names are those of the
// config: train.lambda_w is settings.train.lambda_w.
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "plugin/registry.hpp"
#include "problem/problem.hpp"

namespace concord {

enum class Method { bcfw, subgradient, likelihood, ovr, bundle };
enum class Scale { none, l2, standardise, idf };
enum class Missing { mean, most_frequent, indicator };
enum class HingeLoss { hinge, squared_hinge, logistic };
enum class ThresholdOn { scores, u, marginals };
enum class ThresholdKind { none, fixed, tuned, per_label, expected_f1, direct_f1 };

struct RunSettings {
  uint64_t seed = 1;
  int threads = 0;         ///< 0: as many as the machine has
  double checkpoint = 30;  ///< seconds between checkpoints; 0: after every epoch
};

struct PreprocessSettings {
  std::optional<Scale> scale = {};           ///< default: by the training data, scale_for
  std::optional<bool> features = {};         ///< whether W looks at the features, or at the constant one only
  double bias = 1;                           ///< value of the constant feature; 0: none
  std::optional<int64_t> fourier = {};       ///< so many random Fourier features in place of the features
  std::optional<double> fourier_width = {};  ///< of their kernel; default 1
  std::optional<Missing> missing = {};       ///< how missing features are filled; absent: they are refused

  bool operator==(const PreprocessSettings&) const = default;
};

/// LIBLINEAR regularises the weight of the constant feature as any other, so its value decides how much. One-versus-rest
/// chooses among these in validation, unless a config says which.
inline constexpr std::array kOvrBiases = {1.0, 10.0, 30.0};

/// The bases whose out-of-sample scores enter as offsets; each is there if its first key is.
struct ScoreSettings {
  /// Of kernel ridge regression with a Gaussian or a Laplace kernel: the kernel's width, in units of the root mean square
  /// distance of two training rows, and what is added to the diagonal of the kernel matrix.
  std::optional<double> rbf_width, rbf_lambda, laplace_width, laplace_lambda;
  std::optional<int64_t> rbf_features;  ///< random Fourier features in the place of the Gaussian kernel
  std::optional<double> ovr_lambda;     ///< lambda_w of logistic one-versus-rest, cross-fitted
  std::filesystem::path file;           ///< somebody else's scores of the training rows
  std::optional<int64_t> given;         ///< bases that come with the data: V of the last columns for each

  /// Whether a matrix of all pairs of rows is needed.
  bool has_kernel_matrix() const { return (rbf_width && !rbf_features) || laplace_width; }
  bool any() const { return rbf_width || laplace_width || ovr_lambda || !file.empty() || given; }
};

struct TrainSettings {
  Method method = Method::bcfw;
  PluginSpec decoder{"spectral", {}, "the default"};
  PluginSpec loss{"f-beta", {}, "the default"};
  std::optional<PriorSign> prior;  ///< default: the widest that the decoder takes
  std::optional<bool> diagonal;    ///< default: where the decoder uses it
  double lambda_w = 0.01;
  double lambda_a = 1;
  int64_t epochs = 30;
  int64_t batch = 10;
  bool warm_start = false;                     ///< W starts from one-versus-rest (subgradient only)
  HingeLoss hinge = HingeLoss::squared_hinge;  ///< of ovr
  std::optional<double> known;                 ///< the share of labels that validation reveals
  std::optional<double> tol;                   ///< a fit ends at this proven relative gap
  std::optional<int64_t> report;               ///< epochs between two evaluations of the objective
};

struct SelectSettings {
  int64_t folds = 0;      ///< k-fold cross-validation, or
  double holdout = 0.25;  ///< this part of train is held out; 0 with folds = 0: no validation at all
  int64_t repeats = 1;
  PluginSpec metric{"example-f1-loss", {}, "the default"};  ///< as MetricReference reads it
  bool lambda_per_label = false;  ///< ovr: every label chooses its own lambda_w from the grid
};

struct PredictSettings {
  std::optional<PluginSpec> decoder;  ///< default: the one of training
  std::vector<PluginSpec> rounding;   ///< the chain a+b; empty: the default one
  ThresholdKind threshold = ThresholdKind::none;
  double threshold_value = 0;               ///< of ThresholdKind::fixed
  std::optional<ThresholdOn> threshold_on;  ///< default: u where there is a prior, else scores
  /// Default: 0; of expected F1 the fewest labels of a training row, at most 1.
  std::optional<int64_t> min_labels;
  std::optional<bool> normalise;  ///< whether the rule sees each instance's scores at the norm sqrt(V)
};

struct DataSettings {
  std::filesystem::path train;   ///< relative to the config's folder, already resolved
  std::filesystem::path labels;  ///< a file, resolved too, or columns: DataSource::labels
  DataFormat format = DataFormat::detect;
  std::string ignore;  ///< DataSource::ignore

  DataSource source() const { return {train, labels, format, ignore}; }
};

struct Settings {
  RunSettings run;
  DataSettings data;
  PreprocessSettings preprocess;
  ScoreSettings scores;
  TrainSettings train;
  SelectSettings select;
  PredictSettings predict;
};

/// Methods of one pass, without epochs.
inline bool is_one_pass(Method method) {
  return method == Method::ovr || method == Method::likelihood;
}

/// Methods with a lower bound of the smallest objective, so that a fit knows how far it is.
inline bool proves_gap(Method method) {
  return method == Method::bcfw || method == Method::bundle;
}

/// Whether the numbers of such a rule come from validation.
inline bool is_tuned(ThresholdKind kind) {
  return kind != ThresholdKind::none && kind != ThresholdKind::fixed && kind != ThresholdKind::direct_f1;
}

/// `names` in the order of the enumeration.
template <class Enum, size_t n>
const char* nth_of(const std::array<const char*, n>& names, Enum value) {
  return names.at(static_cast<size_t>(value));
}

/// As the config writes them.
inline const char* name_of(Method method) {
  return nth_of(std::array{"bcfw", "subgradient", "likelihood", "ovr", "bundle"}, method);
}
inline const char* name_of(PriorSign sign) {
  return nth_of(std::array{"any", "attractive", "repulsive", "none"}, sign);
}
inline const char* name_of(Scale scale) {
  return nth_of(std::array{"none", "l2", "standardise", "idf"}, scale);
}
inline const char* name_of(Missing missing) {
  return nth_of(std::array{"mean", "most-frequent", "indicator"}, missing);
}
inline const char* name_of(HingeLoss hinge) {
  return nth_of(std::array{"hinge", "squared-hinge", "logistic"}, hinge);
}
inline const char* name_of(ThresholdOn on) {
  return nth_of(std::array{"scores", "u", "marginals"}, on);
}
inline const char* name_of(ThresholdKind kind) {
  return nth_of(std::array{"none", "fixed", "tuned", "per-label", "expected-f1", "direct-f1"}, kind);
}

}  // namespace concord
