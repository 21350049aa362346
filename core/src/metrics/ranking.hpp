// SPDX-License-Identifier: MIT
#pragma once
// Scores of a ranking of labels, all of them means over instances. Only unknown labels are ranked. Ties: in ranking loss,
// coverage and LRAP a label stands below all that rank as high; at k every order of equals counts alike, so that the value
// is a mean over them. An instance without a true label has ranking loss and coverage 0 and precision at k 0; its
// LRAP, recall at k and nDCG at k are 1, as no order could be better.
#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

struct RankMetric {
  std::string name;  ///< "ndcg-at-3"
  bool is_loss;      ///< smaller is better
};
/// Those for V labels, at k = 1, 3 and 5 as far as there are k labels:
/// ranking-loss    the share of pairs of a true and a false label in the wrong order
/// coverage        how many labels from the best on hold all true ones
/// lrap            the mean over true labels of the share of true ones among those that rank as high
/// precision-at-k  the share of true ones of the k best
/// recall-at-k     the share of the true labels that are among the k best
/// ndcg-at-k       the sum of 1/log2(1 + place) over the true ones of the k best, by that of the best order
std::vector<RankMetric> rank_metrics(int64_t V);
/// Nothing if no number of labels has a metric of this name.
const RankMetric* find_rank_metric(const std::string& name);

/// A row for each of rank_metrics(V), a column for each instance. Labels that are not 0 in `known` are left out; of an
/// instance with fewer than k unknown labels all are looked at. An empty `known` knows none. Fault::input if the
/// sizes differ, or an unknown label ranks as NaN.
Eigen::MatrixXd rank_values(const Eigen::MatrixXd& ranking, const LabelMatrix& truth,
                            const LabelMatrix& known);

}  // namespace concord
