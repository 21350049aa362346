// SPDX-License-Identifier: MIT
// Marginals of the joint against plain sums over all labellings, and pseudo-likelihood against finite differences and a
// planted model.
#include "predict/joint.hpp"

#include <catch2/catch.hpp>

#include "model/pairwise_logit.hpp"
#include "support.hpp"
#include "train/ovr.hpp"
#include "train_support.hpp"

namespace concord::joint_test {
namespace {

using namespace concord::test;

/// P(y_v = +1) by the definition.
Eigen::ArrayXd naive_marginals(const CanonicalProblem& problem) {
  const double largest = naive_optimum(problem);
  Eigen::ArrayXd with = Eigen::ArrayXd::Zero(problem.labels());
  double all = 0;
  for_all_labellings(problem, [&](const LabelVector& y, double value) {
    const double weight = std::exp(value - largest);
    all += weight;
    with += weight * (y > 0).cast<double>();
  });
  return with / all;
}

/// Strong couplings, as learned ones are: some of these joints have several modes.
void check_gibbs(int problems) {
  kit::Rng rng(21);
  int outside = 0, all = 0;
  for (int trial = 0; trial < problems; ++trial) {
    const int64_t V = 2 + trial % 9;
    CanonicalProblem problem = random_problem(rng, V, PriorSign::any);
    problem.A = PriorMatrix(Eigen::MatrixXd(0.2 * problem.A.to_dense()));
    problem.c *= 0.5;
    const Marginals drawn = marginals_by_gibbs(problem.A.to_dense(), problem.c, static_cast<uint64_t>(trial));
    const Eigen::ArrayXd wrong = (drawn.probabilities() - naive_marginals(problem)).abs();
    CHECK(drawn.error < 0.15);
    outside += static_cast<int>((wrong > 3 * drawn.error).count());
    all += static_cast<int>(V);
  }
  CAPTURE(outside, all);
  CHECK(outside < 0.01 * all);
}

}  // namespace

TEST_CASE("marginals by enumeration are the definition, at every scale") {
  kit::Rng rng(8);
  for (int trial = 0; trial < 200; ++trial) {
    const int64_t V = 1 + trial % 10;
    CanonicalProblem problem = random_problem(rng, V, PriorSign::any, trial % 2 == 0);
    const double scale = std::vector{1e-6, 0.1, 1.0, 20.0}[static_cast<size_t>(trial) % 4];
    Eigen::MatrixXd A = scale * problem.A.to_dense();
    A.diagonal().setConstant(0.7);  // the same for all labellings
    problem.A = PriorMatrix(A);
    problem.c *= scale;
    const Marginals exact = marginals(A, problem.c, 1);
    CHECK(exact.error == 0);
    CHECK((exact.probabilities() - naive_marginals(problem)).abs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("independent labels have closed marginals, however many") {
  const Eigen::VectorXd c = Eigen::VectorXd::LinSpaced(50, -3, 3);
  const Marginals closed = marginals(Eigen::MatrixXd::Zero(50, 50), c, 1);
  CHECK(closed.error == 0);
  CHECK(closed.log_odds.isApprox(2 * c.array()));
}

TEST_CASE("marginals by draws are within their error, and the seed decides") {
  check_gibbs(60);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Constant(30, 30, 0.01);
  const Eigen::VectorXd c = Eigen::VectorXd::LinSpaced(30, -1, 1);
  CHECK((marginals(A, c, 1).log_odds == marginals(A, c, 1).log_odds).all());
  CHECK((marginals(A, c, 1).log_odds != marginals(A, c, 2).log_odds).any());
  CHECK(marginals(A, c, 1).error > 0);
}

TEST_CASE("marginals by draws are within their error: many", "[.full]") {
  check_gibbs(1000);
}

TEST_CASE("pseudo-likelihood finds a minimum") {
  kit::Rng rng(5);
  const int64_t V = 5, N = 60;
  Eigen::MatrixXd S(V, N);
  LabelMatrix Y(V, N);
  for (int64_t i = 0; i < N; ++i) {
    S.col(i) = random_vector(V, [&] { return rng.normal(); });
    Y.col(i) = random_labels(rng, V);
  }
  Y.row(1) = Y.row(0);  // these two go together
  ThreadPool pool(1), several(3);
  const double ridge = 2;
  const PairwiseLogit found = fit_pairwise_logit({S}, Y, {ridge, true}, pool, {});
  CHECK(found.couplings(0, 1) > 0.5);
  CHECK(found.couplings == found.couplings.transpose());
  CHECK(found.couplings.diagonal().isZero(0));
  // The objective, by its definition.
  const auto objective = [&](const PairwiseLogit& at) {
    double sum = 0.5 * at.offsets.squaredNorm() + ridge / 4 * at.couplings.squaredNorm();
    for (int64_t i = 0; i < N; ++i)
      for (int64_t v = 0; v < V; ++v) {
        double logit = at.scales(0) * S(v, i) + at.offsets(v);
        for (int64_t w = 0; w < V; ++w) logit += at.couplings(v, w) * (Y(w, i) > 0 ? 1 : 0);
        sum += std::log1p(std::exp(Y(v, i) > 0 ? -logit : logit));
      }
    return sum / static_cast<double>(N);
  };
  CHECK(objective(found) == Approx(found.objective));
  const auto around = [&](auto&& change) {
    for (const double step : {-1e-3, 1e-3}) {
      PairwiseLogit other = found;
      change(other, step);
      CHECK(objective(other) >= objective(found));
      CHECK(objective(other) - objective(found) < 1e-4);  // flat: the gradient is zero
    }
  };
  around([](PairwiseLogit& at, double step) { at.scales(0) += step; });
  for (int64_t v = 0; v < V; ++v) {
    around([v](PairwiseLogit& at, double step) { at.offsets(v) += step; });
    for (int64_t w = 0; w < v; ++w)
      around([v, w](PairwiseLogit& at, double step) {
        at.couplings(v, w) += step;
        at.couplings(w, v) += step;
      });
  }
  const PairwiseLogit again = fit_pairwise_logit({S}, Y, {ridge, true}, several, {});
  CHECK(again.couplings == found.couplings);
  CHECK(fit_pairwise_logit({S}, Y, {ridge, false}, pool, {}).couplings.isZero(0));
}

TEST_CASE("method likelihood learns the joint that data were drawn from") {
  kit::Rng rng(17);
  const int64_t V = 4, N = 3000;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(V, V);
  A(0, 1) = A(1, 0) = -0.4;
  A(2, 3) = A(3, 2) = 0.3;
  Dataset data;
  RowMatrix X(N, 3);
  data.Y.resize(V, N);
  for (int64_t i = 0; i < N; ++i) {
    X.row(i) << rng.normal(), rng.normal(), 1;  // the last one is the bias
    CanonicalProblem problem;
    problem.A = PriorMatrix(A);
    problem.c = Eigen::VectorXd::Constant(V, -0.2);
    problem.c(0) += 0.8 * X(i, 0);
    problem.c(2) += 0.6 * X(i, 1);
    double all = 0;
    for_all_labellings(problem, [&](const LabelVector&, double value) { all += std::exp(value); });
    double drawn = rng.uniform() * all;
    for_all_labellings(problem, [&](const LabelVector& y, double value) {
      if (drawn > 0) data.Y.col(i) = y;
      drawn -= std::exp(value);
    });
  }
  data.X = Features(X);
  TrainPlan plan;
  plan.settings.method = Method::likelihood;
  plan.settings.lambda_w = 1e-4;
  plan.settings.lambda_a = 1e-4;
  plan.prior = PriorSign::any;
  ThreadPool pool(1);
  const FitData fitted{data.X, data.Y};
  const auto fit = make_fit(plan, fitted, 1, pool, {});
  fit->epoch();
  const Parameters found = fit->parameters();
  CHECK(found.A(0, 1) == Approx(-0.4).margin(0.08));
  CHECK(found.A(2, 3) == Approx(0.3).margin(0.08));
  CHECK(std::abs(found.A(0, 2)) < 0.08);
  CHECK(found.W(0, 0) == Approx(0.8).margin(0.15));
  CHECK(std::isfinite(fit->evaluate().objective));
}

}  // namespace concord::joint_test
