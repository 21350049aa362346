// SPDX-License-Identifier: MIT
#pragma once
// Stochastic subgradient descent in mini-batches (math: learning): step t with eta_t = 2/(t+1),
//   W <- W - (eta_t / lambda_W) dW,   A <- Pi_K(A - (eta_t / lambda_A) dA),
// and averages weighted by t. Needs no memory for the instances.
#include "train/oracle.hpp"

namespace concord {

class Subgradient : public DecodingFit {
 public:
  /// `start`: W of another model, or null. With a start the first epoch counts as taken. Otherwise the first
  /// step, whose eta is 1, would forget the start.
  Subgradient(const TrainPlan& plan, const FitData& data, uint64_t seed, const RowMatrix* start,
              ThreadPool& pool, const RunControl& control);

  void epoch() override;
  Parameters parameters() const override;
  FitReport evaluate() override;
  void save(ArchiveWriter& out) override;
  void restore(ArchiveReader& in) override;

 private:
  void step(std::span<const int64_t> members, const std::vector<MostViolated>& answers);
  RowMatrix W() const { return scale_ * W_; }

  double t_ = 0;      ///< steps taken
  double scale_ = 1;  ///< W = scale_ * W_: shrinking W costs O(1)
  RowMatrix W_;
  RowMatrix late_W_;    ///< sum over steps of (weights before the step) * (change of W_ in the step)
  double weights_ = 0;  ///< sum over steps of t * scale
  double total_ = 0;    ///< sum over steps of t
  Eigen::MatrixXd A_, mean_A_;
};

}  // namespace concord
