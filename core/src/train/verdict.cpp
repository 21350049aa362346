// SPDX-License-Identifier: MIT
#include "train/verdict.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "train/checkpoint.hpp"
#include "train/fit.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = 2;  // standard errors

CellPlan without_prior(CellPlan plan) {
  plan.train.prior = PriorSign::none;
  plan.train.diagonal = false;
  plan.train.settings.prior = plan.settings.train.prior = plan.train.prior;
  plan.train.settings.diagonal = plan.settings.train.diagonal = plan.train.diagonal;
  std::erase_if(plan.chosen, [](const auto& choice) {
    return choice.first == "train.prior" || choice.first == "train.lambda_a";
  });
  return plan;
}

/// One-versus-rest for a cell, with its features and its rule. A tuned threshold takes the place of a rounding, and of a
/// fixed threshold, which is one for other scores.
std::vector<GridPoint> one_versus_rest_for(const Settings& settings) {
  std::vector<GridPoint> grid;
  for (const double lambda : {1e-4, 1e-3, 1e-2, 1e-1})
    for (const double bias : kOvrBiases) {
      GridPoint point{
          settings,
          {{"train.lambda_w", fmt::format("{}", lambda)}, {"preprocess.bias", fmt::format("{}", bias)}}};
      TrainSettings& train = point.settings.train;
      train = TrainSettings();
      train.method = Method::ovr;
      train.lambda_w = lambda;
      train.known = settings.train.known;
      point.settings.preprocess.bias = bias;
      point.settings.preprocess.features.reset();
      PredictSettings& rule = point.settings.predict;
      if (!is_tuned(rule.threshold)) rule.threshold = ThresholdKind::tuned;
      rule.threshold_value = 0;
      rule.threshold_on = ThresholdOn::scores;
      rule.decoder.reset();
      rule.rounding.clear();
      grid.push_back(std::move(point));
    }
  return grid;
}

/// Cells among which one side chooses.
class Side {
 public:
  void add(const CellPlan& plan, const CellResult& result) {
    plans_.push_back(&plan);
    results_.push_back(&result);
  }

  /// To be called when all cells are there.
  void choose(const LabelMetric& metric) {
    std::vector<const Eigen::VectorXd*> losses;
    for (const CellResult* result : results_) losses.push_back(&result->losses);
    chosen_ = choose_across(losses);
    for (size_t c = 1; c < results_.size(); ++c)
      if (metric.is_better(results_[c]->value, results_[best_]->value)) best_ = c;
  }

  const CellPlan& plan() const { return *plans_[best_]; }
  const HeldOutLosses& best(bool otherwise) const { return measured(best_, otherwise); }

  /// Checkpoints of older versions lack what was measured otherwise.
  bool has_otherwise() const {
    return std::all_of(results_.begin(), results_.end(),
                       [](const CellResult* result) { return result->otherwise.has_value(); });
  }

  /// Of each instance, by the cell that others chose for it.
  Eigen::VectorXd losses(bool otherwise) const {
    Eigen::VectorXd all = best(otherwise).losses;
    for (size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i] >= 0)
        all(static_cast<int64_t>(i)) =
            measured(static_cast<size_t>(chosen_[i]), otherwise).losses(static_cast<int64_t>(i));
    return all;
  }

  /// The largest of the cells that were chosen, if their methods prove one; else NaN.
  double gap() const {
    std::set<size_t> asked = {best_};
    for (const int c : chosen_)
      if (c >= 0) asked.insert(static_cast<size_t>(c));
    double largest = std::numeric_limits<double>::quiet_NaN();
    for (const size_t c : asked) {
      if (!proves_gap(plans_[c]->settings.train.method)) continue;
      const double gap = results_[c]->gap;  // NaN: a checkpoint of version 0.1 has none
      if (!(gap <= largest)) largest = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
    }
    return largest;
  }

 private:
  const HeldOutLosses& measured(size_t cell, bool otherwise) const {
    return otherwise ? *results_[cell]->otherwise : *results_[cell];
  }

  std::vector<const CellPlan*> plans_;
  std::vector<const CellResult*> results_;
  std::vector<int> chosen_;
  size_t best_ = 0;
};

/// One side against another on the same instances; values are those of the choice across instances where the metric is a
/// mean over them.
struct Paired {
  double value, other, difference, error;
  /// Below 0: the first side is better. Within the interval of the error: 0.
  int sign;

  Paired(const Side& side, const Side& opponent, const LabelMetric& metric, bool otherwise) {
    const Eigen::VectorXd mine = side.losses(otherwise), its = opponent.losses(otherwise);
    const MeanWithError found = mean_with_error(mine - its);
    // An error of 0 is that of a single instance.
    const bool significant = found.error > 0 && std::abs(found.mean) > kSignificant * found.error;
    sign = !significant ? 0 : found.mean < 0 ? -1 : 1;
    error = found.error;
    difference = found.mean;
    value = side.best(otherwise).value;
    other = opponent.best(otherwise).value;
    if (!metric.is_example_mean()) return;
    const auto in_terms_of_metric = [&](double loss) { return metric.is_loss() ? loss : 1 - loss; };
    value = in_terms_of_metric(mean_with_error(mine).mean);
    other = in_terms_of_metric(mean_with_error(its).mean);
    if (!metric.is_loss()) difference = -difference;
  }
};

struct Sides {
  Side with, without, rest;
};

/// The figures with the labels known that validation reveals, or otherwise.
Json figures(const Sides& sides, const LabelMetric& metric, bool closed, bool otherwise) {
  const Paired pair(sides.with, sides.without, metric, otherwise);
  const Paired rest(sides.with, sides.rest, metric, otherwise);
  const auto name = [&](int sign, const char* other) {
    return sign == 0 || !closed ? "neither" : sign < 0 ? "with" : other;
  };
  // A prior that makes up for what the decoder lacks, and not for what the labels share, is no gain.
  const bool made_up = pair.sign < 0 && rest.sign > 0;
  const char* const why = !closed          ? "fits have not converged"
                          : made_up        ? "one-versus-rest is better"
                          : pair.sign == 0 ? "the difference is within two standard errors"
                                           : nullptr;
  return {{"with", number_or_null(pair.value)},
          {"without", number_or_null(pair.other)},
          {"better", made_up ? "neither" : name(pair.sign, "without")},
          {"why", why != nullptr ? Json(why) : Json()},
          {"difference", number_or_null(pair.difference)},
          {"error", number_or_null(pair.error)},
          {"interval",
           {number_or_null(pair.difference - kSignificant * pair.error),
            number_or_null(pair.difference + kSignificant * pair.error)}},
          {"ovr",
           {{"value", number_or_null(rest.other)},
            {"better", name(rest.sign, "ovr")},
            {"difference", number_or_null(rest.difference)},
            {"error", number_or_null(rest.error)}}}};
}

}  // namespace

std::vector<CellPlan> twins_of(const std::vector<CellPlan>& cells) {
  std::set<std::string> there;
  for (const CellPlan& cell : cells)
    if (cell.train.prior == PriorSign::none) there.insert(identity_of(cell));
  std::vector<CellPlan> twins;
  for (const CellPlan& cell : cells) {
    if (cell.train.prior == PriorSign::none) continue;
    CellPlan twin = without_prior(cell);
    if (there.insert(identity_of(twin)).second) twins.push_back(std::move(twin));
  }
  return twins;
}

Opponents opponents_of(Registry& registry, const std::vector<CellPlan>& cells) {
  const SelectSettings& select = cells.front().settings.select;
  if (select.folds == 0 && select.holdout == 0) return {};
  Opponents opponents{twins_of(cells), 0};
  opponents.twins = opponents.cells.size();
  std::vector<GridPoint> rest;
  std::set<std::string> seen;
  for (const CellPlan& cell : cells) {
    if (cell.train.prior == PriorSign::none) continue;
    for (GridPoint& point : one_versus_rest_for(cell.settings))
      if (seen.insert(settings_json(point.settings).dump()).second) rest.push_back(std::move(point));
  }
  if (rest.empty()) return opponents;
  for (CellPlan& plan : plan_cells(registry, rest)) opponents.cells.push_back(std::move(plan));
  return opponents;
}

std::vector<int> choose_across(const std::vector<const Eigen::VectorXd*>& losses) {
  constexpr int kParts = 10;
  const Eigen::VectorXd& first = *losses.front();
  std::vector<int> part(static_cast<size_t>(first.size()), -1);
  int held_out = 0;
  for (int64_t i = 0; i < first.size(); ++i)
    if (!std::isnan(first(i))) part[static_cast<size_t>(i)] = held_out++ % kParts;
  std::vector<int> chosen(part.size(), -1);
  for (int p = 0; p < kParts; ++p) {
    int best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < losses.size(); ++c) {
      double sum = 0;
      for (size_t i = 0; i < part.size(); ++i)
        if (part[i] >= 0 && part[i] != p) sum += (*losses[c])(static_cast<int64_t>(i));
      if (!(sum < smallest)) continue;
      smallest = sum;
      best = static_cast<int>(c);
    }
    for (size_t i = 0; i < part.size(); ++i)
      if (part[i] == p) chosen[i] = best;
  }
  return chosen;
}

Json prior_verdict(const std::vector<CellPlan>& cells, const std::vector<std::optional<CellResult>>& results,
                   const Opponents& opponents, const std::vector<std::optional<CellResult>>& opposed,
                   size_t winner) {
  const LabelMetric& metric = *cells.front().metric;
  Sides sides;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].settings.train.method == Method::ovr) continue;
    (cells[c].train.prior == PriorSign::none ? sides.without : sides.with).add(cells[c], *results[c]);
  }
  for (size_t c = 0; c < opponents.cells.size(); ++c)
    (c < opponents.twins ? sides.without : sides.rest).add(opponents.cells[c], *opposed[c]);
  for (Side* side : {&sides.with, &sides.without, &sides.rest}) side->choose(metric);

  const double with_gap = sides.with.gap(), without_gap = sides.without.gap();
  const auto is_open = [](double gap) { return gap > kOpenGap; };
  const bool closed = !is_open(with_gap) && !is_open(without_gap);
  Json verdict = {{"measured", true},
                  {"metric", metric.name()},
                  {"paired_on", metric.is_example_mean() ? metric.name() : "example-f1-loss"}};
  const std::optional<double> known = cells.front().settings.train.known;
  if (known.value_or(0) > 0) verdict["known"] = *known;
  verdict.update(figures(sides, metric, closed, false));
  if (sides.with.has_otherwise() && sides.without.has_otherwise() && sides.rest.has_otherwise())
    verdict[known.value_or(0) > 0 ? "nothing_known" : "half_known"] = figures(sides, metric, closed, true);
  verdict["converged"] = std::isnan(with_gap) && std::isnan(without_gap) ? Json() : Json(closed);
  verdict["gaps"] = {{"with", number_or_null(with_gap)}, {"without", number_or_null(without_gap)}};
  verdict["selected"] = cells[winner].train.prior == PriorSign::none ? "without" : "with";
  verdict["chosen"] = {{"with", chosen_json(sides.with.plan())},
                       {"without", chosen_json(sides.without.plan())},
                       {"ovr", chosen_json(sides.rest.plan())}};
  return verdict;
}

}  // namespace concord
