// SPDX-License-Identifier: MIT
#include "train/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <concord/kit/rng.hpp>

#include "predict/conditional.hpp"
#include "predict/rules.hpp"
#include "train/bases.hpp"
#include "train/fit.hpp"
#include "train/ovr.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

/// What decides the fit; equal texts, equal fits.
std::string fit_key(const Settings& settings) {
  Json json = settings_json(settings);
  if (!settings.train.tol) json["train"].erase("epochs");  // which decide when a gap is looked at
  if (settings.select.lambda_per_label) json["train"].erase("lambda_w");
  // Bases of direct-f1 have more to regress.
  return json["preprocess"].dump() + json.value("scores", Json()).dump() + json["train"].dump() +
         (settings.predict.threshold == ThresholdKind::direct_f1 ? name_of(settings.predict.threshold) : "");
}

/// What decides the decoding and rounding of held-out instances.
std::string predictor_key(const Settings& settings) {
  const Json predict = settings_json(settings)["predict"];
  return predict.value("decoder", Json()).dump() + predict.value("rounding", Json()).dump();
}

/// Whether labels are revealed, ranked by probabilities or chosen by regression, of which a decoder knows nothing.
bool is_conditional(const CellPlan& cell) {
  return cell.settings.train.known.value_or(0) > 0 || cell.threshold_on == ThresholdOn::marginals ||
         cell.settings.predict.threshold == ThresholdKind::direct_f1;
}

/// What a cell says of held-out instances with linear terms c, of which some labels are known.
SplitOutcome::Answers conditional_answers(const CellPlan& cell, const ConditionalPredictor& predictor,
                                          const Eigen::MatrixXd& c, const KnownLabels& known,
                                          ThreadPool& pool) {
  const PredictSettings& rule = cell.settings.predict;
  const bool round = rule.threshold == ThresholdKind::none;
  Conditional found = predictor.predict(c, known, 0, cell.threshold_on, round, pool);
  SplitOutcome::Answers answers;
  if (round) answers.labels = conditional_labels(rule, {}, found, known);
  answers.ranking = as_the_rule_sees(rule, std::move(found.ranking));
  return answers;
}

/// Half of the labels of each instance, for those who did not say what will be known. An instance beyond the first few hundred
/// is known altogether, which leaves nothing to decode: every instance has an unknown part of its own to prepare for.
KnownLabels half_known(const LabelMatrix& truth, uint64_t seed) {
  constexpr int64_t kMost = 500;
  KnownLabels known = truth;
  const int64_t n = std::min(kMost, truth.cols());
  known.leftCols(n) = reveal(truth.leftCols(n), 0.5, seed, 0);
  return known;
}

}  // namespace

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
                       const Split& split, bool otherwise, uint64_t seed, ThreadPool& pool,
                       const RunControl& control) {
  const CellPlan& first = cells[group.cells.front()];
  const Dataset fit_part = train.select(split.fit), held_out = train.select(split.validation);
  const FitInput input(first.settings, fit_part.X, fit_part.Y, seed, pool, control);
  const FitInput::Rows held_rows = input.rows(held_out.X, pool);
  const FitData data = input.data();
  SplitOutcome outcome;
  outcome.cells.resize(group.cells.size());
  const double share = first.settings.train.known.value_or(0);  // no grid
  const uint64_t reveal_seed = kit::derive(seed, 31);
  otherwise = otherwise && train.labels() > 1;  // half of a single label is all or nothing
  if (otherwise)
    outcome.known_otherwise = share > 0 ? KnownLabels(KnownLabels::Zero(train.labels(), held_out.instances()))
                                        : half_known(held_out.Y, reveal_seed);
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
  const TrainSettings& settings = first.settings.train;
  int64_t done = 0;
  bool reached_tol = false;
  double gap = std::numeric_limits<double>::quiet_NaN();
  for (const int64_t target : group.epochs) {
    while (done < target && !reached_tol) {
      fit->epoch();
      if (control.stop_requested()) return outcome;
      ++done;
      if (!proves_gap(settings.method)) continue;
      if (done < target && !(settings.tol && is_report_point(settings, done, group.epochs.back()))) continue;
      const FitReport report = fit->evaluate();
      gap = report.relative_gap();
      reached_tol = has_reached_tol(settings, report);
    }
    const Parameters now = fit->parameters();
    if (!now.W.allFinite() || !now.A.allFinite())
      fail(Fault::input,
           "training diverged: W or A is not finite after {} epochs; larger train.lambda_w or "
           "train.lambda_a keep it in bounds",
           done);
    const Eigen::MatrixXd c = input.linear_terms(now, held_rows);
    std::map<std::string, std::pair<std::unique_ptr<Predictor>, Decoded>> decoded;
    for (size_t j = 0; j < group.cells.size(); ++j) {
      const CellPlan& cell = cells[group.cells[j]];
      const PredictSettings& rule = cell.settings.predict;
      if (!is_one_pass(cell.settings.train.method) && cell.settings.train.epochs != target) continue;
      outcome.cells[j].gap = gap;
      const ConditionalPredictor conditional(*cell.predict, now.A, seed, control);
      if (otherwise)
        outcome.cells[j].otherwise = conditional_answers(cell, conditional, c, outcome.known_otherwise, pool);
      if (is_conditional(cell)) {
        outcome.known = reveal(held_out.Y, share, reveal_seed, 0);
        static_cast<SplitOutcome::Answers&>(outcome.cells[j]) =
            conditional_answers(cell, conditional, c, outcome.known, pool);
        if (rule.threshold == ThresholdKind::direct_f1)
          outcome.cells[j].labels = label_by_direct_f1(input.targets(), held_rows.direct, train.labels(),
                                                       rule.min_labels.value_or(0));
        continue;
      }
      auto& [predictor, answers] = decoded[predictor_key(cell.settings)];
      if (!predictor) {
        predictor = std::make_unique<Predictor>(*cell.predict, now.A, seed, control);
        answers = predictor->decode(c, 0, pool);
      }
      if (rule.threshold == ThresholdKind::none)
        outcome.cells[j].labels =
            predictor->round(answers, 0, cell.threshold_on, rule.min_labels.value_or(0), pool);
      outcome.cells[j].ranking = as_the_rule_sees(rule, Predictor::ranking(answers, cell.threshold_on));
      if (rule.threshold == ThresholdKind::none && cell.threshold_on == ThresholdOn::u)
        rank_by_field(predictor->prior(), answers.scores, outcome.cells[j].ranking);
    }
  }
  // Decoders and roundings that were stopped gave what they had: no basis for a choice.
  outcome.complete = !control.stop_requested();
  return outcome;
}

}  // namespace concord
