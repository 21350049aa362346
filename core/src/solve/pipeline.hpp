// SPDX-License-Identifier: MIT
#pragma once
// The way from problems of one prior to labels: decode, round, verify. Every claim of a plugin is computed again. Many
// problems go this way in pieces, on a few threads.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solve/decoder.hpp"
#include "solve/plan.hpp"
#include "solve/rounding.hpp"

namespace concord {

class Pipeline {
 public:
  /// Makes the plugins and prepares them for the prior. Fault::unsupported names what a plugin cannot take.
  Pipeline(const SolvePlan& plan, PriorMatrix A, bool with_cardinality, const RunControl& control);

  const PriorMatrix& prior() const { return A_; }

  /// The relaxed solution of each instance, verified. A decoder without one is an error, which names the instance by
  /// its number if the batch is a part of many: `first` is that of the first one.
  std::vector<RelaxedSolution> decode(std::span<const Instance> batch,
                                      std::optional<int64_t> first = {}) const;

  struct Labelled {
    LabelVector labels;
    double value;     ///< u'c - u'Au of the labels
    bool is_rounded;  ///< else u was a feasible labelling, and a default rounding had nothing to do
  };
  /// Labels that satisfy the constraints of the instance, and do not beat the proven bound.
  Labelled round(const Instance& instance, const RelaxedSolution& relaxed) const;

  struct Solved {
    RelaxedSolution relaxed;
    Labelled labelled;
    double bound;  ///< not below the labels' value; NaN without a proof
  };
  /// Both, for each instance; `first` as above.
  std::vector<Solved> solve(std::span<const Instance> batch, std::optional<int64_t> first = {}) const;

 private:
  PriorMatrix A_;
  LentPrior lent_;  ///< what roundings see of A
  Decoder decoder_;
  std::vector<std::unique_ptr<Rounding>> rounding_;
  bool rounding_is_default_;
};

/// One problem through the pipeline, and what a report says of it.
struct DecodeReport {
  std::string decoder;
  std::string rounding;  ///< empty when none was needed
  int32_t status = CONCORD_FAILED;
  LabelVector labels;
  double objective = 0;        ///< of the labels, in the file's own terms
  double objective_bound = 0;  ///< NaN without a proof
  double value = 0;            ///< canonical, of the relaxed solution
  double bound = 0;            ///< canonical; NaN without a proof
  double gap = 0;              ///< NaN without a bound
  double seconds = 0;          ///< prepare, solve and round
  int64_t nodes = 0;
  std::string message;
};

DecodeReport run_decode(const SolvePlan& plan, const CanonicalProblem& problem, uint64_t seed,
                        const RunControl& control);

struct BatchRequest {
  std::string decoder;                    ///< or "auto", as resolve_decoder() chooses
  std::vector<PluginSpec> rounding = {};  ///< empty: the default
  std::vector<ScopedSetting> settings = {};
  PriorMatrix A;
  int64_t count = 0;
  const double* c = nullptr;   ///< count x V
  const int64_t* k = nullptr;  ///< count of them, below 0 for none; or null: none for all
  uint64_t seed = 1;           ///< problem i has seed + i
};

/// Calls found(i, solved) for every problem, from any thread. The division into pieces depends on `count` only, so
/// the number of threads changes no bit. Everything is resolved before the first problem is solved. Fault::interrupted if
/// a stop was requested meanwhile.
void solve_batch(Registry& registry, const BatchRequest& request, int threads, const RunControl& control,
                 const std::function<void(int64_t, const Pipeline::Solved&)>& found);

}  // namespace concord
