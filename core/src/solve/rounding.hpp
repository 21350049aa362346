// SPDX-License-Identifier: MIT
#pragma once
// A chain of rounding plugins "a+b": each starts from the labels of the one before.
#include <memory>
#include <vector>

#include "plugin/plugin.hpp"
#include "problem/problem.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"

namespace concord {

/// A prior without its diagonal for roundings to look at. The host does not read it: a plugin may have changed it.
struct LentPrior {
  PriorMatrix A;
};

class Rounding {
 public:
  Rounding(const Plugin& plugin, const OptionValues& options, RunControl control);

  const Plugin& plugin() const { return plugin_; }

  /// Throws Fault::unsupported when it cannot round problems with a cardinality.
  void require_supported(bool with_cardinality) const;

  /// Labels for the problem whose relaxation is `relaxed`. Checked: they are -1 and +1, satisfy the
  /// cardinality, and are not worse than `start`. `lent` is what the plugin sees of A.
  LabelVector round(const PriorMatrix& A, const LentPrior& lent, const Instance& instance,
                    const RelaxedSolution& relaxed, const LabelVector* start) const;

 private:
  const Plugin& plugin_;
  RunControl control_;
  concord_rounding functions_{};
  std::shared_ptr<void> object_;
};

LabelVector round_by_chain(const std::vector<std::unique_ptr<Rounding>>& chain, const PriorMatrix& A,
                           const LentPrior& lent, const Instance& instance, const RelaxedSolution& relaxed);

}  // namespace concord
