// SPDX-License-Identifier: MIT
#include "predict/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <concord/kit/conventions.hpp>
#include <concord/kit/rng.hpp>

#include "predict/rules.hpp"
#include "solve/known.hpp"
#include "solve/pipeline.hpp"

namespace concord {
namespace {

std::string name_of_feature(const Model& model, int64_t j) {
  if (j == model.preprocess.seen()) return "(constant)";
  return model.feature_names.empty() ? "x" + std::to_string(j + 1)
                                     : model.feature_names[static_cast<size_t>(j)];
}

std::vector<std::string> base_names(const Bases& bases) {
  std::vector<std::string> names;
  if (bases.waves.beta.size() > 0)
    names.push_back(fmt::format("(ridge on {} random Fourier features)", bases.waves.waves.phases.size()));
  for (const KernelRidge& base : bases.kernels)
    names.emplace_back(base.kernel == Kernel::rbf ? "(kernel ridge, rbf)" : "(kernel ridge, laplace)");
  if (bases.W.size() > 0) names.emplace_back("(one-versus-rest)");
  for (int64_t m = 0; m < bases.given; ++m)
    names.push_back(bases.given == 1 ? "(scores of the file)"
                                     : fmt::format("(scores of the file, {})", m + 1));
  return names;
}

/// The largest first, without zeros. The order of equals is that of the sum.
void put_in_order(std::vector<Contribution>& parts) {
  std::erase_if(parts, [](const Contribution& part) { return part.amount == 0; });
  std::stable_sort(parts.begin(), parts.end(), [](const Contribution& a, const Contribution& b) {
    return std::abs(a.amount) > std::abs(b.amount);
  });
}

/// What the scores of one instance are made of: features, and bases of scores.
void add_parts(const Model& model, const Features& x, std::vector<LabelReasons>& reasons) {
  const auto for_labels = [&](const auto& contribution) {
    for (int64_t v = 0; v < model.labels(); ++v)
      reasons[static_cast<size_t>(v)].parts.push_back(contribution(v));
  };
  const Features seen = model.preprocess.apply(x);
  if (model.preprocess.waves.frequencies.size() > 0) {  // a wave is a mixture of all features
    const int64_t waves = model.preprocess.seen();
    const Eigen::VectorXd sum = (seen.dense().leftCols(waves) * model.W.topRows(waves)).transpose();
    for_labels([&](int64_t v) {
      return Contribution{fmt::format("({} random Fourier features)", waves), sum(v)};
    });
    if (seen.columns() > waves)
      for_labels([&](int64_t v) {
        return Contribution{"(constant)", seen.dense()(0, waves) * model.W(waves, v)};
      });
  } else {
    seen.for_row(0, [&](int64_t j, double value) {
      for_labels([&](int64_t v) {
        return Contribution{name_of_feature(model, j), value * model.W(j, v), value};
      });
    });
  }
  if (!model.bases.empty()) {
    const auto scores =
        base_scores(model.bases, model.preprocess.scaled(x), model.preprocess.given_scores(x), nullptr);
    const std::vector<std::string> names = base_names(model.bases);
    for (size_t m = 0; m < scores.size(); ++m)
      for_labels([&](int64_t v) {
        return Contribution{names[m], model.bases.weights(static_cast<int64_t>(m)) * scores[m](v, 0)};
      });
    for_labels([&](int64_t v) { return Contribution{"(offset of the label)", model.bases.offsets(v)}; });
  }
  for (LabelReasons& label : reasons) put_in_order(label.parts);
}

void add_pulls(const Model& model, const LabelVector& labels, std::vector<LabelReasons>& reasons) {
  for (int64_t v = 0; v < model.labels(); ++v) {
    LabelReasons& label = reasons[static_cast<size_t>(v)];
    for (int64_t w = 0; w < model.labels(); ++w)
      if (w != v)
        label.pulls.push_back({model.label_names[static_cast<size_t>(w)], -2 * model.A(v, w) * labels(w)});
    label.prior = std::accumulate(label.pulls.begin(), label.pulls.end(), 0.0,
                                  [](double sum, const Contribution& pull) { return sum + pull.amount; });
    put_in_order(label.pulls);
  }
}

/// Labellings of one instance, of which some labels are given.
class Alternatives {
 public:
  Alternatives(const Model& model, const SolvePlan& plan, Eigen::VectorXd c, uint64_t seed,
               const RunControl& control)
      : A_(prior_of(model.A)),
        plan_(plan),
        whole_{std::move(c), std::nullopt, seed, nullptr},
        control_(control) {}

  double objective(const LabelVector& labels) const {
    const Eigen::VectorXd u = labels.cast<double>();
    return u.dot(whole_.c) - A_.quadratic(u);
  }

  struct Best {
    LabelVector labels;
    double value, bound;
  };
  /// By decoder and rounding.
  Best best(const LabelVector& given) const {
    const std::vector<int64_t> unknown = unknown_labels(given);
    if (unknown.empty()) return {given, objective(given), objective(given)};
    const ReducedProblem rest = reduced(A_, whole_, given, unknown);
    const Pipeline pipeline(plan_, restricted(A_, unknown), false, control_);
    const Pipeline::Solved solved = std::move(pipeline.solve(std::array{rest.instance}).front());
    LabelVector labels = given;
    labels(unknown) = solved.labelled.labels;
    return {labels, solved.labelled.value + rest.constant, solved.bound + rest.constant};
  }

 private:
  PriorMatrix A_;
  const SolvePlan& plan_;
  Instance whole_;
  RunControl control_;
};

/// What chooses the runner-up: the prediction, and what the rule makes it from.
struct Ruled {
  const Model& model;
  const LabelVector& labels;
  const LabelVector& known;
  const std::vector<LabelReasons>& reasons;

  int64_t least() const { return model.settings.predict.min_labels.value_or(0); }
  /// Whether the rule lets the label change by itself.
  bool may_change(int64_t v) const {
    return known(v) == 0 && (labels(v) < 0 || (labels > 0).count() > least());
  }
  LabelVector changed(int64_t v) const {
    LabelVector other = labels;
    other(v) = static_cast<int8_t>(-other(v));
    return other;
  }
  Eigen::VectorXd ranking() const {
    Eigen::VectorXd all(model.labels());
    for (int64_t v = 0; v < all.size(); ++v) all(v) = reasons[static_cast<size_t>(v)].ranking;
    return all;
  }
};

/// The best labelling that differs in some label: it has the other value of at least one.
std::optional<RunnerUp> by_objective(const Ruled& rule, const Alternatives& alternatives,
                                     const RunControl& control) {
  Eigen::VectorXd gain =
      Eigen::VectorXd::Constant(rule.labels.size(), -std::numeric_limits<double>::infinity());
  for (int64_t v = 0; v < gain.size(); ++v)
    if (rule.known(v) == 0)
      gain(v) = -2.0 * rule.labels(v) *
                (rule.reasons[static_cast<size_t>(v)].score + rule.reasons[static_cast<size_t>(v)].prior);
  std::optional<Alternatives::Best> found;
  size_t tried = 0;
  for (const int64_t v : kit::descending(gain)) {
    if (rule.known(v) != 0 || tried++ == kRivals) break;
    if (control.stop_requested()) fail(Fault::interrupted, "interrupted");
    LabelVector given = rule.known;
    given(v) = static_cast<int8_t>(-rule.labels(v));
    Alternatives::Best other = alternatives.best(given);
    if ((other.labels > 0).count() >= rule.least() && (!found || other.value > found->value))
      found = std::move(other);
  }
  if (!found) return std::nullopt;
  return RunnerUp{found->labels, alternatives.objective(rule.labels) - found->value, RuleMeasure::objective};
}

/// The labelling with one label changed whose number is nearest to its threshold.
std::optional<RunnerUp> by_threshold(const Ruled& rule) {
  std::optional<int64_t> nearest;
  const auto distance = [&](int64_t v) {
    const Eigen::VectorXd& levels = rule.model.thresholds;
    return std::abs(rule.reasons[static_cast<size_t>(v)].ranking - levels(levels.size() == 1 ? 0 : v));
  };
  for (int64_t v = 0; v < rule.labels.size(); ++v)
    if (rule.may_change(v) && (!nearest || distance(v) < distance(*nearest))) nearest = v;
  if (!nearest) return std::nullopt;
  return RunnerUp{rule.changed(*nearest), distance(*nearest), RuleMeasure::threshold_distance};
}

/// The second best number of labels, which are the likeliest.
std::optional<RunnerUp> by_expected_f1(const Ruled& rule) {
  const RankedByF1 ranked = rank_by_expected_f1(rule.ranking(), rule.model.thresholds);
  const int64_t have = (rule.known > 0).count(), chosen = (rule.labels > 0).count() - have;
  const auto expected = [&](int64_t k) { return ranked.expected[static_cast<size_t>(k)]; };
  std::optional<int64_t> next;
  for (int64_t k = std::max<int64_t>(0, rule.least() - have); k <= (rule.known == 0).count(); ++k)
    if (k != chosen && (!next || expected(k) > expected(*next))) next = k;
  if (!next) return std::nullopt;
  LabelVector labels = (rule.known == 0).select(LabelVector::Constant(rule.labels.size(), -1), rule.known);
  for (int64_t r = 0; r < *next; ++r) labels(ranked.order[static_cast<size_t>(r)]) = 1;
  return RunnerUp{labels, expected(chosen) - expected(*next), RuleMeasure::expected_f1};
}

}  // namespace

const char* name_of(RuleMeasure measure) {
  switch (measure) {
    case RuleMeasure::objective:
      return "objective";
    case RuleMeasure::threshold_distance:
      return "threshold-distance";
    case RuleMeasure::expected_f1:
      return "expected-f1";
  }
  return "";
}

Model without_prior(const Model& model) {
  Model bare = model;
  bare.A.setZero();
  bare.settings.predict.threshold_on = effective_threshold_on(model.settings, model.has_prior());
  return bare;
}

Explanation explain(const Model& model, const SolvePlan& plan, const ExplainedBlock& block, int64_t row,
                    uint64_t seed, const RunControl& control) {
  const auto predicted = [&](const Model& which) {
    ModelPredictor predictor(which, plan, seed, control, 1);
    return (block.known != 0).any() ? predictor.predict(block.X, block.known, block.first)
                                    : predictor.predict(block.X, block.first);
  };
  const Prediction prediction = predicted(model);

  Explanation found;
  found.labels = prediction.labels.col(row);
  found.without_prior =
      model.has_prior() ? LabelVector(predicted(without_prior(model)).labels.col(row)) : found.labels;
  const Eigen::VectorXd c = problem_scores(model, block.X).col(row);
  const Eigen::VectorXd& levels = model.thresholds;
  const bool has_levels = levels.size() > 0 && model.settings.predict.threshold != ThresholdKind::expected_f1;
  found.reasons.resize(static_cast<size_t>(model.labels()));
  for (int64_t v = 0; v < model.labels(); ++v) {
    found.reasons[static_cast<size_t>(v)].score = c(v);
    found.reasons[static_cast<size_t>(v)].ranking = prediction.ranking(v, row);
    if (has_levels) found.reasons[static_cast<size_t>(v)].threshold = levels(levels.size() == 1 ? 0 : v);
  }
  const std::array<int64_t, 1> this_row{row};
  add_parts(model, block.X.select(this_row), found.reasons);
  add_pulls(model, found.labels, found.reasons);

  const Alternatives alternatives(model, plan, c, kit::derive(seed, static_cast<uint64_t>(block.first + row)),
                                  control);
  const LabelVector known = block.known.col(row);
  found.objective = alternatives.objective(found.labels);
  found.bound = alternatives.best(known).bound;
  const Ruled rule{model, found.labels, known, found.reasons};
  if (model.settings.predict.threshold == ThresholdKind::direct_f1) return found;
  found.runner_up = model.rounds() ? by_objective(rule, alternatives, control)
                    : model.settings.predict.threshold == ThresholdKind::expected_f1 ? by_expected_f1(rule)
                                                                                     : by_threshold(rule);
  return found;
}

}  // namespace concord
