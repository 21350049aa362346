// SPDX-License-Identifier: MIT
#pragma once
// Models and data in memory, for tests of prediction.
#include <concord/kit/rng.hpp>

#include "data/dataset.hpp"
#include "model/model.hpp"

namespace concord::test {

/// N x d normal numbers; about `density` of them are not zero if sparse.
inline Features random_features(kit::Rng& rng, int64_t N, int64_t d, bool sparse, double density = 0.3) {
  RowMatrix X = RowMatrix::Zero(N, d);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t j = 0; j < d; ++j)
      if (!sparse || rng.uniform() < density) X(i, j) = rng.normal();
  if (!sparse) return Features(std::move(X));
  return Features(SparseMatrix(X.sparseView()));
}

enum class Coupling { none, weak, with_diagonal };

/// Weights of all signs; labels called "label 0", ...; trained, it says, by bcfw with `spectral`.
inline Model random_model(kit::Rng& rng, int64_t d, int64_t V, Coupling coupling) {
  Model model;
  model.preprocess.inputs = d;
  model.preprocess.settings.scale = Scale::none;
  model.preprocess.settings.bias = 2;
  model.settings.preprocess = model.preprocess.settings;
  model.W.resize(d + 1, V);
  for (auto& w : model.W.reshaped()) w = rng.normal();
  model.A = Eigen::MatrixXd::Zero(V, V);
  if (coupling != Coupling::none)
    for (int64_t i = 0; i < V; ++i) {
      for (int64_t j = 0; j < i; ++j) model.A(i, j) = model.A(j, i) = 0.4 * rng.normal();
      if (coupling == Coupling::with_diagonal) model.A(i, i) = rng.normal();
    }
  for (int64_t v = 0; v < V; ++v) model.label_names.push_back("label " + std::to_string(v));
  for (int64_t j = 0; j < d; ++j) model.feature_names.push_back("x" + std::to_string(j));
  return model;
}

}  // namespace concord::test
