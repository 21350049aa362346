// SPDX-License-Identifier: MIT
#include "train/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <concord/kit/rng.hpp>

#include "predict/conditional.hpp"
#include "predict/rules.hpp"
#include "train/bases.hpp"
#include "train/ovr.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

/// What decides the fit; equal texts, equal fits.
std::string fit_key(const Settings& settings) {
  Json json = settings_json(settings);
  json["train"].erase("epochs");
  if (settings.select.lambda_per_label) json["train"].erase("lambda_w");
  return json["preprocess"].dump() + json.value("scores", Json()).dump() + json["train"].dump();
}

/// What decides the decoding and rounding of held-out instances.
std::string predictor_key(const Settings& settings) {
  const Json predict = settings_json(settings)["predict"];
  return predict.value("decoder", Json()).dump() + predict.value("rounding", Json()).dump();
}

Eigen::MatrixXd joined(const std::vector<const Eigen::MatrixXd*>& pieces) {
  int64_t columns = 0;
  for (const auto* piece : pieces) columns += piece->cols();
  Eigen::MatrixXd all(pieces.front()->rows(), columns);
  columns = 0;
  for (const auto* piece : pieces) {
    all.middleCols(columns, piece->cols()) = *piece;
    columns += piece->cols();
  }
  return all;
}

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
  void reveal(const std::vector<SplitOutcome>& outcomes) {
    int64_t column = 0;
    for (const SplitOutcome& outcome : outcomes) {
      if (outcome.known.size() == 0) return;  // then nothing is revealed in any split
      known.middleCols(column, outcome.known.cols()) = outcome.known;
      column += outcome.known.cols();
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

/// Labels of the whole pool by thresholds that were chosen elsewhere.
LabelMatrix label_across(const PredictSettings& predict, const Eigen::MatrixXd& ranking, const Pool& pool,
                         const Metric& metric) {
  LabelMatrix labels(ranking.rows(), ranking.cols());
  for (int p = 0; p < pool.parts; ++p) {
    const auto inside = pool.inside(p), outside = pool.outside(p);
    if (inside.empty()) continue;
    const auto& from =
        outside.empty() ? inside : outside;  // a single held-out instance has nowhere else to look
    const Eigen::VectorXd thresholds =
        tune_rule(predict, ranking(Eigen::all, from), pool.truth(Eigen::all, from), metric);
    labels(Eigen::all, inside) = pool.label(predict, ranking, thresholds, inside);
  }
  return labels;
}

void score(CellResult& result, const LabelMatrix& labels, const Pool& pool, const Metric& metric,
           int64_t instances) {
  result.value = metric.value(LabelCounts(labels, pool.truth));
  const Eigen::VectorXd losses = is_example_mean(metric) ? example_losses(metric, labels, pool.truth)
                                                         : example_f1_losses(labels, pool.truth);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(instances), count = sum;
  for (size_t j = 0; j < pool.instance.size(); ++j) {
    sum(pool.instance[j]) += losses(static_cast<int64_t>(j));
    count(pool.instance[j]) += 1;
  }
  result.losses = sum.cwiseQuotient(count);  // 0/0: never held out
  result.error = is_example_mean(metric) ? mean_with_error(result.losses).error
                                         : std::numeric_limits<double>::quiet_NaN();
}

/// Whether labels are revealed, or ranked by probabilities, of which a decoder knows nothing.
bool is_conditional(const CellPlan& cell) {
  return cell.settings.train.known.value_or(0) > 0 || cell.threshold_on == ThresholdOn::marginals;
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

std::vector<FitGroup> group_cells(const std::vector<CellPlan>& cells) {
  std::vector<FitGroup> groups;
  std::map<std::string, size_t> index;
  for (size_t c = 0; c < cells.size(); ++c) {
    const Settings& settings = cells[c].settings;
    const auto [at, fresh] = index.try_emplace(fit_key(settings), groups.size());
    if (fresh) groups.emplace_back();
    FitGroup& group = groups[at->second];
    group.cells.push_back(c);
    group.epochs.push_back(is_one_pass(settings.train.method) ? 1 : settings.train.epochs);
    if (settings.select.lambda_per_label) group.lambdas.push_back(settings.train.lambda_w);
  }
  for (FitGroup& group : groups) {
    const auto increasing = [](auto& list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    increasing(group.epochs);
    increasing(group.lambdas);
  }
  return groups;
}

SplitOutcome try_split(const std::vector<CellPlan>& cells, const FitGroup& group, const Dataset& train,
                       const Split& split, uint64_t seed, ThreadPool& pool, const RunControl& control) {
  const CellPlan& first = cells[group.cells.front()];
  const Dataset fit_part = train.select(split.fit), held_out = train.select(split.validation);
  const FitInput input(first.settings, fit_part.X, fit_part.Y, seed, pool, control);
  const FitInput::Rows held_rows = input.rows(held_out.X, pool);
  const FitData data = input.data();
  SplitOutcome outcome;
  outcome.cells.resize(group.cells.size());
  for (const double lambda : group.lambdas) {
    const RowMatrix W = one_versus_rest(data, Eigen::VectorXd::Constant(1, lambda),
                                        first.settings.train.hinge, seed, nullptr, pool, control);
    outcome.rankings_by_lambda.push_back(label_scores(W, held_rows.X));
  }
  if (!group.lambdas.empty()) {
    outcome.complete = !control.stop_requested();
    return outcome;
  }
  const auto fit = make_fit(first.train, data, seed, pool, control);
  int64_t done = 0;
  for (const int64_t target : group.epochs) {
    for (; done < target; ++done) {
      fit->epoch();
      if (control.stop_requested()) return outcome;
    }
    const Parameters now = fit->parameters();
    if (!now.W.allFinite() || !now.A.allFinite())
      fail(Fault::input,
           "training diverged: W or A is not finite after {} epochs; larger train.lambda_w or "
           "train.lambda_a keep it in bounds",
           done);
    std::map<std::string, std::pair<std::unique_ptr<Predictor>, Decoded>> decoded;
    for (size_t j = 0; j < group.cells.size(); ++j) {
      const CellPlan& cell = cells[group.cells[j]];
      const PredictSettings& rule = cell.settings.predict;
      if (!is_one_pass(cell.settings.train.method) && cell.settings.train.epochs != target) continue;
      if (is_conditional(cell)) {
        const KnownLabels known =
            reveal(held_out.Y, cell.settings.train.known.value_or(0), kit::derive(seed, 31), 0);
        const ConditionalPredictor conditional(*cell.predict, now.A, seed, control);
        const bool round = rule.threshold == ThresholdKind::none;
        Conditional found =
            conditional.predict(input.linear_terms(now, held_rows), known, 0, cell.threshold_on, round, pool);
        if (round) outcome.cells[j].labels = conditional_labels(rule, {}, found, known);
        outcome.cells[j].ranking = std::move(found.ranking);
        outcome.known = known;
        continue;
      }
      auto& [predictor, answers] = decoded[predictor_key(cell.settings)];
      if (!predictor) {
        predictor = std::make_unique<Predictor>(*cell.predict, now.A, seed, control);
        answers = predictor->decode(input.linear_terms(now, held_rows), 0, pool);
      }
      if (rule.threshold == ThresholdKind::none)
        outcome.cells[j].labels =
            predictor->round(answers, 0, cell.threshold_on, rule.min_labels.value_or(0), pool);
      else
        outcome.cells[j].ranking = Predictor::ranking(answers, cell.threshold_on);
    }
  }
  // Decoders and roundings that were stopped gave what they had: no basis for a choice.
  outcome.complete = !control.stop_requested();
  return outcome;
}

std::vector<CellResult> summarise(const std::vector<CellPlan>& cells, const FitGroup& group,
                                  const std::vector<SplitOutcome>& outcomes, const Dataset& train,
                                  const std::vector<Split>& splits) {
  Pool held_out(train, splits);
  held_out.reveal(outcomes);
  const Metric& metric = find_metric(cells[group.cells.front()].settings.select.metric);
  std::vector<CellResult> results(group.cells.size());

  Eigen::MatrixXd chosen_by_label;
  Eigen::VectorXd lambdas;
  if (!group.lambdas.empty()) {
    std::vector<Eigen::MatrixXd> by_lambda;
    for (size_t l = 0; l < group.lambdas.size(); ++l) {
      std::vector<const Eigen::MatrixXd*> pieces;
      for (const auto& outcome : outcomes) pieces.push_back(&outcome.rankings_by_lambda[l]);
      by_lambda.push_back(joined(pieces));
    }
    const auto best = best_lambdas(by_lambda, group.lambdas, held_out.truth);
    chosen_by_label.resizeLike(by_lambda.front());
    lambdas.resize(static_cast<int64_t>(best.size()));
    for (int64_t v = 0; v < lambdas.size(); ++v) {
      chosen_by_label.row(v) = by_lambda[best[static_cast<size_t>(v)]].row(v);
      lambdas(v) = group.lambdas[best[static_cast<size_t>(v)]];
    }
  }
  for (size_t j = 0; j < group.cells.size(); ++j) {
    CellResult& result = results[j];
    const PredictSettings& rule = cells[group.cells[j]].settings.predict;
    result.lambdas = lambdas;
    Eigen::MatrixXd ranking = chosen_by_label;
    LabelMatrix labels;
    if (rule.threshold == ThresholdKind::none && group.lambdas.empty()) {
      labels.resize(train.labels(), static_cast<int64_t>(held_out.instance.size()));
      int64_t column = 0;
      for (const auto& outcome : outcomes) {
        labels.middleCols(column, outcome.cells[j].labels.cols()) = outcome.cells[j].labels;
        column += outcome.cells[j].labels.cols();
      }
    } else {
      if (group.lambdas.empty()) {
        std::vector<const Eigen::MatrixXd*> pieces;
        for (const auto& outcome : outcomes) pieces.push_back(&outcome.cells[j].ranking);
        ranking = joined(pieces);
      }
      if (is_tuned(rule.threshold)) {
        result.thresholds = tune_rule(rule, ranking, held_out.truth, metric);
        labels = label_across(rule, ranking, held_out, metric);
      } else {
        const double fixed = rule.threshold == ThresholdKind::fixed ? rule.threshold_value : 0;
        std::vector<int64_t> all(held_out.instance.size());
        std::iota(all.begin(), all.end(), 0);
        labels = held_out.label(rule, ranking, Eigen::VectorXd::Constant(1, fixed), all);
        if (rule.threshold == ThresholdKind::fixed) result.thresholds = Eigen::VectorXd::Constant(1, fixed);
      }
    }
    score(result, without_known(labels, held_out.known), held_out, metric, train.instances());
  }
  return results;
}

}  // namespace concord
