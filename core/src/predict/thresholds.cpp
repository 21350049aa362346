// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord {

LabelMatrix apply_thresholds(const Eigen::MatrixXd& scores, const Eigen::VectorXd& thresholds) {
  const int64_t V = scores.rows();
  if (thresholds.size() != 1 && thresholds.size() != V)
    fail(Fault::input, "there are {} thresholds: there must be 1, or one for each of the {} labels",
         thresholds.size(), V);
  LabelMatrix labels(V, scores.cols());
  for (int64_t i = 0; i < scores.cols(); ++i)
    for (int64_t v = 0; v < V; ++v)
      labels(v, i) = scores(v, i) > thresholds(thresholds.size() == 1 ? 0 : v) ? 1 : -1;
  return labels;
}

namespace {

/// The `count` best labels of one instance, best first.
std::vector<int64_t> best_labels(const double* scores, int64_t V, int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(V));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto end = order.begin() + std::min(count, V);
  std::partial_sort(order.begin(), end, order.end(), kit::Descending(scores));
  order.erase(end, order.end());
  return order;
}

}  // namespace

void fill_min_labels(LabelMatrix& labels, const Eigen::MatrixXd& scores, int64_t min_labels) {
  const int64_t wanted = std::min<int64_t>(min_labels, labels.rows());
  for (int64_t i = 0; i < labels.cols(); ++i) {
    int64_t have = (labels.col(i) > 0).count();
    if (have >= wanted) continue;
    // Of the `wanted` best labels at least wanted - have are not yet there.
    for (const int64_t v : best_labels(scores.col(i).data(), labels.rows(), wanted)) {
      if (have == wanted) break;
      if (labels(v, i) > 0) continue;
      labels(v, i) = 1;
      ++have;
    }
  }
}

namespace {

constexpr double kSameMetric = 1e-12;
constexpr size_t kCandidates = 256;
constexpr int kPasses = 5;

/// Labels above thresholds together with those that min_labels adds, and their loss. One label costs
/// O(min_labels) to add or remove.
class FilledLabels {
 public:
  FilledLabels(const Eigen::MatrixXd& scores, const LabelMatrix& truth, const LabelMetric& metric,
               int64_t min_labels)
      : wanted_(std::min<int64_t>(min_labels, truth.rows())),
        above_(LabelMatrix::Constant(truth.rows(), truth.cols(), -1)),
        above_count_(Eigen::Array<int64_t, Eigen::Dynamic, 1>::Zero(truth.cols())),
        labels_(metric, truth) {
    for (int64_t i = 0; i < truth.cols(); ++i) {
      best_.push_back(best_labels(scores.col(i).data(), truth.rows(), wanted_));
      set_added(i, true);
    }
  }

  /// Puts label v of instance i above its threshold, or below.
  void set(int64_t v, int64_t i, bool above) {
    if ((above_(v, i) > 0) == above) return;
    set_added(i, false);
    above_(v, i) = above ? 1 : -1;
    above_count_(i) += above ? 1 : -1;
    labels_.set(v, i, above);
    set_added(i, true);
  }

  double loss() { return labels_.loss(); }

 private:
  void set_added(int64_t i, bool predicted) {
    int64_t missing = wanted_ - above_count_(i);
    for (const int64_t v : best_[static_cast<size_t>(i)]) {
      if (missing <= 0) return;
      if (above_(v, i) > 0) continue;
      labels_.set(v, i, predicted);
      --missing;
    }
  }

  int64_t wanted_;
  LabelMatrix above_;
  Eigen::Array<int64_t, Eigen::Dynamic, 1> above_count_;
  RunningLoss labels_;
  std::vector<std::vector<int64_t>> best_;
};

/// The score of label v of instance i. There may be millions: 32 bits are enough for either.
struct ScoredLabel {
  double score;
  int32_t v, i;

  ScoredLabel(double score_, int64_t v_, int64_t i_)
      : score(score_), v(static_cast<int32_t>(v_)), i(static_cast<int32_t>(i_)) {}
};

/// A cut of entries sorted by falling score: the first `size` of them are above it.
struct Cut {
  size_t size;
  double threshold;
};

/// A threshold t with below <= t < above.
double between(double below, double above) {
  const double middle = std::midpoint(below, above);
  return middle < above ? middle : below;  // neighbours: the midpoint may round up
}

/// The candidates among the cuts of sorted entries, from the highest threshold on.
std::vector<Cut> candidate_cuts(const std::vector<ScoredLabel>& entries, const LabelMatrix& truth) {
  std::vector<Cut> cuts;
  bool any_true = false;
  for (size_t at = 0; at + 1 < entries.size(); ++at) {
    any_true = any_true || truth(entries[at].v, entries[at].i) > 0;
    if (!any_true || entries[at].score == entries[at + 1].score) continue;
    cuts.push_back({at + 1, between(entries[at + 1].score, entries[at].score)});
    any_true = false;
  }
  constexpr size_t most = kCandidates - 2;
  if (cuts.size() > most) {
    std::vector<Cut> spread;
    for (size_t j = 0; j < most; ++j) spread.push_back(cuts[j * (cuts.size() - 1) / (most - 1)]);
    cuts = std::move(spread);
  }
  cuts.insert(cuts.begin(), {0, entries.front().score});
  const double lowest = entries.back().score;
  if (lowest > std::numeric_limits<double>::lowest())
    cuts.push_back({entries.size(), std::nextafter(lowest, std::numeric_limits<double>::lowest())});
  return cuts;
}

struct Tuned {
  Cut cut;
  double loss;
};

/// The best cut of the entries, which are sorted here. At the beginning all entries are below the cut. At the
/// end they are where the last candidate has put them. Only a loss lower than `to_beat` counts.
std::optional<Tuned> best_cut(std::vector<ScoredLabel>& entries, const LabelMatrix& truth, double to_beat,
                              FilledLabels& labels) {
  std::sort(entries.begin(), entries.end(),
            [](const ScoredLabel& a, const ScoredLabel& b) { return a.score > b.score; });
  std::optional<Tuned> best;
  size_t above = 0;
  for (const Cut& cut : candidate_cuts(entries, truth)) {
    for (; above < cut.size; ++above) labels.set(entries[above].v, entries[above].i, true);
    const double loss = labels.loss();
    if (loss < (best ? best->loss : to_beat) - kSameMetric) best = Tuned{cut, loss};
  }
  return best;
}

void require_tunable(const Eigen::MatrixXd& scores, const LabelMatrix& truth) {
  if (scores.rows() != truth.rows() || scores.cols() != truth.cols() || scores.size() == 0)
    fail(Fault::input, "thresholds are tuned on scores of {} labels x {} instances, and the truth is {} x {}",
         scores.rows(), scores.cols(), truth.rows(), truth.cols());
  if (!scores.allFinite()) fail(Fault::input, "thresholds cannot be tuned: a score is not finite");
}

}  // namespace

double tune_threshold(const Eigen::MatrixXd& scores, const LabelMatrix& truth, const LabelMetric& metric,
                      int64_t min_labels) {
  require_tunable(scores, truth);
  FilledLabels labels(scores, truth, metric, min_labels);
  std::vector<ScoredLabel> entries;
  entries.reserve(static_cast<size_t>(scores.size()));
  for (int64_t i = 0; i < scores.cols(); ++i)
    for (int64_t v = 0; v < scores.rows(); ++v) entries.emplace_back(scores(v, i), v, i);
  return best_cut(entries, truth, std::numeric_limits<double>::infinity(), labels)->cut.threshold;
}

Eigen::VectorXd tune_label_thresholds(const Eigen::MatrixXd& scores, const LabelMatrix& truth,
                                      const LabelMetric& metric, int64_t min_labels) {
  const double start = tune_threshold(scores, truth, metric, min_labels);
  const int64_t V = scores.rows(), N = scores.cols();
  Eigen::VectorXd thresholds = Eigen::VectorXd::Constant(V, start);
  FilledLabels labels(scores, truth, metric, min_labels);
  const auto cut_label = [&](int64_t v, double threshold) {
    for (int64_t i = 0; i < N; ++i) labels.set(v, i, scores(v, i) > threshold);
  };
  for (int64_t v = 0; v < V; ++v) cut_label(v, start);
  double loss = labels.loss();
  for (int pass = 0; pass < kPasses; ++pass) {
    const double before = loss;
    for (int64_t v = 0; v < V; ++v) {
      std::vector<ScoredLabel> entries;
      for (int64_t i = 0; i < N; ++i) {
        entries.emplace_back(scores(v, i), v, i);
        labels.set(v, i, false);
      }
      if (const auto better = best_cut(entries, truth, loss, labels)) {
        thresholds(v) = better->cut.threshold;
        loss = better->loss;
      }
      cut_label(v, thresholds(v));
    }
    if (loss == before) break;
  }
  return thresholds;
}

Eigen::MatrixXd as_the_rule_sees(const PredictSettings& predict, Eigen::MatrixXd scores) {
  if (!predict.normalise.value_or(false)) return scores;
  for (auto column : scores.colwise()) {
    const auto counts = column.array() != kRankOfKnown;
    const double largest = counts.select(column.array().abs(), 0.0).maxCoeff();
    if (largest == 0) continue;
    // Divided by the largest first: squares of large scores would overflow.
    const double squares = counts.select((column.array() / largest).square(), 0.0).sum();
    const double root_mean_square = largest * std::sqrt(squares / static_cast<double>(counts.count()));
    column = counts.select(column.array() / root_mean_square, column.array()).matrix();
  }
  return scores;
}

Eigen::VectorXd tune_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                          const LabelMatrix& truth, const LabelMetric& metric) {
  const int64_t min_labels = predict.min_labels.value_or(0);
  if (predict.threshold == ThresholdKind::expected_f1) return fit_label_calibration(scores, truth);
  if (predict.threshold == ThresholdKind::per_label)
    return tune_label_thresholds(scores, truth, metric, min_labels);
  return Eigen::VectorXd::Constant(1, tune_threshold(scores, truth, metric, min_labels));
}

LabelMatrix apply_rule(const PredictSettings& predict, const Eigen::MatrixXd& scores,
                       const Eigen::VectorXd& numbers) {
  const int64_t min_labels = predict.min_labels.value_or(0);
  if (predict.threshold == ThresholdKind::expected_f1)
    return label_by_expected_f1(
        scores, numbers, Eigen::Array<int64_t, Eigen::Dynamic, 1>::Constant(scores.cols(), min_labels));
  LabelMatrix labels = apply_thresholds(scores, numbers);
  fill_min_labels(labels, scores, min_labels);
  return labels;
}

}  // namespace concord
