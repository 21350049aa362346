// SPDX-License-Identifier: MIT
#pragma once
// Block-coordinate Frank-Wolfe on the dual (math: learning), with pairwise steps. The weights alpha of instance i's
// corners give its dual point
//   ubar_i = sum alpha u,  Ubar_i = sum alpha U,  Lbar_i = sum alpha L,   at first that of the truth,
// and all of them G_W = (1/N) sum x_i (y_i - ubar_i)', G_A = (1/N) sum (Ubar_i - y_i y_i'), W = G_W / lambda_W,
// A = Pi_K(G_A) / lambda_A. A visit adds the most violated answer to the corners and moves weight from the worst to
// the best of them, each time by a step that cannot lower the dual; so P - D is a gap that closes.
//
// Moving weight between corners, instead of shrinking all of them towards the new one, converges far faster (on
// medical, F1, 100 epochs: gap 0.05 % instead of 5 %), and corners take O(V) memory where Ubar_i takes O(V^2).
#include "train/block.hpp"
#include "train/fit.hpp"
#include "train/oracle.hpp"
#include "train/prior_cone.hpp"

namespace concord {

class Bcfw : public Fit {
 public:
  Bcfw(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
       const RunControl& control);

  void epoch() override;
  Parameters parameters() const override;
  FitReport evaluate() override;
  void save(ArchiveWriter& out) override;
  void restore(ArchiveReader& in) override;

  /// The dual objective of the blocks.
  double dual() const;
  /// The parameters that belong to the blocks, not averaged.
  Parameters last() const;

 private:
  void visit(int64_t i, const MostViolated& answer);
  void move_weights(Block& block, Eigen::ArrayXd slope, const Eigen::MatrixXd& curvature) const;
  void project();
  double averaging_weight() const;
  void end_batch();
  void rebuild();
  void require_memory() const;

  TrainPlan plan_;
  const Features& X_;
  const LabelMatrix& Y_;
  uint64_t seed_;
  ThreadPool& pool_;
  RunControl control_;
  double N_;
  bool with_prior_;
  PriorCone cone_;
  Oracle oracle_;
  Eigen::VectorXd squared_norms_;  ///< of x_i

  int64_t epochs_ = 0;
  double batches_ = 0;
  double negligible_gap_ = 0;
  std::vector<Block> blocks_;
  RowMatrix W_;
  RowMatrix late_W_;   ///< sum over batches b of averaging_weight() before b * change of W in b
  Eigen::MatrixXd G_;  ///< G_A / lambda_A; of this and the next two only the lower triangle
  Eigen::MatrixXd A_, mean_A_;
  bool A_changed_ = true;
};

/// Fault::input, naming the alternative, if `bytes` more would not fit into `available` ones.
void require_block_memory(double bytes, double available, int64_t instances);

}  // namespace concord
