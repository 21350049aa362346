// SPDX-License-Identifier: MIT
// The fits: subgradients, duality, averages, threads, and continuing from a saved state.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "model/linear.hpp"
#include "train/bcfw.hpp"
#include "train/oracle.hpp"
#include "train/subgradient.hpp"
#include "train_support.hpp"

namespace concord::train_test {

using namespace concord::test;

namespace {

const char* const kLosses[] = {"hamming", "weighted-hamming", "f-beta"};

/// A subgradient of the regularised objective at a point, from the oracle's answers for all instances.
Parameters subgradient(Oracle& oracle, const Parameters& at, const Dataset& data, const TrainPlan& plan) {
  ThreadPool pool(1);
  const int64_t N = data.instances();
  oracle.prepare(at.A);
  std::vector<int64_t> all(static_cast<size_t>(N));
  std::iota(all.begin(), all.end(), 0);
  const auto answers = oracle.solve(all, scores(at.W, data.X, all, pool), 1, true);
  Parameters slope{plan.settings.lambda_w * at.W, plan.settings.lambda_a * at.A};
  for (int64_t i = 0; i < N; ++i) {
    const Eigen::VectorXd y = data.Y.col(i).cast<double>();
    const Eigen::MatrixXd& F = answers[static_cast<size_t>(i)].F;
    add_outer(slope.W, data.X, i, (F.col(0) - y) / static_cast<double>(N));
    slope.A += (y * y.transpose() - F * F.transpose()) / static_cast<double>(N);
  }
  return slope;
}

}  // namespace

TEST_CASE("subgradients are the slopes of the relaxed objective, for every loss and decoder") {
  kit::Rng rng(5);
  for (const FitCase& c : kFitCases)
    for (const char* loss : kLosses) {
      // Values of spectral-tight are those of a feasible point, its objective that of a bound.
      if (std::string(c.decoder) == "spectral-tight") continue;
      CAPTURE(c.decoder, name_of(c.prior), loss);
      const Dataset data = random_dataset(rng, 7, 4, 5, false);
      const TrainPlan plan = train_plan(Method::subgradient, c.decoder, loss, c.prior, c.diagonal);
      ThreadPool pool(1);
      Alone ranks;
      Oracle oracle(*plan.decoder, *plan.loss, data.Y, nullptr, ranks, pool, {});
      const Parameters at = random_parameters(rng, 4, 5, c),
                       direction = random_parameters(
                           rng, 4, 5,
                           {c.decoder, c.prior == PriorSign::none ? PriorSign::none : PriorSign::any,
                            c.diagonal});

      const Parameters all = subgradient(oracle, at, data, plan);
      const double slope = all.W.cwiseProduct(direction.W).sum() + all.A.cwiseProduct(direction.A).sum();
      const double h = 1e-6;
      const auto objective = [&](double t) {
        const Parameters there{at.W + t * direction.W, at.A + t * direction.A};
        return regularised_objective(oracle, data.X, there, plan.settings, 1, pool).objective;
      };
      CHECK((objective(h) - objective(-h)) / (2 * h) == Approx(slope).margin(1e-6));
    }
}

TEST_CASE("the dual never decreases, the gap is never negative and closes") {
  kit::Rng rng(6);
  for (const FitCase& c : kFitCases)
    for (const char* loss : kLosses) {
      CAPTURE(c.decoder, name_of(c.prior), c.diagonal, loss);
      const Dataset data = random_dataset(rng, 30, 4, 5, rng.uniform() < 0.5);
      TrainPlan plan = train_plan(Method::bcfw, c.decoder, loss, c.prior, c.diagonal);
      plan.settings.lambda_w = 0.5;  // few instances and a small lambda need many epochs
      plan.settings.lambda_a = 1;
      ThreadPool pool(1);
      Bcfw fit(plan, {data.X, data.Y}, 3, pool, {});
      double dual = fit.dual(), gap = 1;
      CHECK(dual == Approx(0).margin(1e-12));
      for (int e = 0; e < 40; ++e) {
        fit.epoch();
        REQUIRE(fit.dual() >= dual - 1e-12);
        dual = fit.dual();
        if (e % 10 != 9) continue;
        const FitReport report = fit.evaluate();
        CHECK_FALSE(report.estimate);
        CHECK(report.gap() >= -1e-9);
        gap = report.relative_gap();
      }
      // spectral-tight answers with points that are not its bound's, so its gap stays open.
      if (std::string(c.decoder) != "spectral-tight") CHECK(gap < 0.02);
      const Parameters last = fit.last();
      for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 5; ++j) {
          if (i == j && !c.diagonal) CHECK(last.A(i, j) == 0);
          if (i != j && c.prior == PriorSign::attractive) CHECK(last.A(i, j) <= 0);
          if (i != j && c.prior == PriorSign::repulsive) CHECK(last.A(i, j) >= 0);
        }
      if (c.diagonal) CHECK(last.A.trace() == Approx(0).margin(1e-9));
    }
}

TEST_CASE("blocks that would not fit are refused, and the alternative named") {
  CHECK_NOTHROW(require_block_memory(7e9, 1e10, 12920));
  CHECK_THROWS_WITH(require_block_memory(9e9, 1e10, 12920),
                    Catch::Contains("12920 instances") && Catch::Contains("subgradient"));
}

TEST_CASE("both methods find the same optimum") {
  kit::Rng rng(7);
  for (const FitCase& c : {kFitCases[0], kFitCases[4], kFitCases[6]}) {
    CAPTURE(c.decoder, name_of(c.prior));
    const Dataset data = random_dataset(rng, 25, 3, 4, false);
    ThreadPool pool(1);
    Bcfw bcfw(train_plan(Method::bcfw, c.decoder, "f-beta", c.prior, c.diagonal), {data.X, data.Y}, 3, pool,
              {});
    Subgradient subgradient(train_plan(Method::subgradient, c.decoder, "f-beta", c.prior, c.diagonal),
                            {data.X, data.Y}, 3, nullptr, pool, {});
    for (int e = 0; e < 100; ++e) bcfw.epoch();
    for (int e = 0; e < 1500; ++e) subgradient.epoch();
    CHECK(subgradient.evaluate().objective == Approx(bcfw.evaluate().objective).epsilon(0.02));
    CHECK(subgradient.evaluate().objective >= bcfw.dual() - 1e-9);
  }
}

TEST_CASE("averages weigh the parameters after batch b by its cube") {
  kit::Rng rng(8);
  for (const bool sparse : {false, true}) {
    const Dataset data = random_dataset(rng, 12, 5, 4, sparse);
    TrainPlan plan = train_plan(Method::bcfw, "spectral", "f-beta", PriorSign::repulsive, true);
    plan.settings.batch = 12;  // an epoch is a batch, so last() shows every one of them
    ThreadPool pool(1);
    Bcfw fit(plan, {data.X, data.Y}, 3, pool, {});
    Parameters sum = fit.last();
    double weights = 0;
    for (int b = 1; b <= 20; ++b) {
      fit.epoch();
      sum.W += std::pow(b, 3) * fit.last().W;
      sum.A += std::pow(b, 3) * fit.last().A;
      weights += std::pow(b, 3);
      const Parameters mean = fit.parameters();
      CHECK((mean.W - sum.W / weights).norm() <= 1e-9 * (1 + mean.W.norm()));
      CHECK((mean.A - sum.A / weights).norm() <= 1e-9 * (1 + mean.A.norm()));
    }
  }
}

TEST_CASE("the subgradient method does what its formula says") {
  kit::Rng rng(9);
  const Dataset data = random_dataset(rng, 9, 4, 3, true);
  TrainPlan plan = train_plan(Method::subgradient, "spectral", "hamming", PriorSign::attractive, true);
  plan.settings.batch = 9;
  ThreadPool pool(1);
  Subgradient fit(plan, {data.X, data.Y}, 3, nullptr, pool, {});
  Alone ranks;
  Oracle oracle(*plan.decoder, *plan.loss, data.Y, nullptr, ranks, pool, {});
  Parameters at{RowMatrix::Zero(4, 3), Eigen::MatrixXd::Zero(3, 3)}, sum = at;
  double weights = 0;
  for (int t = 1; t <= 2000; ++t) {  // long enough for the scale of W to be multiplied out
    const Parameters slope = subgradient(oracle, at, data, plan);
    const double eta = 2.0 / (t + 1);
    at.W -= eta / plan.settings.lambda_w * slope.W;
    at.A -= eta / plan.settings.lambda_a * slope.A;
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 3; ++j)
        if (i != j) at.A(i, j) = std::min(at.A(i, j), 0.0);
    sum.W += t * at.W;
    sum.A += t * at.A;
    weights += t;
    fit.epoch();
  }
  const Parameters mean = fit.parameters();
  CHECK((mean.W - sum.W / weights).norm() <= 1e-6 * (1 + mean.W.norm()));
  CHECK((mean.A - sum.A / weights).norm() <= 1e-6 * (1 + mean.A.norm()));
}

TEST_CASE("bits do not depend on threads, and a restored state continues to the same bits") {
  kit::Rng rng(10);
  for (const Method method : {Method::bcfw, Method::subgradient, Method::bundle})
    for (const FitCase& c : {kFitCases[0], kFitCases[4], kFitCases[6]})
      for (const bool sparse : {false, true})
        for (const int64_t V : {7, 70, 130}) {  // one panel; several; the eigenproblem in pieces
          CAPTURE(name_of(method), c.decoder, name_of(c.prior), sparse, V);
          const Dataset data = random_dataset(rng, V == 7 ? 150 : 30, 6, V, sparse);
          TrainPlan plan = train_plan(method, c.decoder, "f-beta", c.prior, c.diagonal);
          plan.settings.batch = V == 7 ? 70 : 10;  // of several chunks of the oracle
          std::vector<Parameters> found;
          for (const int threads : {1, 2, 4, 16}) {
            ThreadPool pool(threads);
            const auto fit = make_fit(plan, {data.X, data.Y}, 3, pool, {});
            for (int e = 0; e < 4; ++e) fit->epoch();
            found.push_back(fit->parameters());
            if (threads > 1) CHECK(same_bits(found.front(), found.back()));
          }
          ThreadPool pool(1);
          const auto first = make_fit(plan, {data.X, data.Y}, 3, pool, {});
          for (int e = 0; e < 2; ++e) first->epoch();
          first->evaluate();  // looking must not change anything
          ArchiveWriter out;
          first->save(out);
          const auto second = make_fit(plan, {data.X, data.Y}, 3, pool, {});
          ArchiveReader in(out.bytes());
          second->restore(in);
          CHECK_NOTHROW(in.require_end());
          for (int e = 0; e < 2; ++e) second->epoch();
          CHECK(same_bits(found.front(), second->parameters()));
        }
}

TEST_CASE("degenerate data train without NaN") {
  kit::Rng rng(11);
  for (const Method method : {Method::bcfw, Method::subgradient, Method::bundle, Method::ovr})
    for (const char* decoder : {"modular", "spectral"})
      for (const int64_t N : {1, 3})
        for (const int64_t V : {1, 2, 4})
          for (const bool zero_features : {false, true}) {
            CAPTURE(name_of(method), decoder, N, V, zero_features);
            Dataset data = random_dataset(rng, N, 3, V, false);
            if (zero_features) data.X = Features(RowMatrix(RowMatrix::Zero(N, 3)));
            data.Y.row(0).setConstant(1);              // always
            if (V > 1) data.Y.row(1).setConstant(-1);  // never
            if (V == 1) data.Y.setConstant(-1);        // no labels at all
            TrainPlan plan = train_plan(method, decoder, "f-beta",
                                        std::string(decoder) == "modular" ? PriorSign::none : PriorSign::any);
            ThreadPool pool(1);
            const auto fit = make_fit(plan, {data.X, data.Y}, 3, pool, {});
            for (int e = 0; e < 3; ++e) fit->epoch();
            const Parameters found = fit->parameters();
            CHECK(found.W.allFinite());
            CHECK(found.A.allFinite());
            CHECK(std::isfinite(fit->evaluate().objective));
          }
}

}  // namespace concord::train_test
