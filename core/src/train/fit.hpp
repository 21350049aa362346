// SPDX-License-Identifier: MIT
#pragma once
// One fit of (W, A) to preprocessed data, epoch by epoch; how far it is from its optimum, when it is looked at, and how many
// epochs it would need.
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "config/settings.hpp"
#include "data/dataset.hpp"
#include "solve/pipeline.hpp"
#include "train/archive.hpp"
#include "train/ranks.hpp"

namespace concord {

/// The closed cone of allowed priors: a sign off the diagonal. The diagonal is free where it is learned, else zero.
class PriorCone {
 public:
  explicit PriorCone(PriorSign sign)
      : lowest_(sign == PriorSign::repulsive || sign == PriorSign::none ? 0 : -infinity),
        highest_(sign == PriorSign::attractive || sign == PriorSign::none ? 0 : infinity) {}

  bool is_whole_space() const { return lowest_ != 0 && highest_ != 0; }
  /// The range of an entry off the diagonal.
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double lowest_, highest_;
};

/// The plugins and rules of training, resolved.
struct TrainPlan {
  TrainSettings settings;
  std::shared_ptr<const BoundPlugin> decoder;  ///< null for ovr
  std::shared_ptr<const BoundPlugin> loss;     ///< null for ovr
  PriorSign prior = PriorSign::none;
  bool diagonal = false;
};

struct Parameters {
  RowMatrix W;        ///< d x V
  Eigen::MatrixXd A;  ///< V x V
  /// Of the bases, where the fit has weighed them itself; else empty.
  Eigen::VectorXd weights = {}, offsets = {};
};

/// Where a fit stands.
struct FitReport {
  double objective = 0;   ///< the regularised objective at the parameters that parameters() returns
  double dual = 0;        ///< a lower bound of the smallest objective; NaN if the method has none
  bool estimate = false;  ///< the decoder gave values without bounds, so the objective is not proven
  double solved = 0;      ///< subproblems solved per decode, on average
  double pruned = 0;      ///< subproblems left out per decode, on average
  int64_t epochs = 0;     ///< of the whole fit, where it is over
  double gap() const { return objective - dual; }
  double relative_gap() const { return gap() / std::max(std::abs(objective), 1e-300); }
};

class Fit {
 public:
  virtual ~Fit() = default;
  /// One pass over the data; returns early, with the state in between, when a stop was requested.
  virtual void epoch() = 0;
  /// The (averaged) parameters now.
  virtual Parameters parameters() const = 0;
  /// Costs a pass of decoding.
  virtual FitReport evaluate() = 0;
  /// The whole state between two epochs; restoring it continues to the same bits.
  virtual void save(ArchiveWriter& out) = 0;
  virtual void restore(ArchiveReader& in) = 0;
};

/// The training data of one fit. X is preprocessed; all of it outlives the fit.
struct FitData {
  const Features& X;
  const LabelMatrix& Y;
  const std::vector<Eigen::MatrixXd>* scores =
      nullptr;                               ///< of each base, V x N, out of sample; null: no bases
  const Eigen::MatrixXd* offsets = nullptr;  ///< of the linear terms by the stacked bases, V x N
  Ranks* ranks = nullptr;                    ///< the processes that share the fit; null: this one alone
};

/// By plan.settings.method. Fault::input when the method cannot do it (bcfw: memory).
std::unique_ptr<Fit> make_fit(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
                              const RunControl& control);

class Oracle;
struct MostViolated;

/// The instances of a pass in pieces of successive ones, at most 64 of them. A piece is decoded by one rank, and the sums over
/// the pieces are added in their order. Part of the bits: the size depends on the number of instances alone.
struct PassPieces {
  int64_t instances = 0;
  int64_t size() const;
  int64_t how_many() const { return (instances + size() - 1) / size(); }
  int64_t of(int64_t instance) const { return instance / size(); }
};

/// What a pass adds up besides the objective: so many numbers, which add() is to change by what the answers for a few
/// instances give.
struct PassSums {
  int64_t count = 0;
  std::function<void(std::span<const int64_t>, const std::vector<MostViolated>&, Eigen::Ref<Eigen::VectorXd>)>
      add;
};

/// The objective at (W, A): mean of the bounds (or values) minus the truth's, and the regularisers. By all ranks together.
/// `sums` gets those of `what`, if there is something.
FitReport regularised_objective(Oracle& oracle, const Features& X, const Parameters& at,
                                const TrainSettings& settings, uint64_t seed, ThreadPool& pool,
                                const PassSums& what = {}, Eigen::VectorXd* sums = nullptr);

/// A random order of 0, ..., count - 1.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed);

/// One pass over `instances` in batches, in an order that seed and epoch determine: visit(members, seed of their decodes).
/// False if a stop request ended the pass early.
bool for_batches(int64_t instances, int64_t batch, uint64_t seed, int64_t epoch, const RunControl& control,
                 const std::function<void(std::span<const int64_t>, uint64_t)>& visit);

/// A fit with a larger relative gap has not converged.
inline constexpr double kOpenGap = 0.1;

/// Epochs after which the objective is evaluated: every train.report of them (a tenth of `last` if absent), and the last.
bool is_report_point(const TrainSettings& settings, int64_t epoch, int64_t last);

/// Whether train.tol is reached: by a proven gap, never by an estimate.
bool has_reached_tol(const TrainSettings& settings, const FitReport& report);

/// The relative gap after an epoch.
struct GapPoint {
  int64_t epoch;
  double gap;
};

/// The epochs after which the gap would be kOpenGap, if it goes on to fall as a power of the epoch: by the last point and
/// the last one at half its epochs or before. A power below 1 is that of a beginning, and 1 takes its place: in the long
/// run block-coordinate Frank-Wolfe is no slower. Rounded up to two digits. Needs a point.
int64_t epochs_for(const std::vector<GapPoint>& gaps);

/// "not converged: gap 82 %, try train.epochs = 250".
std::string open_gap_text(double gap, int64_t epochs);

}  // namespace concord
