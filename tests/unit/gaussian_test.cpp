// SPDX-License-Identifier: MIT
// The rounding `gaussian`. That it is feasible, seeded and never worse than its start is tested by `check`.
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/objective.hpp>

#include "check/problems.hpp"
#include "solve/rounding.hpp"
#include "support.hpp"

namespace concord::gaussian_test {

namespace {

Rounding gaussian(const std::string& draws) {
  const Plugin& plugin = test::builtin().find(CONCORD_ROUNDING, "gaussian");
  ErrorList errors;
  return Rounding(plugin, OptionValues(plugin.id(), plugin.options(), {{"draws", draws, ""}}, errors), {});
}

RelaxedSolution point(Eigen::MatrixXd F) {
  RelaxedSolution relaxed;
  relaxed.status = CONCORD_RELAXED;
  relaxed.F = std::move(F);
  return relaxed;
}

Eigen::MatrixXd unit_rows(kit::Rng& rng, int64_t V, int64_t rank) {
  Eigen::MatrixXd F(V, rank);
  for (double& x : F.reshaped()) x = rng.normal();
  F.rowwise().normalize();
  return F;
}

}  // namespace

TEST_CASE("gaussian is sign, or top-k, of a factor of rank one") {
  kit::Rng rng(31);
  const Rounding rounding = gaussian("50");
  for (int64_t V = 1; V <= 9; ++V) {
    const CanonicalProblem problem = check::problem_in({}, rng, V, false);
    const RelaxedSolution relaxed = point(unit_rows(rng, V, V + 1).col(0));
    const auto round = [&](std::optional<int64_t> k) {
      return Eigen::VectorXd(
          rounding.round(problem.A, {problem.A}, {problem.c, k, 1, nullptr}, relaxed, nullptr)
              .cast<double>());
    };
    CHECK(round(std::nullopt) == kit::sign(relaxed.u()));
    for (int64_t k = 0; k <= V; ++k) CHECK(round(k) == kit::top_k(relaxed.u(), k));
  }
}

TEST_CASE("gaussian is never worse than sign and top-k, and better with more draws") {
  kit::Rng rng(32);
  const Rounding few = gaussian("1"), many = gaussian("200");
  int better = 0, better_with_more = 0;
  for (int i = 0; i < 100; ++i) {
    const CanonicalProblem problem = check::problem_in({PriorSign::any, 0, true}, rng, 12, i % 2 == 1);
    const RelaxedSolution relaxed = point(unit_rows(rng, 12, 4));
    const auto value = [&](const Rounding& rounding) {
      const LabelVector y =
          rounding.round(problem.A, {problem.A}, {problem.c, problem.k, 5, nullptr}, relaxed, nullptr);
      return problem.value(y.cast<double>());
    };
    const double plain = problem.value(kit::labels_of(relaxed.u(), problem.k));
    const double one = value(few), best = value(many);
    CHECK(one >= plain - 1e-9);
    CHECK(best >= one - 1e-9);  // the first draw is the same
    better += best > plain + 1e-9 ? 1 : 0;
    better_with_more += best > one + 1e-9 ? 1 : 0;
  }
  CHECK(better > 80);
  CHECK(better_with_more > 80);
}

TEST_CASE("gaussian draws with the moment of the factor") {
  // A moment on two opposite labellings, u = 0: signs of v = G xi are those labellings, so the best is found.
  kit::Rng rng(33);
  const LabelVector y = random_labels(rng, 10);
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(10, 2);
  F.col(1) = y.cast<double>().matrix();
  CanonicalProblem problem = check::problem_in({}, rng, 10, false);
  problem.c = y.cast<double>().matrix();
  problem.A = PriorMatrix(Eigen::MatrixXd(Eigen::MatrixXd::Zero(10, 10)));
  const LabelVector found =
      gaussian("30").round(problem.A, {problem.A}, {problem.c, std::nullopt, 1, nullptr}, point(F), nullptr);
  CHECK((found == y).all());
}

TEST_CASE("gaussian depends on the seed, and on nothing else") {
  kit::Rng rng(34);
  const CanonicalProblem problem = check::problem_in({}, rng, 30, false);
  const RelaxedSolution relaxed = point(unit_rows(rng, 30, 8));
  const auto with_seed = [&](uint64_t seed) {
    return gaussian("1").round(problem.A, {problem.A}, {problem.c, std::nullopt, seed, nullptr}, relaxed,
                               nullptr);
  };
  int different = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CHECK((with_seed(seed) == with_seed(seed)).all());
    different += (with_seed(seed) != with_seed(seed + 100)).any() ? 1 : 0;
  }
  CHECK(different > 0);
}

}  // namespace concord::gaussian_test
