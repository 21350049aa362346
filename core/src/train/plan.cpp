// SPDX-License-Identifier: MIT
#include "train/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "data/scores.hpp"
#include "predict/conditional.hpp"
#include "solve/family.hpp"
#include "solve/loss.hpp"

namespace concord {
namespace {

const char* prior_class_name(int32_t prior) {
  return prior == CONCORD_PRIOR_ZERO ? "none" : prior == CONCORD_PRIOR_ATTRACTIVE ? "attractive" : "any";
}

/// Which priors the decoder can be trained with.
bool takes(const Plugin& decoder, PriorSign prior) {
  const int32_t widest = decoder.capabilities().prior;
  if (prior == PriorSign::none || widest == CONCORD_PRIOR_ANY) return true;
  return prior == PriorSign::attractive && widest == CONCORD_PRIOR_ATTRACTIVE;
}

void plan_training(Registry& registry, CellPlan& plan, ErrorList& errors) {
  TrainSettings& settings = plan.settings.train;
  if (settings.method == Method::ovr) {
    settings.prior = PriorSign::none;
    settings.diagonal = false;
    plan.train = {settings, nullptr, nullptr, PriorSign::none, false};
    return;
  }
  if (settings.method == Method::likelihood) {
    settings.prior = settings.prior.value_or(PriorSign::any);
    settings.diagonal = false;
    if (plan.settings.scores.any())
      plan.settings.preprocess.features = false;  // bases are all that it weighs
    plan.train = {settings, nullptr, nullptr, *settings.prior, false};
    return;
  }
  auto decoder = bind_plugin(registry, CONCORD_DECODER, settings.decoder, errors);
  auto loss = bind_plugin(registry, CONCORD_LOSS, settings.loss, errors);
  if (!decoder || !loss) return;
  const Plugin& plugin = *decoder->plugin;
  const int32_t widest = plugin.capabilities().prior;
  if (!settings.prior)
    settings.prior = widest == CONCORD_PRIOR_ZERO         ? PriorSign::none
                     : widest == CONCORD_PRIOR_ATTRACTIVE ? PriorSign::attractive
                                                          : PriorSign::any;
  if (!takes(plugin, *settings.prior))
    errors.add(Fault::input,
               fmt::format(
                   "train.prior = \"{}\": {} takes the priors \"none\"{} only", name_of(*settings.prior),
                   plugin.id(),
                   widest == CONCORD_PRIOR_ZERO ? "" : fmt::format(" and \"{}\"", prior_class_name(widest))));
  const bool can_learn_diagonal = plugin.has(CONCORD_USES_DIAGONAL) && *settings.prior != PriorSign::none;
  if (settings.diagonal.value_or(false) && !can_learn_diagonal)
    errors.add(Fault::input,
               fmt::format("train.diagonal = true: {}",
                           *settings.prior == PriorSign::none
                               ? "there is no prior to learn it for (train.prior is \"none\")"
                               : plugin.id() +
                                     " makes no use of a diagonal (its capability uses_diagonal is false)"));
  settings.diagonal = settings.diagonal.value_or(can_learn_diagonal);
  plan.train = {settings, std::make_shared<BoundPlugin>(std::move(*decoder)),
                std::make_shared<BoundPlugin>(std::move(*loss)), *settings.prior, *settings.diagonal};
}

void plan_prediction_of(Registry& registry, CellPlan& plan, ErrorList& errors) {
  Settings& settings = plan.settings;
  settings.predict.decoder = decoder_of_prediction(settings);
  errors.attempt([&] {
    plan.predict = std::make_shared<const SolvePlan>(plan_prediction(registry, settings, errors));
    if (!errors.empty()) return;
    const Plugin& decoder = *plan.predict->decoder.plugin;
    if (!takes(decoder, plan.train.prior))
      errors.add(Fault::input, fmt::format("predict.decoder: {} cannot take a prior of sign \"{}\"",
                                           decoder.id(), name_of(plan.train.prior)));
  });
  errors.attempt([&] { plan.metric = std::make_shared<LabelMetric>(registry, settings.select.metric); });
  plan.threshold_on = effective_threshold_on(settings, plan.train.prior != PriorSign::none);
  settings.predict.threshold_on = plan.threshold_on;
  const bool validated = settings.select.folds > 0 || settings.select.holdout > 0;
  const auto kind = settings.predict.threshold;
  if (!validated && is_tuned(kind))
    errors.add(
        Fault::input,
        fmt::format("predict.threshold = \"{}\" needs validation, and select.holdout = 0 asks for none",
                    name_of(kind)));
}

void require_labels(const Plugin& plugin, int64_t labels) {
  const int64_t most = plugin.capabilities().max_labels;
  if (most > 0 && labels > most)
    fail(Fault::input, About{"", plugin.id()}, "{} takes at most {} labels, and the data have {}",
         plugin.id(), most, labels);
}

}  // namespace

void join_scores(std::vector<GridPoint>& cells, Dataset& train) {
  const ScoreSettings& scores = cells.front().settings.scores;  // no grid
  if (scores.file.empty()) return;
  if (scores.given)
    fail(Fault::input, About{"", "scores.given"},
         "scores.given is {}, and scores.file says itself how many bases it has", *scores.given);
  const int64_t given = append_scores(train, scores.file);
  for (GridPoint& cell : cells) cell.settings.scores.given = given;
}

std::vector<CellPlan> plan_cells(Registry& registry, const std::vector<GridPoint>& cells) {
  std::vector<CellPlan> plans;
  ErrorList all;
  std::vector<std::string> said;
  std::set<std::string> without_lambda_a;  // identities of the cells with A = 0
  for (const GridPoint& cell : cells) {
    CellPlan plan{cell.settings, cell.chosen, {}, nullptr};
    ErrorList errors;
    plan_training(registry, plan, errors);
    if (errors.empty()) plan_prediction_of(registry, plan, errors);
    for (const Error& error : errors.all())  // the cells of a grid share most of their faults
      if (std::find(said.begin(), said.end(), error.what()) == said.end()) {
        said.emplace_back(error.what());
        all.add(error);
      }
    if (plan.train.prior == PriorSign::none) {
      std::erase_if(plan.chosen, [](const auto& choice) { return choice.first == "train.lambda_a"; });
      if (errors.empty() && !without_lambda_a.insert(identity_of(plan)).second) continue;
    }
    plans.push_back(std::move(plan));
  }
  const SelectSettings& select = cells.front().settings.select;
  if (cells.size() > 1 && select.folds == 0 && select.holdout == 0)
    all.add(Fault::input,
            fmt::format("the config is a grid of {} cells, and select.holdout = 0 leaves nothing to "
                        "choose by; set select.folds or select.holdout",
                        cells.size()));
  all.throw_if_any();
  return plans;
}

std::optional<ChosenScale> choose_scale(std::vector<CellPlan>& cells, const Dataset& train) {
  std::optional<ChosenScale> chosen;
  for (CellPlan& cell : cells) {
    if (cell.settings.preprocess.scale) continue;
    const int64_t given = cell.settings.scores.given.value_or(0) * train.labels();  // no grid
    if (!chosen) chosen = scale_for(facts_of(train, std::min(given, train.features())));
    cell.settings.preprocess.scale = chosen->scale;
  }
  return chosen;
}

std::string identity_of(const CellPlan& plan) {
  auto json = settings_json(plan.settings);
  if (plan.train.prior == PriorSign::none) json["train"].erase("lambda_a");
  return json.dump();
}

int32_t widest_rows(const BoundPlugin& chosen, const LabelMatrix& Y, const RunControl& control) {
  Loss loss(*chosen.plugin, chosen.options, control);
  loss.prepare(Y.rows(), Y.cols(), positives_per_label(Y));
  int32_t widest = CONCORD_CONSTRAINTS_NONE;
  if (loss.row_count() == 0) return widest;
  for (int64_t i = 0; i < Y.cols() && widest != CONCORD_CONSTRAINTS_ROWS; ++i)
    if (const int32_t rows = class_of_rows(loss.describe(Y.col(i))); !covers(widest, rows)) widest = rows;
  return widest;
}

std::vector<const BoundPlugin*> CellPlan::plugins() const {
  std::vector<const BoundPlugin*> all;
  if (train.decoder) all.push_back(train.decoder.get());
  if (train.loss) all.push_back(train.loss.get());
  all.push_back(&predict->decoder);
  for (const BoundPlugin& part : predict->rounding) all.push_back(&part);
  if (metric->plugin() != nullptr) all.push_back(metric->plugin());
  return all;
}

void require_rows(const Plugin& decoder, const Plugin& loss, int32_t needed) {
  const int32_t can = decoder.capabilities().constraints;
  if (covers(can, needed)) return;
  fail(Fault::input,
       "{} cannot be trained with {}: the loss needs {}, and the decoder {} (its capability constraints)",
       decoder.id(), loss.id(), rows_of_class(needed), takes_of_class(can));
}

void require_data(std::vector<CellPlan>& cells, const Dataset& train, const RunControl& control) {
  if (train.instances() == 0 || train.labels() == 0) fail(Fault::input, "there is nothing to train on");
  if (!cells.front().settings.scores.file.empty() && !cells.front().settings.scores.given)
    fail(Fault::input, About{"", "scores.file"},
         "scores.file has no use here: the scores of other data than the training data cannot be named");
  if (const int64_t columns = cells.front().settings.scores.given.value_or(0) * train.labels();
      columns > train.features())
    fail(Fault::input, About{"", "scores.given"},
         "scores.given = {} takes {} columns of scores, and the data have {} features",
         *cells.front().settings.scores.given, columns, train.features());
  if (const double known = cells.front().settings.train.known.value_or(0);
      known > 0 && revealed_labels(known, train.labels()) >= train.labels())
    fail(Fault::input, About{"", "train.known"},
         "train.known = {} reveals all of the {} labels, which leaves nothing to measure", known,
         train.labels());
  if (const MissingColumn lack = first_missing(train.X); lack.columns > 0)
    for (const CellPlan& cell : cells)
      if (!cell.settings.preprocess.missing)
        fail(Fault::input,
             About{"", "preprocess.missing",
                   "preprocess.missing = \"mean\", \"most-frequent\" or \"indicator\" says how to fill them"},
             "{} of the {} rows lack feature {}{}", lack.count, train.instances(),
             train.feature_names.empty() ? std::to_string(lack.column)
                                         : quote(train.feature_names[static_cast<size_t>(lack.column)]),
             lack.columns > 1 ? fmt::format(", and {} more features are missing in some", lack.columns - 1)
                              : "");
  cells.front().metric->require(train.Y);  // no grid
  const bool has_empty = (train.Y > 0).colwise().any().all() == false;
  for (CellPlan& cell : cells) {
    std::optional<int64_t>& least = cell.settings.predict.min_labels;
    const ThresholdKind rule = cell.settings.predict.threshold;
    const bool by_f1 = rule == ThresholdKind::expected_f1 || rule == ThresholdKind::direct_f1;
    if (!least) least = by_f1 && !has_empty ? 1 : 0;
    if (cell.train.decoder) require_labels(*cell.train.decoder->plugin, train.labels());
    require_labels(*cell.predict->decoder.plugin, train.labels());
  }
  std::map<std::string, int32_t> known;  // cells of a grid share losses and faults
  ErrorList errors;
  std::set<std::string> said;
  for (CellPlan& cell : cells) {
    if (!cell.train.loss) continue;
    std::string loss = cell.train.loss->plugin->id();
    for (size_t i = 0; i < cell.train.loss->options.records().size(); ++i)
      loss += '\n' + cell.train.loss->options.text(i);
    if (!known.contains(loss)) known[loss] = widest_rows(*cell.train.loss, train.Y, control);
    const Plugin& decoder = *cell.train.decoder->plugin;
    if (said.insert(decoder.id() + loss).second)
      errors.attempt([&] { require_rows(decoder, *cell.train.loss->plugin, known[loss]); });
  }
  errors.throw_if_any();
}

}  // namespace concord
