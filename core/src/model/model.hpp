// SPDX-License-Identifier: MIT
#pragma once
// What training leaves behind: D(x,y) = y'W'x - y'Ay, with x preprocessed and the bias as its last feature.
#include <Eigen/Core>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "model/preprocess.hpp"

namespace concord {

struct Model {
  Settings settings;  ///< of the winning cell
  Preprocessor preprocess;
  std::vector<std::string> feature_names;  ///< as in the data, before preprocessing; may be empty
  std::vector<std::string> label_names;
  RowMatrix W;        ///< preprocess.outputs() x V; row-major: a sparse x touches few rows
  Eigen::MatrixXd A;  ///< V x V, symmetric; all zero without a prior
  /// Tuned or fixed thresholds: none (empty), one, or one for each label.
  Eigen::VectorXd thresholds;
  /// How it came about: plugins with versions and build tags, selection record, objective, gap, provenance.
  nlohmann::ordered_json record;

  int64_t labels() const { return W.cols(); }
  bool has_prior() const { return A.size() > 0 && !A.isZero(0); }
};

/// The file: 8 bytes magic "CONCORD\n", uint64 version, uint64 length of the JSON header, the header, zero bytes
/// up to a multiple of 8, little-endian float64 blocks at the offsets that the header names, and the
/// SHA-256 of all that. Readable in a few lines of NumPy: see docs/model-file.md.
void save_model(const Model& model, const std::filesystem::path& file);
/// Fault::input, naming the file, for whatever is not a whole, unaltered model file of a known version.
Model load_model(const std::filesystem::path& file);
std::string model_bytes(const Model& model);
Model parse_model(std::string_view bytes, const std::string& name);

}  // namespace concord
