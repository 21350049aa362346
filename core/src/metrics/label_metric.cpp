// SPDX-License-Identifier: MIT
#include "metrics/label_metric.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {

MetricReference::MetricReference(const PluginSpec& spec) : name(spec.name) {
  const PluginReference reference(spec.name);
  if (reference.kind != 0 || reference.is_file()) {
    if (reference.is_file()) name = fmt::format("{}/{}", kind_name(CONCORD_LOSS), reference.name);
    for (const Setting& option : spec.settings) name += fmt::format(" {}={}", option.key, option.value);
    return;
  }
  try {
    built_in = &find_metric(spec.name);
  } catch (const Error& e) {
    throw Error(e.kind(), e.reason(), {spec.origin, e.subject(), e.remedy()});
  }
  if (!spec.settings.empty())
    fail(Fault::input, About{spec.settings.front().origin}, "the metric {} has no options, and {} is given",
         name, quote(spec.settings.front().key));
}

LabelMetric::LabelMetric(const Metric& metric) : reference_(PluginSpec{metric.name, {}, ""}) {}

LabelMetric::LabelMetric(Registry& registry, const PluginSpec& spec)
    : reference_(spec), control_(registry.control()) {
  if (is_built_in()) return;
  ErrorList errors, refused;
  if (auto bound = bind_plugin(registry, CONCORD_LOSS, spec, errors))
    plugin_ = std::make_shared<const BoundPlugin>(std::move(*bound));
  // A metric that is not there is a wrong name, of whatever kind the metric is.
  for (const Error& e : errors.all())
    refused.add(e.kind() == Fault::unavailable ? Fault::input : e.kind(), e.reason(),
                {e.place(), e.subject(), e.remedy()});
  refused.throw_if_any();
}

std::unique_ptr<Loss> LabelMetric::prepared(const LabelMatrix& truth) const {
  if (is_built_in()) return nullptr;
  auto loss = std::make_unique<Loss>(*plugin_->plugin, plugin_->options, control_);
  loss->prepare(truth.rows(), truth.cols(), positives_per_label(truth));
  return loss;
}

void LabelMetric::require(const LabelMatrix& truth) const {
  prepared(truth);
}

Eigen::VectorXd LabelMetric::example_losses(const LabelMatrix& predicted, const LabelMatrix& truth) const {
  if (is_built_in()) return concord::example_losses(*reference_.built_in, predicted, truth);
  require_same_size(predicted, truth);
  const auto loss = prepared(truth);
  Eigen::VectorXd losses(truth.cols());
  for (int64_t i = 0; i < truth.cols(); ++i) losses(i) = loss->evaluate(predicted.col(i), truth.col(i));
  return losses;
}

double LabelMetric::value(const LabelMatrix& predicted, const LabelMatrix& truth) const {
  return is_built_in() ? reference_.built_in->value(LabelCounts(predicted, truth))
                       : example_losses(predicted, truth).mean();
}

RunningLoss::RunningLoss(const LabelMetric& metric, const LabelMatrix& truth)
    : truth_(truth),
      built_in_(metric.reference_.built_in),
      counts_(LabelMatrix::Constant(truth.rows(), truth.cols(), -1), truth),
      plugin_(metric.prepared(truth)) {
  if (!plugin_) return;
  labels_.setConstant(truth.rows(), truth.cols(), -1);
  losses_.setZero(truth.cols());
  for (int64_t i = 0; i < truth.cols(); ++i) changed_.push_back(i);
  is_changed_.assign(changed_.size(), true);
}

void RunningLoss::set(int64_t v, int64_t i, bool predicted) {
  if (!plugin_) {
    counts_.predict(v, i, truth_(v, i) > 0, predicted ? 1 : -1);
    return;
  }
  labels_(v, i) = predicted ? 1 : -1;
  if (!is_changed_[static_cast<size_t>(i)]) changed_.push_back(i);
  is_changed_[static_cast<size_t>(i)] = true;
}

double RunningLoss::loss() {
  if (!plugin_) return built_in_->loss(counts_);
  for (const int64_t i : changed_) {
    losses_(i) = plugin_->evaluate(labels_.col(i), truth_.col(i));
    is_changed_[static_cast<size_t>(i)] = false;
  }
  changed_.clear();
  return losses_.mean();
}

}  // namespace concord
