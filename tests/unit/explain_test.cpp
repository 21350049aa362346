// SPDX-License-Identifier: MIT
// Explanations: sums that add up, and runner-ups against enumeration.
#include "predict/explain.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "model_support.hpp"
#include "predict/rules.hpp"
#include "support.hpp"

namespace concord::explain_test {

using namespace concord::test;

namespace {

constexpr int64_t kRows = 3;

SolvePlan exhaustive_plan(const Model& model) {
  ErrorList errors;
  Settings settings = model.settings;
  settings.predict.decoder = PluginSpec{"exhaustive", {}, "the test"};
  SolvePlan plan = plan_prediction(builtin(), settings, errors);
  errors.throw_if_any();
  return plan;
}

KnownLabels some_known(kit::Rng& rng, int64_t V, bool any) {
  KnownLabels known = KnownLabels::Zero(V, kRows);
  if (any)
    for (int8_t& label : known.reshaped())
      if (rng.uniform() < 0.3) label = rng.uniform() < 0.5 ? 1 : -1;
  return known;
}

double sum_of(const std::vector<Contribution>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Contribution& part) { return sum + part.amount; });
}

bool agrees(const LabelVector& labels, const LabelVector& known) {
  return (known == 0 || labels == known).all();
}

}  // namespace

TEST_CASE("explain: sums add up, and the runner-up of a rounding is the second best labelling") {
  kit::Rng rng(71);
  for (int trial = 0; trial < 200; ++trial) {
    const int64_t V = 2 + static_cast<int64_t>(rng.below(5)), d = 3;
    Model model = random_model(rng, d, V, trial % 3 == 0 ? Coupling::with_diagonal : Coupling::weak);
    if (trial % 4 == 0) model.settings.predict.min_labels = 1;
    const Features X = random_features(rng, kRows, d, trial % 2 == 0);
    const KnownLabels known = some_known(rng, V, trial % 5 == 0);
    const SolvePlan plan = exhaustive_plan(model);
    const int64_t row = trial % kRows;
    const Explanation why = explain(model, plan, {X, known, 64}, row, 3, {});

    ModelPredictor predictor(model, plan, 3, {}, 1);
    CHECK((why.labels == predictor.predict(X, known, 64).labels.col(row)).all());
    CanonicalProblem problem{PriorMatrix(model.A), problem_scores(model, X).col(row), std::nullopt};
    CHECK(why.objective == Approx(problem.value(why.labels.cast<double>().matrix())));
    double best = -1e300, second = -1e300;
    for_all_labellings(problem, [&](const LabelVector& y, double value) {
      if (!agrees(y, known.col(row))) return;
      best = std::max(best, value);
      const bool allowed = (y > 0).count() >= model.settings.predict.min_labels.value_or(0);
      if (allowed && (y != why.labels).any()) second = std::max(second, value);
    });
    CHECK(why.bound >= best - 1e-9);
    CHECK(why.bound == Approx(best));
    if (second > -1e300) {
      REQUIRE(why.runner_up);
      CHECK(why.runner_up->measure == RuleMeasure::objective);
      CHECK(agrees(why.runner_up->labels, known.col(row)));
      // A labelling that min_labels would fill is not asked for: a worse one may then be the best found.
      if (!model.settings.predict.min_labels)
        CHECK(why.objective - why.runner_up->difference == Approx(second).margin(1e-9));
      else
        CHECK(why.objective - why.runner_up->difference <= second + 1e-9);
      CHECK((why.runner_up->labels > 0).count() >= model.settings.predict.min_labels.value_or(0));
    }
    for (int64_t v = 0; v < V; ++v) {
      const LabelReasons& reasons = why.reasons[static_cast<size_t>(v)];
      CHECK(sum_of(reasons.parts) == Approx(reasons.score).margin(1e-12));
      CHECK(sum_of(reasons.pulls) == Approx(reasons.prior).margin(1e-12));
      // What the label counts for: the objective falls by twice that when the label alone changes.
      LabelVector changed = why.labels;
      changed(v) = static_cast<int8_t>(-changed(v));
      CHECK(why.objective - problem.value(changed.cast<double>().matrix()) ==
            Approx(2 * why.labels(v) * (reasons.score + reasons.prior)).margin(1e-9));
    }
  }
}

TEST_CASE("explain: what the prior changed, by the same rule with A = 0") {
  kit::Rng rng(72);
  int64_t changed = 0;
  for (int trial = 0; trial < 50; ++trial) {
    Model model = random_model(rng, 3, 5, Coupling::weak);
    const Features X = random_features(rng, kRows, 3, false);
    const SolvePlan plan = exhaustive_plan(model);
    const Explanation why = explain(model, plan, {X, KnownLabels::Zero(5, kRows), 0}, 1, 3, {});
    const Eigen::VectorXd c = problem_scores(model, X).col(1);
    CHECK((why.without_prior == (c.array() > 0).select(LabelVector::Ones(5), -LabelVector::Ones(5))).all());
    changed += (why.without_prior != why.labels).any() ? 1 : 0;
  }
  CHECK(changed > 5);
  CHECK(changed < 50);
}

TEST_CASE(
    "explain: the runner-up of thresholds is nearest to one, that of expected F1 the next number of labels") {
  kit::Rng rng(73);
  for (int trial = 0; trial < 100; ++trial) {
    const int64_t V = 5;
    Model model = random_model(rng, 3, V, Coupling::none);
    const Features X = random_features(rng, kRows, 3, true);
    const SolvePlan plan = exhaustive_plan(model);
    const KnownLabels known = KnownLabels::Zero(V, kRows);
    const Eigen::VectorXd c = problem_scores(model, X).col(2);

    model.settings.predict.threshold = ThresholdKind::fixed;
    model.thresholds = Eigen::VectorXd::Constant(1, 0.5);
    const Explanation cut = explain(model, plan, {X, known, 0}, 2, 3, {});
    REQUIRE(cut.runner_up);
    CHECK(cut.runner_up->measure == RuleMeasure::threshold_distance);
    CHECK((cut.runner_up->labels != cut.labels).count() == 1);
    CHECK(cut.runner_up->difference == Approx((c.array() - 0.5).abs().minCoeff()));

    model.settings.predict.threshold = ThresholdKind::expected_f1;
    model.thresholds = Eigen::Vector2d(1.3, -0.2);
    const Explanation likely = explain(model, plan, {X, known, 0}, 2, 3, {});
    // The expected F1 of a set, over all labellings of independent labels.
    const auto expected = [&](const LabelVector& set) {
      double sum = 0;
      const CanonicalProblem all{PriorMatrix(Eigen::MatrixXd::Zero(V, V)), c, std::nullopt};
      for_all_labellings(all, [&](const LabelVector& y, double) {
        double p = 1;
        for (int64_t v = 0; v < V; ++v) p *= sigmoid(y(v) * (1.3 * c(v) - 0.2));
        const auto both = static_cast<double>((set > 0 && y > 0).count());
        const auto size = static_cast<double>((set > 0).count() + (y > 0).count());
        sum += p * (size == 0 ? 1 : 2 * both / size);
      });
      return sum;
    };
    REQUIRE(likely.runner_up);
    CHECK(likely.runner_up->measure == RuleMeasure::expected_f1);
    const double difference = expected(likely.labels) - expected(likely.runner_up->labels);
    CHECK(difference == Approx(likely.runner_up->difference).margin(1e-12));
    CHECK(difference >= 0);
    CHECK((likely.runner_up->labels > 0).count() != (likely.labels > 0).count());
  }
}

TEST_CASE("explain: a rule that leaves no choice has no runner-up") {
  kit::Rng rng(74);
  Model model = random_model(rng, 3, 4, Coupling::weak);
  const Features X = random_features(rng, kRows, 3, false);
  const KnownLabels known = KnownLabels::Constant(4, kRows, 1);
  const Explanation why = explain(model, exhaustive_plan(model), {X, known, 0}, 0, 3, {});
  CHECK_FALSE(why.runner_up);
  CHECK((why.labels == 1).all());
  CHECK(why.bound == Approx(why.objective));
}

}  // namespace concord::explain_test
