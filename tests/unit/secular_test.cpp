// SPDX-License-Identifier: MIT
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/secular.hpp>
#include <concord/kit/spectral.hpp>

#include "spectral_support.hpp"

namespace spectral_test::secular {

using namespace concord::kit;
using concord::Matrix;
using concord::Vector;
using Eigen::Index;  // of the three that are visible

namespace {

struct Solved {
  Vector u;
  double value;
  double bound;
};

Solved solve(const SpectralFactors& factors, const Vector& c, double beta = none) {
  Solved out{Vector(c.size()), 0, 0};
  const SpectralProblem problem{c.data(), beta};
  SpectralAnswer answer{out.u.data(), 0, 0};
  solve_spectral(factors, {&problem, 1}, {&answer, 1});
  out.value = answer.value;
  out.bound = answer.bound;
  return out;
}

Solved solve(const Problem& p, double beta = none) {
  return solve(SpectralFactors(p.A), p.c, beta);
}

/// Everything that must hold of one solution.
void check(const Problem& p, double beta) {
  const Index V = p.c.size();
  const double scale = p.magnitude();
  const Solved s = solve(p, beta);
  const Reference expected = reference(p, beta);
  INFO("V " << V << " beta " << beta << " reference " << expected.value << " hard " << expected.hard);
  REQUIRE(s.u.allFinite());
  CHECK(s.u.squaredNorm() == Approx(static_cast<double>(V)).epsilon(1e-12));
  if (!std::isnan(beta)) CHECK(std::abs(s.u.sum() - beta) < 1e-12 * static_cast<double>(V));
  CHECK(std::abs(s.value - objective(p, s.u)) <= 1e-13 * scale);
  CHECK(s.bound >= s.value);
  const double tolerance = (expected.hard ? 1e-6 : 1e-8) * std::abs(expected.value) + 1e-13 * scale;
  CHECK(std::abs(s.value - expected.value) <= tolerance);
  CHECK(std::abs(s.bound - expected.value) <= tolerance);
  if (V <= 8) {
    const auto k = std::isnan(beta) ? std::nullopt : k_of(V, beta);
    const double optimum = enumerate(p.A, p.c, k, [] { return false; }).value;
    CHECK(s.bound >= optimum - 1e-13 * scale);
  }
}

void sweep(int problems, uint64_t seed) {
  Generator generator(seed);
  for (int i = 0; i < problems; ++i) {
    const Index V = i % 100 == 0 ? 53 : 1 + generator.index(16);
    CAPTURE(i, V);
    const Problem p = generator.problem(i % kinds, V);
    check(p, none);
    if (V <= 6) {
      for (Index k = 0; k <= V; ++k) check(p, beta_of(V, k));
    } else {
      check(p, beta_of(V, generator.index(V + 1)));
    }
  }
}

}  // namespace

TEST_CASE("the secular solution equals the dense reference") {
  sweep(400, 1);
}
TEST_CASE("the secular solution equals the dense reference, 10000 problems", "[.full]") {
  sweep(10000, 2);
}

TEST_CASE("nothing given: every label is -1") {
  for (const Index V : {1, 2, 7}) {
    const Solved s = solve({Matrix::Zero(V, V), Vector::Zero(V)});
    CHECK((s.u.array() + 1).abs().maxCoeff() < 1e-14);
    CHECK(s.value == 0);
    CHECK(s.bound == 0);
  }
}

TEST_CASE("c orthogonal to the bottom eigenspace is not enough for the hard case") {
  Problem p{Vector(Eigen::Vector3d(0, 1, 2)).asDiagonal(), Eigen::Vector3d(0, 20, 0)};
  const Solved not_hard = solve(p);
  CHECK(not_hard.u[1] == Approx(std::sqrt(3.0)));
  CHECK(not_hard.value == Approx(20 * std::sqrt(3.0) - 3));
  p.c[1] = 1;  // hard: u_2 = 1/2, the rest along the projection of -1, here -e_1
  const Solved hard = solve(p);
  CHECK(hard.u[0] == Approx(-std::sqrt(3 - 0.25)));
  CHECK(hard.u[1] == Approx(0.5));
  CHECK(hard.value == Approx(0.25));
  CHECK(hard.bound == Approx(0.25));
}

TEST_CASE("the hard case does not depend on the basis of the bottom eigenspace") {
  Generator generator(3);
  for (int i = 0; i < 50; ++i) {
    const Problem p = generator.problem(5, 6);
    const Matrix mix = Eigen::HouseholderQR<Matrix>(generator.symmetric(6, true)).householderQ();
    DenseAlgebra turned = eigen_algebra();
    turned.eigensolver = [&](Matrix& M, Vector& values, const InPieces&) {
      eigen_symmetric(M, values);
      Index repeated = 0;
      while (repeated < values.size() && values[repeated] < values[0] + 1e-9) ++repeated;
      const Matrix turn = Eigen::HouseholderQR<Matrix>(mix.topLeftCorner(repeated, repeated)).householderQ();
      M.leftCols(repeated) = (M.leftCols(repeated) * turn).eval();
    };
    CHECK((solve(p).u - solve(SpectralFactors(p.A, turned), p.c).u).norm() < 1e-7);
  }
  // With a cardinality and no c at all: every u in 1^perp is as good.
  const Problem alike{Matrix::Ones(5, 5), Vector::Zero(5)};
  const Solved s = solve(alike, -1);
  Vector towards_first = Vector::Constant(5, -0.2);
  towards_first[0] += 1;
  const Vector expected = (-0.2 + std::sqrt(4.8) * towards_first.normalized().array()).matrix();
  CHECK((s.u - expected).norm() < 1e-12);
}

TEST_CASE("scaling the problem by a power of two scales the answer and nothing else") {
  Generator generator(4);
  const Problem p = generator.problem(0, 9);
  const Solved plain = solve(p);
  for (const int exponent : {-660, -30, 3, 490}) {
    const double s = std::ldexp(1.0, exponent);
    const Solved scaled = solve({p.A * s, p.c * s});
    CHECK(scaled.u == plain.u);
    CHECK(scaled.value == plain.value * s);
    CHECK(scaled.bound == plain.bound * s);
  }
}

TEST_CASE("a guess on either side of the root gives the same answer") {
  Generator generator(5);
  const Problem p = generator.problem(0, 21);
  const Eigenbasis basis = SpectralFactors(p.A).whole();
  const Vector rotated = basis.E.transpose() * p.c / 8;
  const double sigma = basis.spectrum.unit / 8;
  Vector w(rotated.size());
  Vector c = rotated;
  const SecularSolution cold =
      solve_secular(basis.spectrum, sigma, c.data(), c.norm(), std::sqrt(21.0), w.data());
  for (const double factor : {1e-3, 0.9, 1.1, 1e3}) {
    c = rotated;
    const SecularSolution warm =
        solve_secular(basis.spectrum, sigma, c.data(), c.norm(), std::sqrt(21.0), w.data(), factor * cold.mu);
    CHECK(warm.mu == Approx(cold.mu).epsilon(1e-12));
    CHECK(warm.value == Approx(cold.value).epsilon(1e-14));
  }
}

TEST_CASE("P is an orthonormal basis of the complement of 1") {
  for (const Index V : {2, 3, 10}) {
    const OnesComplement P(V);
    const Matrix dense = P.expand(Matrix::Identity(V - 1, V - 1));
    CHECK((dense.transpose() * dense - Matrix::Identity(V - 1, V - 1)).norm() < 1e-14);
    CHECK(dense.colwise().sum().norm() < 1e-14);
    Generator generator(6);
    const Matrix A = generator.symmetric(V, true);
    const Vector x = generator.vector(V);
    CHECK((P.restrict(A) - dense.transpose() * A * dense).norm() < 1e-13);
    CHECK((P.project(x) - dense.transpose() * x).norm() < 1e-14);
  }
}

}  // namespace spectral_test::secular
