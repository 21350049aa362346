// SPDX-License-Identifier: MIT
#pragma once
// What a dataset looks like: sizes, how many labels its instances have, and which labels go together.
#include <cstdint>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

struct LabelPair {
  int64_t v = 0, w = 0;  ///< v < w
  double phi = 0;        ///< correlation of the two labels, -1 to 1
  int64_t together = 0;  ///< instances that have both
};

struct DatasetInfo {
  int64_t nonzeros = 0;               ///< features that are not 0
  std::vector<int64_t> positives;     ///< of each label
  double cardinality = 0;             ///< mean number of labels of an instance
  int64_t fewest = 0, most = 0;       ///< labels of an instance
  int64_t without_labels = 0;         ///< instances
  int64_t labelsets = 0;              ///< different ones
  std::vector<LabelPair> attracting;  ///< phi > 0, largest first, ties by (v, w)
  std::vector<LabelPair> repelling;   ///< phi < 0, smallest first
};

/// At most `pairs` attracting and as many repelling. A label that no instance or every instance has is
/// correlated with none.
DatasetInfo dataset_info(const Dataset& dataset, int64_t pairs);

}  // namespace concord
