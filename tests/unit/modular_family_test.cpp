// SPDX-License-Identifier: MIT
// The modular decoder's fast family solver, against brute force with the F-beta and Jaccard losses and against a
// plain loop.
#include "../../plugins/decoders/modular/modular_family.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include <concord/kit/rng.hpp>

namespace concord::modular_family_test {

using namespace concord::kit;
using concord::modular::maximiser;
using concord::modular::solve_family;
using concord::modular::two_values;
using concord::modular::Winner;

namespace {

struct FBetaFamily {
  Vector t, constants, beta;
};

/// math: t_k = -(1+b^2) / (4 (b^2 p + k)), const_k = 1 + t_k (2k + 1'y), both 0 for p = k = 0.
FBetaFamily f_beta_family(const Vector& y, double b) {
  const Index V = y.size();
  const double p = (y.array() > 0).count();
  FBetaFamily family{Vector::Zero(V + 1), Vector::Zero(V + 1), Vector::Zero(V + 1)};
  for (Index k = 0; k <= V; ++k) {
    const double size = b * b * p + static_cast<double>(k);
    family.beta[k] = beta_of(V, k);
    if (size == 0) continue;
    family.t[k] = -(1 + b * b) / (4 * size);
    family.constants[k] = 1 + family.t[k] * (static_cast<double>(2 * k) + y.sum());
  }
  return family;
}

double f_beta_loss(const Vector& u, const Vector& y, double b) {
  const double p = (y.array() > 0).count();
  const double k = (u.array() > 0).count();
  const double j = (u.array() > 0 && y.array() > 0).count();
  return p + k == 0 ? 0 : 1 - (1 + b * b) * j / (b * b * p + k);
}

/// 1 - |u and y| / |u or y|, 0 if both are empty.
double jaccard_loss(const Vector& u, const Vector& y) {
  const double both = (u.array() > 0 && y.array() > 0).count();
  const double either = (u.array() > 0 || y.array() > 0).count();
  return either == 0 ? 0 : 1 - both / either;
}

/// Subproblem f fixes the false positives: e is 1 where y is -1, e'u = 2f - |e|, and the loss is linear in u.
struct JaccardFamily {
  Vector e, t, constants, beta;
};

JaccardFamily jaccard_family(const Vector& y) {
  const Index p = (y.array() > 0).count();
  const Index n = y.size() - p;
  JaccardFamily family{(y.array() < 0).cast<double>(), Vector(n + 1), Vector(n + 1), Vector(n + 1)};
  for (Index f = 0; f <= n; ++f) {
    const auto either = static_cast<double>(p + f);
    family.beta[f] = beta_of(n, f);
    family.t[f] = either == 0 ? 0 : -1 / (2 * either);
    family.constants[f] = either == 0 ? 0 : 1 + family.t[f] * static_cast<double>(p);
  }
  return family;
}

/// What the decoder's contract says: solve each subproblem, the best of them, the smallest s.
Winner plain_loop(const Vector& c, const Vector& y, const Vector& t, const Vector& constants, const Vector& e,
                  const Vector& beta) {
  Winner best;
  const Index ones = (e.array() != 0).count();
  for (Index s = 0; s < t.size(); ++s) {
    const Vector linear = c + t[s] * y;
    const auto k = k_of(ones, beta[s]);
    if (!k && !std::isnan(beta[s])) continue;
    const Vector u = maximiser(linear, e, k);
    const double value = constants[s] + linear.dot(u);
    const double scale = std::abs(constants[s]) + linear.cwiseAbs().sum();
    if (best.subproblem < 0 || exceeds(value, best.value, scale)) best = {s, u, value};
  }
  return best;
}

struct Optimum {
  double value = -std::numeric_limits<double>::infinity();
  Index subproblem = -1;  ///< the first that has a maximiser
};

/// Maximises loss(u) + c'u over all labellings, each of which belongs to one subproblem.
template <class Loss, class Subproblem>
Optimum by_enumeration(const Vector& c, Loss loss, Subproblem subproblem_of) {
  Optimum best;
  for (uint64_t code = 0; code < uint64_t{1} << c.size(); ++code) {
    Vector u(c.size());
    for (Index v = 0; v < c.size(); ++v) u[v] = (code >> v) & 1 ? 1 : -1;
    const double value = loss(u) + u.dot(c);
    const Index subproblem = subproblem_of(u);
    if (value > best.value + 1e-12) best.subproblem = subproblem;
    if (std::abs(value - best.value) <= 1e-12) best.subproblem = std::min(best.subproblem, subproblem);
    best.value = std::max(best.value, value);
  }
  return best;
}

Vector random_c(Rng& rng, Index V, int kind) {
  Vector c(V);
  for (double& x : c) {
    if (kind == 0) x = rng.normal();
    if (kind == 1) x = static_cast<double>(rng.below(5)) - 2;
    if (kind == 2) x = (static_cast<double>(rng.below(5)) - 2) / 8;  // of the size of the loss: ties with t
    if (kind == 3) x = 0;
  }
  return c;
}

Vector random_y(Rng& rng, Index V, int trial) {
  Vector y(V);
  for (double& x : y) x = rng.below(2) == 0 ? -1 : 1;
  if (trial % 7 == 0) y.setConstant(-1);  // p = 0
  if (trial % 7 == 1) y.setConstant(1);   // p = V
  return y;
}

/// check(rng, trial, c, y) for 4000 problems of up to `most` labels.
template <class Check>
void for_problems(uint64_t seed, uint64_t most, Check&& check) {
  Rng rng(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const auto V = static_cast<Index>(1 + rng.below(most));
    const Vector c = random_c(rng, V, trial % 4);
    check(rng, trial, c, random_y(rng, V, trial));
  }
}

}  // namespace

TEST_CASE("modular family: F-beta by brute force", "[modular]") {
  for_problems(11, 8, [](Rng& rng, int, const Vector& c, const Vector& y) {
    const double b = std::array{0.5, 1.0, 2.0}[rng.below(3)];
    const FBetaFamily family = f_beta_family(y, b);
    const Winner found = solve_family(c, y, family.t, family.constants, Vector::Ones(c.size()), family.beta);

    const auto loss = [&](const Vector& u) { return f_beta_loss(u, y, b); };
    const auto [best, smallest_k] =
        by_enumeration(c, loss, [](const Vector& u) { return (u.array() > 0).count(); });
    INFO("beta " << b << ", c " << c.transpose() << ", y " << y.transpose());
    REQUIRE(found.value == Approx(best).margin(1e-12));
    REQUIRE(loss(found.u) + found.u.dot(c) == Approx(best).margin(1e-12));
    REQUIRE(found.subproblem == smallest_k);
    REQUIRE((found.u.array() > 0).count() == smallest_k);
  });
}

TEST_CASE("modular family: the same labels as one solve for each subproblem", "[modular]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for_problems(12, 30, [&](Rng& rng, int trial, const Vector& c, const Vector& y) {
    const Index V = c.size();
    const auto n = static_cast<Index>(1 + rng.below(6));
    Vector t = random_c(rng, n, trial % 3);
    Vector constants = random_c(rng, n, trial % 3);
    Vector e = Vector::Ones(V);
    if (trial % 4 == 1)
      for (double& x : e) x = static_cast<double>(rng.below(2));
    const auto ones = static_cast<Index>(e.sum());
    Vector beta(n);
    for (double& x : beta)
      x = rng.below(3) == 0 ? nan
                            : beta_of(ones, static_cast<Index>(rng.below(static_cast<uint64_t>(ones) + 2)));
    beta[0] = beta_of(ones, 0);  // the others may ask for one more than there are
    if (trial % 4 == 0) {
      const FBetaFamily family = f_beta_family(y, 1);
      t = family.t;
      constants = family.constants;
      beta = family.beta;
    }
    const Winner found = solve_family(c, y, t, constants, e, beta);
    const Winner expected = plain_loop(c, y, t, constants, e, beta);
    REQUIRE(found.subproblem == expected.subproblem);
    REQUIRE(found.u == expected.u);
    REQUIRE(found.value == Approx(expected.value).margin(1e-12));
  });
}

TEST_CASE("modular family: Jaccard by brute force", "[modular]") {
  for_problems(13, 8, [](Rng&, int, const Vector& c, const Vector& y) {
    const JaccardFamily family = jaccard_family(y);
    const Vector positives = (y.array() > 0).cast<double>();
    const Winner found = solve_family(c, positives, family.t, family.constants, family.e, family.beta);

    const auto loss = [&](const Vector& u) { return jaccard_loss(u, y); };
    const auto false_positives = [&](const Vector& u) { return (u.array() > 0 && y.array() < 0).count(); };
    const auto [best, fewest] = by_enumeration(c, loss, false_positives);
    INFO("c " << c.transpose() << ", y " << y.transpose());
    REQUIRE(found.value == Approx(best).margin(1e-12));
    REQUIRE(loss(found.u) + found.u.dot(c) == Approx(best).margin(1e-12));
    REQUIRE(found.subproblem == fewest);
  });
}

TEST_CASE("modular family: the values of a direction", "[modular]") {
  CHECK(two_values((Vector(3) << 2, 2, 2).finished()) == std::array{2.0, 2.0});
  CHECK(two_values((Vector(3) << 0, 1, 0).finished()) == std::array{0.0, 1.0});
  CHECK_FALSE(two_values((Vector(3) << 0, 1, 2).finished()));
}

TEST_CASE("modular family: subproblems without a feasible point are left out", "[modular]") {
  const Vector c = Vector::Ones(2);
  const Vector y = Vector::Ones(2);
  const Vector zero = Vector::Zero(2);
  CHECK(solve_family(c, y, zero, zero, y, (Vector(2) << 1, 0).finished()).subproblem == 1);
  CHECK(solve_family(c, y, zero, zero, y, (Vector(2) << 1, 4).finished()).subproblem == -1);
}

}  // namespace concord::modular_family_test
