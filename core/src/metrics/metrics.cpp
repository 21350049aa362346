// SPDX-License-Identifier: MIT
#include "metrics/metrics.hpp"

#include "base/error.hpp"

namespace concord {

void require_same_size(const LabelMatrix& predicted, const LabelMatrix& truth) {
  if (predicted.rows() != truth.rows() || predicted.cols() != truth.cols())
    fail(Fault::input, "predictions are {} labels x {} instances, and the truth is {} x {}", predicted.rows(),
         predicted.cols(), truth.rows(), truth.cols());
}

LabelCounts::LabelCounts(int64_t labels, int64_t instances)
    : instance_hits(Eigen::ArrayXd::Zero(instances)),
      instance_predicted(instance_hits),
      instance_true(instance_hits),
      label_hits(Eigen::ArrayXd::Zero(labels)),
      label_predicted(label_hits),
      label_true(label_hits) {}

LabelCounts::LabelCounts(const LabelMatrix& predicted, const LabelMatrix& truth)
    : LabelCounts(truth.rows(), truth.cols()) {
  require_same_size(predicted, truth);
  for (int64_t i = 0; i < truth.cols(); ++i)
    for (int64_t v = 0; v < truth.rows(); ++v) {
      if (truth(v, i) > 0) {
        instance_true(i) += 1;
        label_true(v) += 1;
      }
      if (predicted(v, i) > 0) predict(v, i, truth(v, i) > 0, 1);
    }
}

void LabelCounts::predict(int64_t v, int64_t i, bool is_true, double amount) {
  instance_predicted(i) += amount;
  label_predicted(v) += amount;
  if (!is_true) return;
  instance_hits(i) += amount;
  label_hits(v) += amount;
}

namespace {

using Counts = Eigen::ArrayXd;

/// The sum of part / whole, where nothing of nothing counts 1: `either` is 0 exactly there. No branches, as
/// this is the inner loop of tuning and bootstrap. Where whole is 0, part is 0 too.
double sum_of_ratios(const Counts& part, const Counts& whole, const Counts& either) {
  return (part / whole.max(1)).sum() + static_cast<double>((either == 0).count());
}

double f1_sum(const Counts& hits, const Counts& predicted, const Counts& truly) {
  const Counts either = predicted + truly;
  return sum_of_ratios(2 * hits, either, either);
}

double over_instances(const LabelCounts& n, double sum) {
  return sum / static_cast<double>(n.instance_true.size());
}

double example_f1(const LabelCounts& n) {
  return over_instances(n, f1_sum(n.instance_hits, n.instance_predicted, n.instance_true));
}
double example_f1_loss(const LabelCounts& n) {
  return 1 - example_f1(n);
}
double example_jaccard(const LabelCounts& n) {
  const Counts either = n.instance_predicted + n.instance_true - n.instance_hits;
  return over_instances(n, sum_of_ratios(n.instance_hits, either, either));
}
double example_precision(const LabelCounts& n) {
  return over_instances(
      n, sum_of_ratios(n.instance_hits, n.instance_predicted, n.instance_predicted + n.instance_true));
}
double example_recall(const LabelCounts& n) {
  return over_instances(
      n, sum_of_ratios(n.instance_hits, n.instance_true, n.instance_predicted + n.instance_true));
}
double hamming_loss(const LabelCounts& n) {
  const double wrong = (n.instance_predicted + n.instance_true - 2 * n.instance_hits).sum();
  return over_instances(n, wrong) / static_cast<double>(n.label_true.size());
}
double subset_loss(const LabelCounts& n) {
  const auto wrong = (n.instance_predicted + n.instance_true != 2 * n.instance_hits).count();
  return over_instances(n, static_cast<double>(wrong));
}
double micro_f1(const LabelCounts& n) {
  const double either = n.label_predicted.sum() + n.label_true.sum();
  return either == 0 ? 1 : 2 * n.label_hits.sum() / either;
}
double macro_f1(const LabelCounts& n) {
  return f1_sum(n.label_hits, n.label_predicted, n.label_true) / static_cast<double>(n.label_true.size());
}
double macro_f1_present(const LabelCounts& n) {
  const auto absent = static_cast<double>((n.label_predicted + n.label_true == 0).count());
  const double present = static_cast<double>(n.label_true.size()) - absent;
  return present == 0 ? 1 : (f1_sum(n.label_hits, n.label_predicted, n.label_true) - absent) / present;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = {
      {"example-f1-loss", "1 - example-f1: mean of (V - y'y_i)/(2V + 1'y + 1'y_i); both empty: 0", true,
       example_f1_loss, true},
      {"example-f1", "mean F1 of the instances' label sets; both empty: 1, one empty: 0", false, example_f1,
       true},
      {"example-jaccard", "mean of |both| / |either|; both empty: 1, one empty: 0", false, example_jaccard,
       true},
      {"example-precision", "mean share of predicted labels that are true; both empty: 1, one empty: 0",
       false, example_precision, true},
      {"example-recall", "mean share of true labels that are predicted; both empty: 1, one empty: 0", false,
       example_recall, true},
      {"hamming-loss", "share of the labels of all instances that are wrong", true, hamming_loss, true},
      {"subset-loss", "share of instances with any wrong label (0/1 loss)", true, subset_loss, true},
      {"micro-f1", "F1 of all labels of all instances pooled; nothing true, nothing predicted: 1", false,
       micro_f1, false},
      {"macro-f1", "mean F1 of the labels; a label without positives and predictions counts 1", false,
       macro_f1, false},
      {"macro-f1-present", "as macro-f1, but a label without positives and predictions is skipped", false,
       macro_f1_present, false},
  };
  return all;
}

const Metric& find_metric(const std::string& name) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) {
    if (name == metric.name) return metric;
    names.emplace_back(metric.name);
  }
  if (find_rank_metric(name) != nullptr)
    fail(Fault::input, "{} is a metric of rankings, and one of labels is needed here: {}", name,
         fmt::join(names, ", "));
  fail(Fault::input, "there is no metric '{}'{} (metrics: {}; and any loss as loss/NAME)", name,
       did_you_mean(name, names), fmt::join(names, ", "));
}

bool is_example_mean(const Metric& metric) {
  return metric.example_mean;
}

Eigen::VectorXd example_losses(const Metric& metric, const LabelMatrix& predicted, const LabelMatrix& truth) {
  if (!metric.example_mean)
    fail(Fault::input, "{} is no mean over instances: it has no loss for each of them", metric.name);
  const LabelCounts all(predicted, truth);
  // A mean over one instance is that instance's part.
  LabelCounts one(truth.rows(), 1);
  Eigen::VectorXd losses(truth.cols());
  for (int64_t i = 0; i < truth.cols(); ++i) {
    one.instance_hits(0) = all.instance_hits(i);
    one.instance_predicted(0) = all.instance_predicted(i);
    one.instance_true(0) = all.instance_true(i);
    losses(i) = metric.loss(one);
  }
  return losses;
}

Eigen::VectorXd example_f1_losses(const LabelMatrix& predicted, const LabelMatrix& truth) {
  return example_losses(find_metric("example-f1-loss"), predicted, truth);
}

}  // namespace concord
