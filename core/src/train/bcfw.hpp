// SPDX-License-Identifier: MIT
#pragma once
// Block-coordinate Frank-Wolfe on the dual (math: learning). Each instance owns a point of the dual, the averages
//   ubar_i, Ubar_i, Lbar_i   (starting at y_i, y_i y_i', 0),
// from which W = G_W / lambda_W and A = Pi_K(G_A) / lambda_A follow. A step moves one block towards the most
// violated answer by exact line search, so the dual never decreases, and P - D is a proven gap.
#include "train/fit.hpp"
#include "train/oracle.hpp"
#include "train/packed.hpp"

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
  void step(int64_t i, const MostViolated& answer);
  double step_in_cone(double slope_at_0, double linear, double curvature_W, double from) const;
  void end_batch();
  void rebuild();
  void project();

  TrainPlan plan_;
  const Features& X_;
  const LabelMatrix& Y_;
  uint64_t seed_;
  ThreadPool& pool_;
  RunControl control_;
  double N_;
  bool with_prior_;
  PackedShape shape_;
  PriorCone cone_;
  Oracle oracle_;
  Eigen::VectorXd squared_norms_;  ///< of x_i

  int64_t epochs_ = 0;
  double batches_ = 0;
  Eigen::MatrixXd ubar_;  ///< V x N
  Eigen::ArrayXXd Ubar_;  ///< packed x N
  Eigen::VectorXd Lbar_;  ///< N
  RowMatrix W_;
  RowMatrix late_W_;  ///< sum over batches of C_{b-1} * (change of W in batch b), C_b = b (b+1) / 2
  Eigen::ArrayXd G_, A_, mean_A_;
  bool A_changed_ = true;
  Eigen::ArrayXd U_, d_;  ///< of the step at hand: the answer's U, and U - Ubar_i
};

}  // namespace concord
