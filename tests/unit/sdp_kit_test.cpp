// SPDX-License-Identifier: MIT
// The parts that SDP decoders share: the bound that any y proves, and the reduced form.
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <concord/kit/mixed_cholesky.hpp>
#include <concord/kit/sdp_answer.hpp>
#include <concord/kit/sdp_bound.hpp>

#include "support.hpp"

namespace concord::sdp_kit_test {

using namespace concord::test;
using kit::CardinalityForm;

namespace {

Eigen::MatrixXd random_matrix(kit::Rng& rng, Eigen::Index rows, Eigen::Index cols) {
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return rng.normal(); });
}

}  // namespace

TEST_CASE("every y and mu prove a bound, at every scale") {
  kit::Rng rng(11);
  for (int repeat = 0; repeat < 600; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(7));
    CanonicalProblem problem = random_problem(rng, V, PriorSign::any, repeat % 2 == 0);
    const double scale = std::pow(10, 12 * rng.uniform() - 6);
    const Eigen::MatrixXd A = problem.A.dense() * scale;
    problem.A = PriorMatrix(A);
    problem.c *= scale;
    kit::SdpProblem sdp{A, problem.c};
    if (repeat % 3 > 0) {
      problem.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1));
      sdp.beta = kit::beta_of(V, *problem.k);
      sdp.form = repeat % 3 == 1 ? CardinalityForm::lifted : CardinalityForm::row;
    }
    const Eigen::VectorXd y = scale * random_matrix(rng, V + 1, 1);
    CHECK(kit::proven_bound(sdp, y, scale * rng.normal()) >= naive_optimum(problem));
  }
}

TEST_CASE("the proven eigenvalue is above the true one by rounding only") {
  kit::Rng rng(12);
  const auto check = [](const Eigen::MatrixXd& S, double largest) {
    const double proven = kit::proven_lambda_max(S);
    CHECK(proven >= largest);
    CHECK(proven <= largest + 1e-12 * (1 + S.norm()) * static_cast<double>(S.rows()));
  };
  for (const Eigen::Index n : {1, 2, 5, 40}) {
    check(Eigen::MatrixXd::Zero(n, n), 0);
    check(Eigen::MatrixXd::Ones(n, n), static_cast<double>(n));
    check(-Eigen::MatrixXd::Identity(n, n), -1);
    const Eigen::VectorXd v = random_matrix(rng, n, 1).array().round();
    check(v * v.transpose(), v.squaredNorm());
  }
}

TEST_CASE("a factorisation in mixed precision is a proof: its error covers what is missing") {
  kit::Rng rng(15);
  kit::MixedCholesky cholesky;
  int found = 0, refused = 0;
  double closest = 0;
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const auto n = static_cast<Eigen::Index>(1 + rng.below(repeat % 50 == 0 ? 330 : 110));
    Eigen::MatrixXd S = random_matrix(rng, n, n);
    if (repeat % 3 == 0) S = S.cwiseAbs();  // sums without cancellation
    S = (S * S.transpose() / static_cast<double>(n)).eval();
    if (repeat % 4 == 0) S += Eigen::MatrixXd::Identity(n, n);
    if (repeat % 4 == 1) S += Eigen::MatrixXd::Ones(n, n);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
    // The least eigenvalue becomes this one, about as large as what single precision rounds off.
    const double least = std::pow(10, 4 * rng.uniform() - 7) * (repeat % 2 == 0 ? 1 : -1);
    const Eigen::VectorXd v = eigen.eigenvectors().col(0);
    S += (least - eigen.eigenvalues()[0]) * v * v.transpose();
    const std::optional<double> error = cholesky.error(S);
    INFO("n = " << n << ", least eigenvalue " << least << ", error " << error.value_or(-1));
    if (error) {
      ++found;
      REQUIRE(*error >= -least);
      REQUIRE(*error <= 60 * 6e-8 * static_cast<double>(n) * S.trace());
      const Eigen::MatrixXd L = Eigen::MatrixXd::NullaryExpr(
          n, n, [&](Eigen::Index i, Eigen::Index k) { return static_cast<double>(cholesky.factor(i, k)); });
      const Eigen::ArrayXXd E = (S - L * L.transpose()).array().abs();
      const Eigen::ArrayXXd bound =
          kit::MixedCholesky::unit_error() * (L.cwiseAbs() * L.cwiseAbs().transpose()).array();
      REQUIRE((E <= bound).all());
      REQUIRE(bound.sum() <= 1.0001 * *error);
      closest = std::max(closest, (E / bound).maxCoeff());
    } else {
      ++refused;
      REQUIRE(least <= 60 * 6e-8 * static_cast<double>(n) * S.trace());
    }
  }
  CHECK(closest > 0.01);  // of the bound: what rounds is seen
  CHECK(found > 400);
  CHECK(refused > 400);
}

TEST_CASE("a factorisation in mixed precision reads the lower triangle, and refuses what is not a number") {
  kit::Rng rng(16);
  kit::MixedCholesky cholesky;
  for (const Eigen::Index n : {1, 23, 24, 25, 48, 49, 97}) {
    Eigen::MatrixXd S = 3 * std::sqrt(n) * Eigen::MatrixXd::Identity(n, n) + random_matrix(rng, n, n);
    S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
    const std::optional<double> error = cholesky.error(S);
    REQUIRE(error.has_value());
    S.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
    CHECK(cholesky.error(S) == error);
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), 1e300}) {
      Eigen::MatrixXd spoilt = S;
      spoilt(n - 1, static_cast<Eigen::Index>(rng.below(static_cast<uint64_t>(n)))) = bad;
      CHECK_FALSE(cholesky.error(spoilt).has_value());
    }
  }
}

TEST_CASE("the reduced form is the problem: same objective, same constraints") {
  kit::Rng rng(13);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto V = static_cast<int64_t>(3 + rng.below(6));
    const CanonicalProblem problem = random_problem(rng, V, PriorSign::any, false);
    const Eigen::MatrixXd A = problem.A.dense();
    kit::SdpProblem sdp{A, problem.c};
    if (repeat % 3 > 0) {
      sdp.beta = kit::beta_of(V, static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1)));
      sdp.form = repeat % 3 == 1 ? CardinalityForm::lifted : CardinalityForm::row;
    }
    const kit::SdpReduced reduced(sdp);
    const Eigen::MatrixXd X = random_matrix(rng, reduced.order(), reduced.order());
    const Eigen::MatrixXd Z = X.transpose() * X, M = reduced.expand(Z);
    const double size = M.norm();
    CHECK(sdp.cost().cwiseProduct(M).sum() ==
          Approx(reduced.cost().cwiseProduct(Z).sum()).margin(1e-10 * size));
    CHECK(reduced.cost() == reduced.cost().transpose());
    if (sdp.is_lifted()) CHECK((M * sdp.a()).norm() <= 1e-10 * size);
    for (Eigen::Index i = 0; i < reduced.constraints(); ++i) {
      const double expected = i <= V ? M(i, i) : M.col(V).head(V).sum();
      CHECK(reduced.constraint(i).cwiseProduct(Z).sum() == Approx(expected).margin(1e-10 * size));
      CHECK(reduced.right_side(i) == (i <= V ? 1 : sdp.beta));
    }
  }
}

}  // namespace concord::sdp_kit_test
