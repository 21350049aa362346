// SPDX-License-Identifier: MIT
// The bundle method: planes below the risk, a gap that is never negative, and the optimum that bcfw finds.
#include "train/bundle.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "train/bcfw.hpp"
#include "train_support.hpp"

namespace concord::bundle_test {

using namespace concord::test;

namespace {

double height(const Bundle::Plane& plane, const Parameters& at) {
  return plane.b + plane.W.cwiseProduct(at.W).sum() +
         (plane.A.size() > 0 ? plane.A.cwiseProduct(at.A).sum() : 0);
}

double squares(const TrainPlan& plan, const Parameters& at) {
  return plan.settings.lambda_w / 2 * at.W.squaredNorm() + plan.settings.lambda_a / 2 * at.A.squaredNorm();
}

bool is_spectral_tight(const FitCase& c) {
  return std::string(c.decoder) == "spectral-tight";
}

/// check(rng, case, data, plan) for every case, with both losses, on data of so many instances.
template <class Check>
void for_cases(uint64_t seed, int64_t instances, Check&& check) {
  kit::Rng rng(seed);
  for (const FitCase& c : kFitCases)
    for (const char* loss : {"hamming", "f-beta"}) {
      CAPTURE(c.decoder, name_of(c.prior), c.diagonal, loss);
      const Dataset data = random_dataset(rng, instances, 4, 5, rng.uniform() < 0.5);
      check(rng, c, data, train_plan(Method::bundle, c.decoder, loss, c.prior, c.diagonal));
    }
}

}  // namespace

TEST_CASE("planes are below the risk everywhere, and touch it where they were made") {
  for_cases(21, 20, [](kit::Rng& rng, const FitCase& c, const Dataset& data, const TrainPlan& plan) {
    ThreadPool pool(1);
    Bundle fit(plan, {data.X, data.Y}, 3, pool, {});
    const double at_zero = fit.evaluate().objective;
    if (!is_spectral_tight(c)) CHECK(fit.planes().front().b == Approx(at_zero));
    for (int e = 0; e < 5; ++e) fit.epoch();
    Alone ranks;
    Oracle oracle(*plan.decoder, *plan.loss, data.Y, nullptr, ranks, pool, {});
    for (int i = 0; i < 10; ++i) {
      const Parameters there = random_parameters(rng, 4, 5, c);
      const double risk = regularised_objective(oracle, data.X, there, plan.settings, 1, pool).objective -
                          squares(plan, there);
      for (const Bundle::Plane& plane : fit.planes()) CHECK(height(plane, there) <= risk + 1e-9);
    }
  });
}

TEST_CASE("the slopes of a plane are those of the risk where the plane was made") {
  kit::Rng rng(22);
  for (const FitCase& c : kFitCases) {
    if (is_spectral_tight(c)) continue;  // its risk is that of a bound, its planes those of points
    CAPTURE(c.decoder, name_of(c.prior), c.diagonal);
    const Dataset data = random_dataset(rng, 9, 4, 5, false);
    const TrainPlan plan = train_plan(Method::bundle, c.decoder, "f-beta", c.prior, c.diagonal);
    ThreadPool pool(1);
    Bundle fit(plan, {data.X, data.Y}, 3, pool, {});
    fit.epoch();
    const Parameters before = fit.parameters();
    fit.epoch();
    if (same_bits(before, fit.parameters())) continue;  // the last plane was made elsewhere
    const Parameters at = fit.parameters();
    const Parameters direction = random_parameters(
        rng, 4, 5, {c.decoder, c.prior == PriorSign::none ? PriorSign::none : PriorSign::any, c.diagonal});
    Alone ranks;
    Oracle oracle(*plan.decoder, *plan.loss, data.Y, nullptr, ranks, pool, {});
    const auto risk = [&](double t) {
      const Parameters there{at.W + t * direction.W, at.A + t * direction.A};
      return regularised_objective(oracle, data.X, there, plan.settings, 1, pool).objective -
             squares(plan, there);
    };
    Bundle::Plane linear = fit.planes().back();
    CHECK(height(linear, at) == Approx(risk(0)).margin(1e-9));
    linear.b = 0;
    const double h = 1e-6;
    CHECK((risk(h) - risk(-h)) / (2 * h) == Approx(height(linear, direction)).margin(1e-5));
  }
}

TEST_CASE("the bundle's gap is never negative, its dual never falls, and it finds the optimum of bcfw") {
  for_cases(23, 30, [](kit::Rng&, const FitCase& c, const Dataset& data, TrainPlan plan) {
    plan.settings.lambda_w = 0.5;
    plan.settings.lambda_a = 1;
    ThreadPool pool(1);
    Bundle fit(plan, {data.X, data.Y}, 3, pool, {});
    Bcfw peer(plan, {data.X, data.Y}, 3, pool, {});
    FitReport before = fit.evaluate();
    for (int e = 0; e < 60; ++e) {
      fit.epoch();
      const FitReport report = fit.evaluate();
      CHECK_FALSE(report.estimate);
      REQUIRE(report.gap() >= -1e-9);
      REQUIRE(report.dual >= before.dual - 1e-12);
      REQUIRE(report.objective <= before.objective);
      before = report;
    }
    // What is reported is what anybody finds there.
    Alone ranks;
    Oracle oracle(*plan.decoder, *plan.loss, data.Y, nullptr, ranks, pool, {});
    CHECK(before.objective ==
          Approx(regularised_objective(oracle, data.X, fit.parameters(), plan.settings, 1, pool).objective));
    for (int e = 0; e < 60; ++e) peer.epoch();
    const FitReport other = peer.evaluate();
    CHECK(before.objective >= other.dual - 1e-9);
    CHECK(before.dual <= other.objective + 1e-9);
    if (is_spectral_tight(c)) return;
    CHECK(before.relative_gap() < 0.01);
    CHECK(before.objective == Approx(other.objective).epsilon(0.02));
    const Eigen::MatrixXd A = fit.parameters().A;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 5; ++j) {
        if (i == j && !c.diagonal) CHECK(A(i, j) == 0);
        if (i != j && c.prior == PriorSign::attractive) CHECK(A(i, j) <= 0);
        if (i != j && c.prior == PriorSign::repulsive) CHECK(A(i, j) >= 0);
      }
  });
}

TEST_CASE("the bundle drops planes without weight and goes on") {
  kit::Rng rng(24);
  const Dataset data = random_dataset(rng, 40, 6, 6, false);
  ThreadPool pool(1);
  Bundle fit(train_plan(Method::bundle, "spectral", "f-beta", PriorSign::any, true), {data.X, data.Y}, 3,
             pool, {});
  for (int e = 0; e < 120; ++e) fit.epoch();
  CHECK(fit.planes().size() < 120);
  CHECK(fit.evaluate().relative_gap() < 0.01);
}

TEST_CASE("a pass of the bundle that is stopped leaves no trace") {
  kit::Rng rng(25);
  const Dataset data = random_dataset(rng, 40, 6, 6, false);
  std::atomic<bool> stop = false;
  RunControl control;
  control.stop = &stop;
  ThreadPool pool(2);
  Bundle fit(train_plan(Method::bundle, "spectral", "f-beta", PriorSign::any, true), {data.X, data.Y}, 3,
             pool, control);
  for (int e = 0; e < 3; ++e) fit.epoch();
  const Parameters before = fit.parameters();
  const double gap = fit.evaluate().gap();
  const size_t planes = fit.planes().size();
  stop = true;
  fit.epoch();
  CHECK(same_bits(before, fit.parameters()));
  CHECK(fit.evaluate().gap() <= gap);
  CHECK(fit.planes().size() == planes);
}

}  // namespace concord::bundle_test
