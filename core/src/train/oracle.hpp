// SPDX-License-Identifier: MIT
#pragma once
// Loss-augmented decoding of training instances: H_i's maximiser for given scores W'x_i and prior A.
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "base/run.hpp"
#include "data/dataset.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"
#include "solve/pipeline.hpp"
#include "train/fit.hpp"

namespace concord {

/// The maximiser for one instance.
struct MostViolated {
  Eigen::MatrixXd F;   ///< U = FF', u its first column
  double loss = 0;     ///< L = const_s + lin_s'u of the winning subproblem
  double value = 0;    ///< L + u'W'x - <A, U>
  double bound = 0;    ///< a proven upper bound of the maximum over labellings; NaN without one
  int64_t solved = 0;  ///< subproblems solved, of the loss's
  int64_t pruned = 0;  ///< excluded by a bound
  auto u() const { return F.col(0); }
};

class Oracle {
 public:
  /// `offsets` (V x N, or null) are added to all scores. Values, bounds and losses are then less by offset_i'y_i, so that
  /// they stand against the truth's y'W'x - y'Ay as without offsets.
  Oracle(const BoundPlugin& decoder, const BoundPlugin& loss, const LabelMatrix& Y,
         const Eigen::MatrixXd* offsets, Ranks& ranks, ThreadPool& pool, const RunControl& control);

  /// A new decoder object, so that nothing but the warm blocks lives on from epoch to epoch: what makes a
  /// resumed run equal to one that was never interrupted.
  void renew();
  void prepare(const Eigen::MatrixXd& A);

  /// scores.col(j) belongs to instances[j]. In fixed chunks on the pool's threads. `verify` recomputes what
  /// the decoder says of every answer, not only of every 64th instance.
  std::vector<MostViolated> solve(std::span<const int64_t> instances, const Eigen::MatrixXd& scores,
                                  uint64_t seed, bool verify);
  /// The same answers, by all ranks together: each solves its share of the chunks, and all get all answers.
  std::vector<MostViolated> solve_by_ranks(std::span<const int64_t> instances, const Eigen::MatrixXd& scores,
                                           uint64_t seed, bool verify);

  const LabelMatrix& labels() const { return Y_; }
  Ranks& ranks() const { return ranks_; }
  /// The decoder's warm blocks, one for each instance or none.
  void save_warm(ArchiveWriter& out) const;
  void restore_warm(ArchiveReader& in);
  /// For a rank that has solved only the instances with `is_own`: brings the warm blocks of the others from their ranks.
  void gather_warm(const std::function<bool(int64_t)>& is_own);

 private:
  void put_answers(std::span<const int64_t> instances, int64_t first,
                   const std::vector<MostViolated>& answers, ArchiveWriter& out) const;
  void get_answers(std::span<const int64_t> instances, int64_t first, ArchiveReader& in,
                   std::vector<MostViolated>& answers);
  void solve_chunk(std::span<const int64_t> instances, const Eigen::MatrixXd& scores, int64_t first,
                   uint64_t seed, bool verify, std::vector<MostViolated>& answers);

  const BoundPlugin& chosen_decoder_;
  const LabelMatrix& Y_;
  const Eigen::MatrixXd* offsets_;
  Ranks& ranks_;
  ThreadPool& pool_;
  RunControl control_;
  Loss loss_;
  std::unique_ptr<Decoder> decoder_;
  PriorMatrix A_;
  std::vector<WarmBlock> warm_;
};

/// What the fits that decode have in common: bcfw, bundle and subgradient.
class DecodingFit : public Fit {
 protected:
  DecodingFit(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
              const RunControl& control);

  TrainPlan plan_;
  const Features& X_;
  const LabelMatrix& Y_;
  const Eigen::MatrixXd* offsets_;
  uint64_t seed_;
  Alone alone_;
  Ranks& ranks_;
  ThreadPool& pool_;
  RunControl control_;
  bool with_prior_;
  PriorCone cone_;
  Oracle oracle_;
  int64_t epochs_ = 0;
};

}  // namespace concord
