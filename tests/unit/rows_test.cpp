// SPDX-License-Identifier: MIT
// Equality rows other than the cardinality, and the example loss that has one, against plain recomputation.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "solve/family.hpp"
#include "solve/verify.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::rows_test {

using namespace concord::test;
using Catch::Contains;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNone = -std::numeric_limits<double>::infinity();

Registry& examples() {
  static Registry registry({places::fakes()}, {});
  return registry;
}

LabelVector random_truth(kit::Rng& rng, int64_t V, int trial) {
  LabelVector truth(V);
  for (auto& y : truth) y = rng.below(trial % 3 == 0 ? 5 : 2) == 0 ? 1 : -1;
  if (trial % 11 == 0) truth.setConstant(-1);
  if (trial % 11 == 1) truth.setConstant(1);
  return truth;
}

bool is_on_rows(const FamilyData& family, int64_t s, const Eigen::VectorXd& u) {
  for (int64_t r = 0; r < family.rows.cols(); ++r) {
    double sum = 0;
    for (int64_t v = 0; v < u.size(); ++v) sum += family.rows(v, r) * u[v];
    if (!std::isnan(family.beta(r, s)) && sum != family.beta(r, s)) return false;  // integers
  }
  return true;
}

}  // namespace

TEST_CASE("Jaccard-augmented decoding is exact, by modular and by exhaustive") {
  kit::Rng rng(31);
  const Plugin& plugin = examples().find(CONCORD_LOSS, "jaccard");
  ErrorList errors;
  Loss loss(plugin, OptionValues(plugin.id(), plugin.options(), {}, errors), {});
  for (const bool coupled : {false, true}) {
    const auto decoder = make_decoder(coupled ? "exhaustive" : "modular");
    REQUIRE(decoder->has_native_family() != coupled);
    for (int64_t V = 1; V <= (coupled ? 7 : 10); ++V) {
      loss.prepare(V, 1, std::vector<int64_t>(static_cast<size_t>(V), 0));
      for (int trial = 0; trial < 40; ++trial) {
        const auto problem =
            random_problem(rng, V, coupled ? PriorSign::any : PriorSign::none, trial % 2 == 0);
        const LabelVector truth = random_truth(rng, V, trial);
        const FamilyData family = loss.describe(truth);
        REQUIRE(family.size() == (truth < 0).count() + 1);
        decoder->prepare(problem.A);
        double best = kNone;
        for_all_labellings(problem, [&](const LabelVector& y, double value) {
          const double both = (y > 0 && truth > 0).count(), either = (y > 0 || truth > 0).count();
          best = std::max(best, value + (either == 0 ? 0 : 1 - both / either));
        });
        const RelaxedSolution native = decoder->solve_family({problem.c}, family);
        const RelaxedSolution loop = decoder->solve_family_by_loop({problem.c}, family);
        for (const RelaxedSolution& s : {native, loop}) {
          REQUIRE(s.status == CONCORD_OPTIMAL);
          REQUIRE(s.value == Approx(best).margin(1e-9));
          verify_solution(decoder->plugin(), s, problem.A, problem.c + family.D * family.t.col(s.subproblem),
                          family.rows_of(s.subproblem), family.constants[s.subproblem]);
        }
        REQUIRE(native.subproblem == loop.subproblem);
      }
    }
  }
}

TEST_CASE("exhaustive obeys any rows, and says when nothing does") {
  kit::Rng rng(32);
  const auto decoder = make_decoder("exhaustive");
  int without = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto V = static_cast<int64_t>(1 + rng.below(7));
    const CanonicalProblem problem = random_problem(rng, V, PriorSign::any, trial % 2 == 0);
    const int64_t q = 1 + trial % 3;
    FamilyData family{Eigen::MatrixXd::Zero(V, 0), Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Zero(0, 1),
                      Eigen::MatrixXd(V, q), Eigen::MatrixXd(q, 1)};
    for (double& x : family.rows.reshaped()) x = static_cast<double>(rng.below(7)) - 3;
    for (double& x : family.beta.reshaped()) x = static_cast<double>(rng.below(5)) - 2;
    if (trial % 4 == 0) {  // the cardinality is one of them
      family.rows.col(0).setOnes();
      family.beta(0, 0) = kit::beta_of(V, V / 2);
    }
    if (trial % 5 == 0) family.beta(q - 1, 0) = kNan;
    decoder->prepare(problem.A);
    double best = kNone;
    for_all_labellings(problem, [&](const LabelVector& y, double value) {
      if (is_on_rows(family, 0, y.cast<double>())) best = std::max(best, value);
    });
    const Eigen::MatrixXd imposed = family.rows_of(0).E;
    const bool general =
        imposed.cols() > 1 || (imposed.array() != 0 && imposed.array() != 1).any();  // others always have one
    if (best == kNone && !general) continue;
    const RelaxedSolution found = decoder->solve_family({problem.c}, family);
    if (best == kNone) {
      ++without;
      REQUIRE(found.status == CONCORD_INFEASIBLE);
      continue;
    }
    REQUIRE(found.status == CONCORD_OPTIMAL);
    REQUIRE(found.value == Approx(best).margin(1e-9));
    REQUIRE(is_on_rows(family, 0, found.u()));
  }
  CHECK(without > 20);
}

TEST_CASE("classes of rows hold each other") {
  const int32_t none = CONCORD_CONSTRAINTS_NONE, cardinality = CONCORD_CONSTRAINTS_CARDINALITY,
                subset = CONCORD_CONSTRAINTS_SUBSET, rows = CONCORD_CONSTRAINTS_ROWS;
  const int32_t by_breadth[] = {none, cardinality, subset, rows};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) CHECK(covers(by_breadth[i], by_breadth[j]) == (j <= i));

  const auto class_of = [](const Eigen::MatrixXd& E) {
    return class_of_rows(FamilyData{Eigen::MatrixXd::Zero(E.rows(), 0), Eigen::VectorXd::Zero(1),
                                    Eigen::MatrixXd::Zero(0, 1), E, Eigen::MatrixXd::Zero(E.cols(), 1)});
  };
  CHECK(class_of(Eigen::MatrixXd(3, 0)) == none);
  CHECK(class_of(Eigen::MatrixXd::Ones(3, 1)) == cardinality);
  CHECK(class_of(Eigen::VectorXd::Unit(3, 1)) == subset);
  CHECK(class_of(Eigen::MatrixXd::Zero(3, 1)) == subset);
  CHECK(class_of(-Eigen::VectorXd::Unit(3, 1)) == rows);
  CHECK(class_of(Eigen::MatrixXd::Ones(3, 2)) == rows);
}

TEST_CASE("what violates a row is a lie") {
  const auto decoder = make_decoder("modular");
  const PriorMatrix A(Eigen::MatrixXd::Zero(3, 3).eval());
  const Eigen::VectorXd c = Eigen::VectorXd::Ones(3);
  RelaxedSolution s;
  s.status = CONCORD_FEASIBLE;
  s.F = Eigen::VectorXd::Ones(3);
  s.value = 3;
  s.bound = kNan;
  const auto verify = [&](const Eigen::VectorXd& e, double beta) {
    verify_solution(decoder->plugin(), s, A, c, EqualityRows{e, Eigen::VectorXd::Constant(1, beta)}, 0);
  };
  verify(Eigen::VectorXd::Unit(3, 1), 1);
  CHECK_THROWS_WITH(verify(Eigen::VectorXd::Unit(3, 1), -1),
                    Contains("its u has e'u = 1, and equality row 0 asks for -1"));
  CHECK_THROWS_WITH(verify(Eigen::VectorXd::Ones(3), 1),
                    Contains("its u sums to 3, and the cardinality 2 asks for 1"));
}

}  // namespace concord::rows_test
