// SPDX-License-Identifier: MIT
#pragma once
// Data from a planted model D(x,y) = y'W'x + y'b - y'Ay, to see whether a prior is found again and what it is worth.
//
// Labels come in scenes of six: three pairs of labels that attract each other (beach, sea), and labels of different
// pairs of a scene repel each other (beach, snow). The labels of an instance are drawn *exactly* from
// p(y|x) ~ exp(D(x,y)/T), scene by scene, at a low temperature T. With couplings as strong as the scores, which label of
// a scene wins is no linear function of x: a model with a prior can say it, one classifier per label cannot.
#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

struct PlantedSettings {
  int64_t features = 20, labels = 12;  ///< d and V
  uint64_t seed = 1;
  double density = 1;     ///< share of the features that are not 0; below 1 the data is sparse
  double coupling = 0.5;  ///< |A_vw| of a planted pair is this times a number in [0.8, 1.2]
  double noise = 0.25;    ///< the temperature T; 0: the labels are the maximum of D
};

struct PlantedPair {
  int64_t v = 0, w = 0;  ///< v < w
  double A = 0;          ///< A_vw: below 0 they attract, above they repel
};

struct PlantedModel {
  PlantedSettings settings;
  RowMatrix W;  ///< d x V
  Eigen::VectorXd b;
  std::vector<PlantedPair> pairs;  ///< by (v, w)
  std::vector<std::string> feature_names, label_names;

  Eigen::MatrixXd A() const;
};

/// Fault::input for settings that are out of range.
PlantedModel plant_model(const PlantedSettings& settings);

/// `stream` tells independent datasets of one model apart (0: train, 1: test). Instance i does not depend on
/// how many there are.
Dataset draw_instances(const PlantedModel& model, int64_t instances, uint64_t stream);

}  // namespace concord
