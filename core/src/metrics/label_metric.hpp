// SPDX-License-Identifier: MIT
#pragma once
// The metric of labels that a user names: one of metrics(), or the mean of a loss plugin over instances. Which of the two a
// name means is decided by MetricReference only.
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "metrics/metrics.hpp"
#include "plugin/registry.hpp"
#include "solve/loss.hpp"

namespace concord {

/// What the name of a metric means, before any plugin is looked for.
struct MetricReference {
  /// KIND/NAME and a path name a plugin. Fault::input for a name that is no metric, and for options of a metric without.
  explicit MetricReference(const PluginSpec& spec);

  std::string name;                  ///< for tables: "hamming-loss", "loss/f-beta beta=2"
  const Metric* built_in = nullptr;  ///< null: a loss plugin

  bool is_loss() const { return built_in == nullptr || built_in->is_loss; }
};

/// A metric that is there. Several threads may use one.
class LabelMetric {
 public:
  LabelMetric(const Metric& metric);  // NOLINT(google-explicit-constructor): every Metric is one
  /// Fault::input with the place of the name, also where there is no such loss.
  LabelMetric(Registry& registry, const PluginSpec& spec);

  const std::string& name() const { return reference_.name; }
  bool is_built_in() const { return reference_.built_in != nullptr; }
  bool is_loss() const { return reference_.is_loss(); }
  bool is_example_mean() const { return !is_built_in() || reference_.built_in->example_mean; }
  const BoundPlugin* plugin() const { return plugin_.get(); }  ///< null for one of metrics()
  /// Whether a value is better than another.
  bool is_better(double value, double than) const { return is_loss() ? value < than : value > than; }

  double value(const LabelMatrix& predicted, const LabelMatrix& truth) const;
  /// As example_losses() of metrics.hpp.
  Eigen::VectorXd example_losses(const LabelMatrix& predicted, const LabelMatrix& truth) const;
  /// Says what a loss plugin has against labels such as these, before any are predicted.
  void require(const LabelMatrix& truth) const;

 private:
  friend class RunningLoss;
  /// The loss plugin, prepared for the labels that are measured: no metric looks at others.
  std::unique_ptr<Loss> prepared(const LabelMatrix& truth) const;

  MetricReference reference_;
  std::shared_ptr<const BoundPlugin> plugin_;
  RunControl control_;
};

/// A metric, as a loss, of labels that change one at a time.
class RunningLoss {
 public:
  /// No label is predicted yet.
  RunningLoss(const LabelMetric& metric, const LabelMatrix& truth);

  /// Label v of instance i becomes predicted, or is no longer.
  void set(int64_t v, int64_t i, bool predicted);
  double loss();

 private:
  const LabelMatrix& truth_;
  const Metric* built_in_;
  LabelCounts counts_;
  std::unique_ptr<Loss> plugin_;  ///< null for one of metrics(), which looks at the counts
  LabelMatrix labels_;
  Eigen::VectorXd losses_;
  std::vector<int64_t> changed_;  ///< the instances whose loss is out of date
  std::vector<bool> is_changed_;
};

}  // namespace concord
