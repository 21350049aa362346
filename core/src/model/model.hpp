// SPDX-License-Identifier: MIT
#pragma once
// What training leaves behind: D(x,y) = y'(W'x + offsets of bases) - y'Ay, with x preprocessed and the bias as its last
// feature.
#include <Eigen/Core>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "model/bases.hpp"

namespace concord {

/// What missing features (NaN) are filled with, column by column, by statistics of the training rows.
struct Imputation {
  Eigen::VectorXd fill;  ///< of each column; 0 where every training row lacks it
  /// Columns with an indicator: a column more, after all others, that is 1 where the value is missing. Columns that are missing
  /// in the same training rows, as those of one text are, share the indicator of the first.
  Eigen::VectorXd indicators;

  static Imputation fit(Missing missing, const Features& train);
  /// No NaN is left.
  Features apply(const Features& X) const;
  /// What is wrong with one for so many columns, or nothing.
  std::string fault(std::optional<Missing> missing, int64_t columns) const;
};

/// The first column with a missing feature and how many rows lack it; count 0: none.
struct MissingColumn {
  int64_t column = 0, count = 0, columns = 0;  ///< `columns` have missing features in all
};
MissingColumn first_missing(const Features& X);

/// missing: features that are NaN are filled first, column by column (Imputation). The steps below see filled columns, and
/// after them those of `indicators`.
/// scale: none; l2 (rows to norm 1); standardise (columns to variance 1, and to mean 0 where features are
/// dense: centring sparse ones would fill them); idf (column j times 1 + log((1+N)/(1+N_j)), then rows to
/// norm 1). With `fourier` = n the scaled x is replaced by n random Fourier features of `fourier_width`.
/// A constant feature of value `bias` comes last unless bias = 0. `features` = false leaves nothing but that.
/// The last `given` columns of the data are scores by somebody else, which none of this touches.
struct Preprocessor {
  PreprocessSettings settings;
  int64_t inputs = 0;      ///< columns of the data
  int64_t given = 0;       ///< of them, the last ones: scores
  Imputation imputation;   ///< of missing features; empty unless settings.missing
  Eigen::VectorXd centre;  ///< empty, or subtracted from the columns
  Eigen::VectorXd factor;  ///< empty, or what the columns are multiplied by
  Waves waves;             ///< of settings.fourier; else empty

  /// `seed` draws the frequencies: the same ones for every part of the training data.
  static Preprocessor fit(const PreprocessSettings& settings, const Features& train, uint64_t seed,
                          int64_t given = 0);

  int64_t features() const { return inputs - given; }
  /// Features and indicators of missing ones.
  int64_t filled() const { return features() + static_cast<int64_t>(imputation.indicators.size()); }
  /// What W sees of the features: their number, that of Fourier features, or nothing.
  int64_t seen() const { return settings.features.value_or(true) ? settings.fourier.value_or(filled()) : 0; }
  int64_t outputs() const { return seen() + (settings.bias != 0 ? 1 : 0); }
  /// The features as W sees them. Fourier features by the threads of `pool`, if there is one.
  Features apply(const Features& X, ThreadPool* pool = nullptr) const;
  /// The features as bases see them.
  Features scaled(const Features& X) const;
  RowMatrix given_scores(const Features& X) const;

 private:
  Features own(const Features& X) const;
  void fit_scale(const Features& train);
  Features scale(const Features& X) const;
  Features with_bias(Features features) const;
};

struct Model {
  Settings settings;  ///< of the winning cell
  Preprocessor preprocess;
  std::vector<std::string> feature_names;  ///< as in the data, before preprocessing; may be empty
  std::vector<std::string> label_names;
  Bases bases;        ///< of scores beside W'x; empty: none
  RowMatrix W;        ///< preprocess.outputs() x V; row-major: a sparse x touches few rows
  Eigen::MatrixXd A;  ///< V x V, symmetric; all zero without a prior
  /// Tuned or fixed thresholds: none (empty), one, or one for each label.
  Eigen::VectorXd thresholds;
  /// Of what thresholds look at, where the rule is not expected F1, whose thresholds are one: a slope and an offset for each
  /// label, which make log-odds. Empty: nothing was held out to fit it on, or method likelihood has log-odds by itself.
  Eigen::VectorXd calibration;
  /// How it came about: plugins with versions and build tags, selection record, objective, gap, provenance.
  nlohmann::ordered_json record;

  int64_t labels() const { return W.cols(); }
  /// Whether labels come from a rounding: no threshold and no regression decides.
  bool rounds() const {
    return thresholds.size() == 0 && settings.predict.threshold != ThresholdKind::direct_f1;
  }
  bool has_prior() const { return A.size() > 0 && !A.isZero(0); }
};

/// What is wrong with a model whose parts do not fit together or hold what is not finite; or nothing.
std::string fault_of(const Model& model);

/// The file: 8 bytes magic "CONCORD\n", uint64 version, uint64 length of the JSON header, the header, zero bytes
/// up to a multiple of 8, little-endian float64 blocks at the offsets that the header names, and the
/// SHA-256 of all that. Readable in a few lines of NumPy: see docs/model-file.md.
void save_model(const Model& model, const std::filesystem::path& file);
/// Fault::input, naming the file, for whatever is not a whole, unaltered model file of a known version.
Model load_model(const std::filesystem::path& file);
std::string model_bytes(const Model& model);
Model parse_model(std::string_view bytes, const std::string& name);

}  // namespace concord
