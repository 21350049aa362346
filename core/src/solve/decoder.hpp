// SPDX-License-Identifier: MIT
#pragma once
// A decoder plugin with its options, prepared for a prior: the host's side of the border.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/guarded.hpp"
#include "plugin/plugin.hpp"
#include "problem/problem.hpp"
#include "solve/family.hpp"

namespace concord {

const char* status_name(int32_t status);

/// What a decoder answered. F = [u, G]; value and bound are those of the whole objective, diagonal included.
struct RelaxedSolution {
  int32_t status = CONCORD_FAILED;
  Eigen::MatrixXd F;
  double value = 0;
  double bound = 0;  ///< NaN without a proof
  int64_t subproblem = 0;
  int64_t solved = 0;
  int64_t pruned = 0;
  int64_t nodes = 0;
  std::string message;

  bool has_point() const { return status >= CONCORD_OPTIMAL && status <= CONCORD_STOPPED; }
  auto u() const { return F.col(0); }
};

/// The memory that a decoder may use to start an instance from its last solution.
using WarmBlock = Guarded<uint64_t>;

/// One problem of a batch.
struct Instance {
  Eigen::VectorXd c;
  std::optional<int64_t> k = std::nullopt;
  uint64_t seed = 0;
  WarmBlock* warm = nullptr;  ///< of the size that warm_block() gives, or nullptr
};

class DecoderBatch;

class Decoder {
 public:
  Decoder(const Plugin& plugin, const OptionValues& options, RunControl control);

  const Plugin& plugin() const { return plugin_; }
  /// A capability flag of the plugin that its options have not given up.
  bool has(uint32_t flag) const { return (flags_ & flag) != 0; }

  /// Throws Fault::unsupported naming the property that the plugin cannot handle.
  void require_supported(const PriorMatrix& A, bool with_cardinality) const;
  /// As require_supported, then hands the prior to the plugin, which copies what it needs.
  void prepare(const PriorMatrix& A);

  /// A zeroed warm block for one instance of the prepared prior.
  WarmBlock warm_block() const;
  /// A zeroed warm block for each of `count` instances, or none at all if the plugin wants none. Fault::plugin if they would
  /// take more memory than there is.
  std::vector<WarmBlock> warm_blocks(size_t count) const;

  /// Structure, finiteness and rank of every answer are checked; Fault::plugin names the plugin that errs.
  std::vector<RelaxedSolution> solve(std::span<const Instance> batch) const;
  RelaxedSolution solve(const Instance& instance) const;

  /// By the plugin's own solve_family, or by a loop over its subproblems when it has none. For a decoder that is
  /// as tight as spectral the loop leaves out what the spectral bound excludes.
  RelaxedSolution solve_family(const Instance& base, const FamilyData& family) const;
  /// The same for many, in one call of the plugin; families[i] belongs to bases[i].
  std::vector<RelaxedSolution> solve_families(std::span<const Instance> bases,
                                              std::span<const FamilyData> families) const;
  RelaxedSolution solve_family_by_loop(const Instance& base, const FamilyData& family) const;
  bool has_native_family() const { return functions_.solve_family != nullptr; }

 private:
  using Rows = std::vector<concord_row>;
  std::vector<RelaxedSolution> solve_with_rows(std::span<const Instance> instances,
                                               std::span<const Rows> rows) const;
  /// `rows` and the number of subproblems are those of each request.
  std::vector<RelaxedSolution> finish(const DecoderBatch& batch, std::span<const Rows> rows,
                                      std::span<const FamilyData> families) const;
  void require_constraints(const Rows& rows) const;
  void require_family_of_this_size(const FamilyData& family) const;
  RelaxedSolution solve_subproblem(const Instance& base, const FamilyData& family, int64_t s) const;

  const Plugin& plugin_;
  RunControl control_;
  concord_decoder functions_{};
  std::shared_ptr<void> object_;
  uint32_t flags_ = 0;
  int64_t labels_ = 0;
  int64_t max_rank_ = 1;
  size_t warm_bytes_ = 0;
  std::unique_ptr<FamilyBounds> family_bounds_;  ///< if they may be used
  double abs_sum_ = 0;                           ///< sum of |A|, the scale of rounding errors
  double offset_ = 0;  ///< minus the trace of a diagonal that the plugin does not see
};

/// The row 1'u = 2k - V.
concord_row cardinality_row(int64_t labels, int64_t k);

/// The C view of a request with no seed and no warm block.
concord_request request_view(const Eigen::VectorXd& c, const concord_row* rows, uint32_t row_count);

/// Fault::unsupported if a dense matrix of V labels would take more than a quarter of the memory that is available: a
/// plugin copies the matrix, and works on the copy.
void require_dense_memory(const Plugin& plugin, int64_t labels, double available);

/// The C view of a prior in the form that the plugin takes; `copy` holds what had to be converted. Only a plugin without
/// CONCORD_SPARSE_PRIOR has a sparse prior made dense, as require_dense_memory allows.
concord_prior prior_view(const PriorMatrix& A, const Plugin& plugin, PriorMatrix& copy);

}  // namespace concord
