// SPDX-License-Identifier: MIT
#pragma once
// A loss plugin with its options, prepared for a training set: the host's side of the border.
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "plugin/plugin.hpp"
#include "problem/problem.hpp"
#include "solve/family.hpp"

namespace concord {

class Loss {
 public:
  Loss(const Plugin& plugin, const OptionValues& options, RunControl control);

  const Plugin& plugin() const { return plugin_; }

  void prepare(int64_t labels, int64_t instances, const std::vector<int64_t>& positives);
  /// Equality rows of every family. requires prepare
  int64_t row_count() const { return largest_.row_count; }
  /// Finite and not negative, or Fault::plugin.
  double evaluate(const LabelVector& y, const LabelVector& truth) const;
  /// The family of loss-augmented decoding; sizes and numbers are checked.
  FamilyData describe(const LabelVector& truth) const;

 private:
  void require_size(const LabelVector& y) const;

  const Plugin& plugin_;
  RunControl control_;
  concord_loss functions_{};
  std::shared_ptr<void> object_;
  int64_t labels_ = 0;
  concord_family largest_{};
};

}  // namespace concord
