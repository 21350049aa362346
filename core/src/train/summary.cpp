// SPDX-License-Identifier: MIT
// From what cells said of held-out instances to one result for each cell.
#include <cmath>
#include <numeric>
#include <set>

#include "predict/conditional.hpp"
#include "predict/rules.hpp"
#include "train/validation.hpp"

namespace concord {
namespace {

using Answers = SplitOutcome::Answers;

/// The held-out instances of all splits, side by side.
struct Pool {
  LabelMatrix truth;
  KnownLabels known;              ///< all zero unless validation reveals labels
  std::vector<int64_t> instance;  ///< of each column, in the training set
  std::vector<int> part;          ///< of each column; thresholds for a part come from the others
  int parts = 0;

  Pool(const Dataset& train, const std::vector<Split>& splits) {
    for (size_t s = 0; s < splits.size(); ++s)
      for (size_t j = 0; j < splits[s].validation.size(); ++j) {
        instance.push_back(splits[s].validation[j]);
        part.push_back(splits.size() > 1 ? static_cast<int>(s) : static_cast<int>(j % 2));
      }
    parts = splits.size() > 1 ? static_cast<int>(splits.size()) : 2;
    truth = train.select(instance).Y;
    known.setZero(truth.rows(), truth.cols());
  }

  /// Takes the labels that validation reveals out of what is measured.
  void reveal(const std::vector<SplitOutcome>& outcomes, LabelMatrix SplitOutcome::*revealed) {
    int64_t column = 0;
    for (const SplitOutcome& outcome : outcomes) {
      const LabelMatrix& mine = outcome.*revealed;
      if (mine.size() == 0) return;  // then nothing is revealed in any split
      known.middleCols(column, mine.cols()) = mine;
      column += mine.cols();
    }
    truth = without_known(truth, known);
  }

  /// Labels of some columns by the rule and its numbers.
  LabelMatrix label(const PredictSettings& predict, const Eigen::MatrixXd& ranking,
                    const Eigen::VectorXd& numbers, const std::vector<int64_t>& columns) const {
    const KnownLabels given = known(Eigen::all, columns);
    return without_known(conditional_labels(predict, numbers, {ranking(Eigen::all, columns), {}, 0}, given),
                         given);
  }

  std::vector<int64_t> inside(int wanted) const {
    std::vector<int64_t> chosen;
    for (size_t j = 0; j < part.size(); ++j)
      if (part[j] == wanted) chosen.push_back(static_cast<int64_t>(j));
    return chosen;
  }
  /// The columns of other instances: with repeated splits an instance has several columns, in several parts.
  std::vector<int64_t> outside(int wanted) const {
    std::set<int64_t> instances;
    for (size_t j = 0; j < part.size(); ++j)
      if (part[j] == wanted) instances.insert(instance[j]);
    std::vector<int64_t> chosen;
    for (size_t j = 0; j < part.size(); ++j)
      if (!instances.contains(instance[j])) chosen.push_back(static_cast<int64_t>(j));
    return chosen;
  }
};

/// A matrix of each split's outcome, side by side.
template <class Matrix, class Piece>
Matrix joined(const std::vector<SplitOutcome>& outcomes, Piece&& piece) {
  int64_t columns = 0;
  for (const SplitOutcome& outcome : outcomes) columns += piece(outcome).cols();
  Matrix all(piece(outcomes.front()).rows(), columns);
  columns = 0;
  for (const SplitOutcome& outcome : outcomes) {
    all.middleCols(columns, piece(outcome).cols()) = piece(outcome);
    columns += piece(outcome).cols();
  }
  return all;
}

/// Labels of all instances of `asked` by their `ranking`, and by numbers that were chosen on other instances of `pool`, the
/// same instances with the same or other labels known.
LabelMatrix label_across(const PredictSettings& predict, const Eigen::MatrixXd& known_ranking,
                         const Pool& pool, const Eigen::MatrixXd& ranking, const Pool& asked,
                         const LabelMetric& metric) {
  LabelMatrix labels(ranking.rows(), ranking.cols());
  for (int p = 0; p < pool.parts; ++p) {
    const auto inside = pool.inside(p), outside = pool.outside(p);
    if (inside.empty()) continue;
    const auto& from =
        outside.empty() ? inside : outside;  // a single held-out instance has nowhere else to look
    const Eigen::VectorXd numbers =
        tune_rule(predict, known_ranking(Eigen::all, from), pool.truth(Eigen::all, from), metric);
    labels(Eigen::all, inside) = asked.label(predict, ranking, numbers, inside);
  }
  return labels;
}

HeldOutLosses measured(const LabelMatrix& labels, const Pool& pool, const LabelMetric& metric,
                       int64_t instances) {
  HeldOutLosses result;
  result.value = metric.value(labels, pool.truth);
  const Eigen::VectorXd losses = metric.is_example_mean() ? metric.example_losses(labels, pool.truth)
                                                          : example_f1_losses(labels, pool.truth);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(instances), count = sum;
  for (size_t j = 0; j < pool.instance.size(); ++j) {
    if ((pool.known.col(static_cast<int64_t>(j)) != 0).all()) continue;  // nothing was asked of it
    sum(pool.instance[j]) += losses(static_cast<int64_t>(j));
    count(pool.instance[j]) += 1;
  }
  result.losses = sum.cwiseQuotient(count);  // 0/0: never held out
  result.error = metric.is_example_mean() ? mean_with_error(result.losses).error
                                          : std::numeric_limits<double>::quiet_NaN();
  return result;
}

/// For each label the lambda with the fewest errors at the sign of its score; of equals the largest.
std::vector<size_t> best_lambdas(const std::vector<Eigen::MatrixXd>& rankings,
                                 const std::vector<double>& lambdas, const LabelMatrix& truth) {
  std::vector<size_t> best(static_cast<size_t>(truth.rows()), 0);
  for (int64_t v = 0; v < truth.rows(); ++v) {
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (size_t l = 0; l < lambdas.size(); ++l) {
      const int64_t errors = ((rankings[l].row(v).array() > 0) != (truth.row(v) > 0)).count();
      const auto mine = static_cast<size_t>(v);
      if (errors < fewest || (errors == fewest && lambdas[l] > lambdas[best[mine]])) {
        fewest = errors;
        best[mine] = l;
      }
    }
  }
  return best;
}

/// The rankings of select.lambda_per_label, with the lambda of each label.
struct ByLabel {
  Eigen::MatrixXd ranking;
  Eigen::VectorXd lambdas;

  ByLabel(const FitGroup& group, const std::vector<SplitOutcome>& outcomes, const LabelMatrix& truth) {
    std::vector<Eigen::MatrixXd> by_lambda;
    for (size_t l = 0; l < group.lambdas.size(); ++l)
      by_lambda.push_back(joined<Eigen::MatrixXd>(
          outcomes, [l](const SplitOutcome& o) -> auto& { return o.rankings_by_lambda[l]; }));
    const auto best = best_lambdas(by_lambda, group.lambdas, truth);
    ranking.resizeLike(by_lambda.front());
    lambdas.resize(static_cast<int64_t>(best.size()));
    for (int64_t v = 0; v < lambdas.size(); ++v) {
      ranking.row(v) = by_lambda[best[static_cast<size_t>(v)]].row(v);
      lambdas(v) = group.lambdas[best[static_cast<size_t>(v)]];
    }
  }
};

/// What a cell said, with the labels known that validation reveals, or otherwise.
Answers answers_of(const std::vector<SplitOutcome>& outcomes, size_t cell, bool otherwise) {
  const auto one = [=](const SplitOutcome& outcome) -> const Answers& {
    return otherwise ? outcome.cells[cell].otherwise : outcome.cells[cell];
  };
  return {joined<Eigen::MatrixXd>(
              outcomes, [&](const SplitOutcome& o) -> auto& { return one(o).ranking; }),
          joined<LabelMatrix>(
              outcomes, [&](const SplitOutcome& o) -> auto& { return one(o).labels; })};
}

}  // namespace

MeanWithError mean_with_error(const Eigen::VectorXd& values) {
  double count = 0, sum = 0, squares = 0;
  for (const double x : values)
    if (!std::isnan(x)) {
      count += 1;
      sum += x;
    }
  const double mean = sum / count;
  for (const double x : values)
    if (!std::isnan(x)) squares += (x - mean) * (x - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

std::vector<CellResult> summarise(const std::vector<CellPlan>& cells, const FitGroup& group,
                                  const std::vector<SplitOutcome>& outcomes, const Dataset& train,
                                  const std::vector<Split>& splits) {
  Pool held_out(train, splits), otherwise = held_out;
  held_out.reveal(outcomes, &SplitOutcome::known);
  otherwise.reveal(outcomes, &SplitOutcome::known_otherwise);
  const LabelMetric& metric = *cells[group.cells.front()].metric;
  std::vector<int64_t> all(held_out.instance.size());
  std::iota(all.begin(), all.end(), 0);
  std::optional<ByLabel> by_label;
  if (!group.lambdas.empty()) by_label.emplace(group, outcomes, held_out.truth);

  std::vector<CellResult> results(group.cells.size());
  for (size_t j = 0; j < group.cells.size(); ++j) {
    CellResult& result = results[j];
    const PredictSettings& rule = cells[group.cells[j]].settings.predict;
    const double fixed = rule.threshold == ThresholdKind::fixed ? rule.threshold_value : 0;
    const Answers answers =
        by_label ? Answers{as_the_rule_sees(rule, by_label->ranking), {}} : answers_of(outcomes, j, false);
    const auto measure = [&](const Answers& given, const Pool& pool) {
      LabelMatrix labels;
      if (given.labels.size() > 0 && !by_label)
        labels = given.labels;
      else if (is_tuned(rule.threshold))
        labels = label_across(rule, answers.ranking, held_out, given.ranking, pool, metric);
      else
        labels = pool.label(rule, given.ranking, Eigen::VectorXd::Constant(1, fixed), all);
      return measured(without_known(labels, pool.known), pool, metric, train.instances());
    };
    static_cast<HeldOutLosses&>(result) = measure(answers, held_out);
    if (outcomes.front().known_otherwise.size() > 0 && !by_label)
      result.otherwise = measure(answers_of(outcomes, j, true), otherwise);
    if (is_tuned(rule.threshold))
      result.thresholds = tune_rule(rule, answers.ranking, held_out.truth, metric);
    else if (rule.threshold == ThresholdKind::fixed)
      result.thresholds = Eigen::VectorXd::Constant(1, fixed);
    if (rule.threshold != ThresholdKind::expected_f1 &&
        cells[group.cells[j]].settings.train.method != Method::likelihood)
      result.calibration = fit_label_calibration(answers.ranking, held_out.truth);
    if (by_label) result.lambdas = by_label->lambdas;
    for (const SplitOutcome& outcome : outcomes)
      if (!(outcome.cells[j].gap <= result.gap)) result.gap = outcome.cells[j].gap;
  }
  return results;
}

}  // namespace concord
