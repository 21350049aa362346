// SPDX-License-Identifier: MIT
// Known labels: the reduced problem is the whole one with labels fixed, for every decoder and every cardinality; and what
// is revealed, predicted and measured.
#include "data/known.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "predict/conditional.hpp"
#include "predict/evaluation.hpp"
#include "refusals.hpp"
#include "solve/known.hpp"
#include "solve/pipeline.hpp"
#include "support.hpp"

namespace concord::known_test {
namespace {

using namespace concord::test;

/// -1, 0 or 1 for each label, 0 about half of the time.
LabelVector random_known(kit::Rng& rng, int64_t V) {
  LabelVector known(V);
  for (int8_t& label : known) label = rng.below(2) == 0 ? 0 : static_cast<int8_t>(rng.below(2) == 0 ? 1 : -1);
  return known;
}

/// The best value among labellings that agree with what is known, by visiting all; nothing if there is none.
std::optional<double> optimum_given(const CanonicalProblem& problem, const LabelVector& known) {
  std::optional<double> best;
  for_all_labellings(problem, [&](const LabelVector& y, double value) {
    if (((known == 0) || (known == y)).all() && (!best || value > *best)) best = value;
  });
  return best;
}

SolvePlan plan_of(const std::string& decoder, bool with_cardinality) {
  ErrorList errors;
  SolvePlan plan = plan_solve(builtin(), {decoder, {}, ""}, {}, with_cardinality, errors);
  errors.throw_if_any();
  return plan;
}

const std::map<std::string, PriorSign>& decoders() {
  static const std::map<std::string, PriorSign> all = {{"modular", PriorSign::none},
                                                       {"exhaustive", PriorSign::any},
                                                       {"exact", PriorSign::any},
                                                       {"tabu", PriorSign::any},
                                                       {"sdp-mixing", PriorSign::any},
                                                       {"spectral", PriorSign::any},
                                                       {"spectral-tight", PriorSign::any},
                                                       {"min-cut", PriorSign::attractive},
                                                       {"tv-prox", PriorSign::attractive},
                                                       {"sdp-dsdp", PriorSign::any},
                                                       {"spectral-qep", PriorSign::any},
                                                       {"min-cut-dual", PriorSign::attractive},
                                                       {"submodular-greedy", PriorSign::attractive}};
  return all;
}

void check_decoders(int problems) {
  kit::Rng rng(77);
  int feasible = 0;
  for (int trial = 0; trial < problems; ++trial) {
    const auto& [decoder, sign] = *std::next(decoders().begin(), trial % static_cast<int>(decoders().size()));
    const int64_t V = 2 + static_cast<int64_t>(rng.below(7));
    CanonicalProblem problem = random_problem(rng, V, sign, rng.below(2) == 0);
    const bool takes_cardinality =
        builtin().find(CONCORD_DECODER, decoder).capabilities().constraints != CONCORD_CONSTRAINTS_NONE;
    if (takes_cardinality && rng.below(2) == 0) problem.k = random_cardinality(rng, V);
    const LabelVector known = random_known(rng, V);
    const std::vector<int64_t> unknown = unknown_labels(known);
    const std::optional<double> best = optimum_given(problem, known);
    CAPTURE(trial, decoder, V, known.cast<int>().transpose());
    const Instance whole{problem.c, problem.k, 5, nullptr};
    if (!best) {
      CHECK_THROWS_AS(reduced(problem.A, whole, known, unknown), Error);
      continue;
    }
    ++feasible;
    const ReducedProblem left = reduced(problem.A, whole, known, unknown);
    if (unknown.empty()) {
      CHECK(left.constant == Approx(*best).margin(1e-9));
      continue;
    }
    const Pipeline pipeline(plan_of(decoder, problem.k.has_value()), restricted(problem.A, unknown),
                            problem.k.has_value(), {});
    const Pipeline::Solved solved = pipeline.solve({&left.instance, 1}).front();
    const double tolerance = 1e-8 * (1 + std::abs(*best));
    if (!std::isnan(solved.bound)) CHECK(solved.bound + left.constant >= *best - tolerance);
    CHECK(solved.labelled.value + left.constant <= *best + tolerance);
    if (solved.relaxed.status == CONCORD_OPTIMAL)
      CHECK(solved.labelled.value + left.constant == Approx(*best).margin(tolerance));
    // The labels together are a labelling of the whole problem, with the same value.
    LabelVector y = known;
    for (size_t r = 0; r < unknown.size(); ++r)
      y(unknown[r]) = solved.labelled.labels(static_cast<int64_t>(r));
    CHECK(problem.value(y.cast<double>()) == Approx(solved.labelled.value + left.constant).margin(tolerance));
    if (problem.k) CHECK((y > 0).count() == *problem.k);
  }
  CHECK(feasible > problems / 2);
}

}  // namespace

TEST_CASE("a problem with known labels is the reduced one, for every decoder") {
  check_decoders(1000);
}

TEST_CASE("a problem with known labels is the reduced one, for every decoder: many", "[.full]") {
  check_decoders(10000);
}

TEST_CASE("sparse and dense priors are reduced alike, with a diagonal") {
  kit::Rng rng(3);
  for (int trial = 0; trial < 100; ++trial) {
    const int64_t V = 3 + static_cast<int64_t>(rng.below(6));
    CanonicalProblem problem = random_problem(rng, V, PriorSign::any, true, 0.4);
    Eigen::MatrixXd A = problem.A.to_dense();
    A.diagonal().setLinSpaced(-1, 1);
    const PriorMatrix dense(A), sparse(SparseMatrix(A.sparseView()));
    const LabelVector known = random_known(rng, V);
    const auto unknown = unknown_labels(known);
    if (unknown.empty()) continue;  // nothing is left to reduce to
    const Instance whole{problem.c};
    const ReducedProblem one = reduced(dense, whole, known, unknown),
                         other = reduced(sparse, whole, known, unknown);
    CHECK(one.instance.c.isApprox(other.instance.c));
    CHECK(one.constant == Approx(other.constant));
    CHECK(restricted(dense, unknown).to_dense() == restricted(sparse, unknown).to_dense());
    problem.A = dense;
    CanonicalProblem rest;
    rest.A = restricted(dense, unknown);
    rest.c = one.instance.c;
    CHECK(naive_optimum(rest) + one.constant == Approx(*optimum_given(problem, known)).margin(1e-9));
  }
}

TEST_CASE("reveal draws the share of each instance by the seed, for any division") {
  kit::Rng rng(9);
  LabelMatrix truth(10, 40);
  for (int64_t i = 0; i < 40; ++i) truth.col(i) = random_labels(rng, 10);
  for (const double share : {0.0, 0.3, 0.5, 0.9}) {
    const KnownLabels known = reveal(truth, share, 5);
    for (int64_t i = 0; i < 40; ++i) CHECK((known.col(i) != 0).count() == std::llround(10 * share));
    CHECK(((known == 0) || (known == truth)).all());
    CHECK((known.rightCols(15) == reveal(truth.rightCols(15), share, 5, 25)).all());
  }
  CHECK((reveal(truth, 0.5, 5) != reveal(truth, 0.5, 6)).any());
}

TEST_CASE("known labels stay, count for min_labels, and leave the rule to the others") {
  Conditional found;
  found.ranking = Eigen::MatrixXd::Constant(4, 3, kRankOfKnown);
  KnownLabels known = KnownLabels::Zero(4, 3);
  known.col(0) << 1, -1, 0, 0;
  known.col(1) << -1, -1, -1, 0;
  known.col(2) << -1, -1, -1, -1;
  found.ranking(2, 0) = -1;
  found.ranking(3, 0) = -2;
  found.ranking(3, 1) = -3;
  PredictSettings rule;
  rule.threshold = ThresholdKind::fixed;
  rule.min_labels = 2;
  const LabelMatrix labels = conditional_labels(rule, Eigen::VectorXd::Zero(1), found, known);
  LabelMatrix expected(4, 3);
  expected.col(0) << 1, -1, 1, -1;    // one more is wanted, and the best of the others comes
  expected.col(1) << -1, -1, -1, 1;   // there are no two
  expected.col(2) << -1, -1, -1, -1;  // nothing is unknown
  CHECK((labels == expected).all());
}

TEST_CASE("metrics of the unknown labels leave the known ones out") {
  LabelMatrix truth(4, 2), predicted(4, 2);
  truth.col(0) << 1, 1, -1, -1;
  truth.col(1) << -1, 1, 1, -1;
  predicted.col(0) << 1, -1, 1, -1;
  predicted.col(1) << -1, 1, 1, -1;
  KnownLabels known = KnownLabels::Zero(4, 2);
  known.row(0) = truth.row(0);
  known(1, 1) = 1;
  const Evaluation of_unknown = evaluate({predicted, {}, known, {}}, truth, 0, 1);
  CHECK(of_unknown.metric("example-f1-loss").value == Approx(0.5));  // 0 and 1
  CHECK(of_unknown.metric("hamming-loss").value == Approx(2.0 / 5));
  CHECK(of_unknown.labels_predicted == 1);
  CHECK_THROWS_AS(evaluate({predicted, {}, truth, {}}, truth, 0, 1), Error);
}

TEST_CASE("the bits of conditional predictions do not depend on threads") {
  kit::Rng rng(12);
  const int64_t V = 30, n = 150;  // more than are enumerated
  const Eigen::MatrixXd A = random_prior(V, PriorSign::any, [&] { return 0.2 * rng.normal(); });
  Eigen::MatrixXd scores(V, n);
  LabelMatrix truth(V, n);
  for (int64_t i = 0; i < n; ++i) {
    scores.col(i) = random_vector(V, [&] { return rng.normal(); });
    truth.col(i) = random_labels(rng, V);
  }
  const SolvePlan plan = plan_of("sdp-mixing", false);
  const KnownLabels known = reveal(truth, 0.2, 4);
  for (const ThresholdOn on : {ThresholdOn::scores, ThresholdOn::u, ThresholdOn::marginals}) {
    const ConditionalPredictor predictor(plan, A, 3, {});
    ThreadPool one(1), three(3);
    const Conditional first = predictor.predict(scores, known, 0, on, true, one);
    const Conditional second = predictor.predict(scores, known, 0, on, true, three);
    CHECK(first.ranking == second.ranking);
    CHECK((first.rounded == second.rounded).all());
    CHECK(((known == 0) || (first.rounded == known)).all());
    CHECK((first.error > 0) == (on == ThresholdOn::marginals));
  }
}

TEST_CASE("a file of known labels") {
  const std::vector<std::string> names = {"beach", "sea, calm", "boat"};
  std::istringstream good("boat,\"sea, calm\"\n1,?\n ? , 0\n\n");
  KnownReader reader(good, "known.csv", names);
  const LabelMatrix known = reader.read(2);
  LabelMatrix expected(3, 2);
  expected << 0, 0, 0, -1, 1, 0;
  CHECK((known == expected).all());
  CHECK(reader.place() == "known.csv:3");
  reader.require_end();

  for (const Refusal& row : refusals("known-labels.txt")) {
    std::istringstream bad(row.text);
    try {
      KnownReader wrong(bad, "known.csv", names);
      wrong.read(1);
      wrong.require_end();
      FAIL("it was taken: " << row.text);
    } catch (const Error& error) {
      check_message(row, "known.csv", error.what());
    }
  }
}

}  // namespace concord::known_test
