// SPDX-License-Identifier: MIT
// Cuts: min-cut, min-cut-dual, tv-prox and submodular-greedy against plain enumeration, against each other and
// against LEMON.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include <concord/kit/tv_prox.hpp>

#include "support.hpp"

namespace concord::cuts_test {

using namespace concord::test;
using Catch::Matchers::Contains;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr auto never = [] { return false; };

/// Attractive problems: normal numbers, small integers (ties), few couplings, c = 0, c or A negligible.
CanonicalProblem draw(kit::Rng& rng, int64_t V, int kind) {
  CanonicalProblem problem =
      random_problem(rng, V, PriorSign::attractive, kind % 3 == 1, kind % 3 == 2 ? 0.3 : 1.0);
  if (kind % 7 == 3) problem.c.setZero();
  // By powers of two: the ties of small integers stay exact.
  if (kind % 7 == 4) problem.c *= 0x1p-17;
  if (kind % 7 == 5) problem.c *= 0x1p17;
  if (kind % 7 == 6) problem.c *= static_cast<double>(V) / 4;
  return problem;
}

double tolerance(const CanonicalProblem& p) {
  return 1e-9 * (1 + p.c.cwiseAbs().sum() + p.A.abs_sum());
}

/// All labellings: the best value for every k, and the intersection of the best sets of all.
struct Truth {
  std::vector<double> best;
  double optimum = -std::numeric_limits<double>::infinity();
  VectorXd smallest;

  explicit Truth(const CanonicalProblem& p)
      : best(static_cast<size_t>(p.labels()) + 1, -std::numeric_limits<double>::infinity()) {
    const double tie = 1e-11 * (1 + p.c.cwiseAbs().sum() + p.A.abs_sum());
    for_all_labellings(p, [&](const LabelVector& y, double value) {
      double& of_k = best[static_cast<size_t>((y > 0).count())];
      of_k = std::max(of_k, value);
      const VectorXd u = y.cast<double>();
      if (value > optimum + tie) smallest = u;
      if (std::abs(value - optimum) <= tie) smallest = smallest.cwiseMin(u);
      optimum = std::max(optimum, value);
    });
  }

  /// min over mu of max_j best[j] - mu (j - k), by bisection on the sign of the slope at the maximiser.
  double dual(int64_t k) const {
    double low = -1e9, high = 1e9, value = 0;
    for (int i = 0; i < 200; ++i) {
      const double mu = (low + high) / 2;
      int64_t at = 0;
      value = -std::numeric_limits<double>::infinity();
      for (size_t j = 0; j < best.size(); ++j) {
        const double here = best[j] - mu * static_cast<double>(static_cast<int64_t>(j) - k);
        if (here > value) {
          value = here;
          at = static_cast<int64_t>(j);
        }
      }
      if (at == k) break;
      (at > k ? low : high) = mu;
    }
    return value;
  }
};

void against_enumeration(int problems, uint64_t seed) {
  kit::Rng rng(seed);
  const auto dense = make_decoder("min-cut");
  const auto lemon = make_decoder("min-cut", {{"engine", "lemon", "test"}});
  const auto prox = make_decoder("tv-prox");
  const auto dual = make_decoder("min-cut-dual");
  int64_t hit = 0, missed = 0;
  for (int i = 0; i < problems; ++i) {
    CanonicalProblem p = draw(rng, 1 + static_cast<int64_t>(rng.below(9)), i);
    const Truth truth(p);
    const double tol = tolerance(p);
    CAPTURE(i, p.labels());
    for (const Decoder* decoder : {dense.get(), lemon.get(), prox.get(), dual.get()}) {
      const_cast<Decoder*>(decoder)->prepare(p.A);
      const RelaxedSolution cut = decoder->solve({p.c});
      REQUIRE(cut.status == CONCORD_OPTIMAL);
      REQUIRE(std::abs(cut.value - truth.optimum) <= tol);
      REQUIRE(cut.bound == cut.value);
      REQUIRE(cut.u() == truth.smallest);
    }
    for (int64_t k = 0; k <= p.labels(); ++k) {
      const double best = truth.best[static_cast<size_t>(k)];
      const RelaxedSolution found = prox->solve({p.c, k});
      CAPTURE(k, best, found.value, found.bound);
      REQUIRE(found.bound >= best - tol);
      REQUIRE(std::abs(found.value - truth.dual(k)) <= tol);
      REQUIRE(std::abs(found.bound - found.value) <= tol);
      (found.status == CONCORD_OPTIMAL ? hit : missed) += 1;
      if (found.status == CONCORD_OPTIMAL) {
        REQUIRE(std::abs(found.value - best) <= tol);
        REQUIRE_THAT(found.message, Contains("a minimum cut has this cardinality"));
      } else {
        REQUIRE(found.status == CONCORD_RELAXED);
        REQUIRE(found.F.cols() == 2);
        REQUIRE_THAT(found.message, Contains("a mixture of those with"));
      }
      const RelaxedSolution bisected = dual->solve({p.c, k});
      REQUIRE(bisected.bound >= best - tol);
      REQUIRE(bisected.bound >= found.value - tol);
      REQUIRE(bisected.value <= found.value + tol);
      REQUIRE(bisected.bound - bisected.value <= 1e-9 * (1 + std::abs(bisected.bound)) + tol);
    }
  }
  CHECK(hit > problems);
  CHECK(missed > problems);
}

/// x*: nested sets, falling levels, and for levels everywhere the cut that LEMON finds.
void against_lemon(int problems, int64_t most_labels, uint64_t seed) {
  kit::Rng rng(seed);
  const auto lemon = make_decoder("min-cut", {{"engine", "lemon", "test"}});
  const auto dense = make_decoder("min-cut");
  kit::TvProx prox;
  kit::LevelSets sets;
  for (int i = 0; i < problems; ++i) {
    CanonicalProblem p =
        draw(rng, 2 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(most_labels))), i);
    const auto V = static_cast<size_t>(p.labels());
    CAPTURE(i, V);
    lemon->prepare(p.A);
    dense->prepare(p.A);
    const kit::CutGraph graph(p.A.dense());
    REQUIRE(prox.solve(graph, p.c, std::nullopt, sets, never));
    REQUIRE(std::set<size_t>(sets.order.begin(), sets.order.end()).size() == V);
    REQUIRE(sets.sizes.front() == 0);
    REQUIRE(sets.sizes.back() == V);
    REQUIRE(sets.levels.size() + 1 == sets.sizes.size());
    // At a level itself only the exact integers decide; half way to the next, and beyond both ends, all must.
    for (size_t j = 0; j <= sets.levels.size(); ++j) {
      const double above = j == 0 ? sets.levels[0] + 1 : sets.levels[j - 1];
      const double below = j == sets.levels.size() ? sets.levels.back() - 1 : sets.levels[j];
      REQUIRE(below < above);
      if (above - below <= 1e-9 * (1 + std::abs(above))) continue;
      const VectorXd c = p.c.array() - (above + below) / 4;
      const VectorXd u = lemon->solve({c}).u();
      REQUIRE(u == sets.labelling(j));
      REQUIRE(u == dense->solve({c}).u());
    }
  }
}

}  // namespace

TEST_CASE("cuts equal enumeration") {
  against_enumeration(400, 71);
}
TEST_CASE("cuts equal enumeration, 10000 problems", "[.full]") {
  against_enumeration(10000, 72);
}

TEST_CASE("level sets are LEMON's cuts") {
  against_lemon(60, 40, 73);
}
TEST_CASE("level sets are LEMON's cuts, larger", "[.full]") {
  against_lemon(2000, 60, 74);
  against_lemon(40, 300, 75);
}

TEST_CASE("dense and LEMON cuts for many scales of c") {
  kit::Rng rng(76);
  const auto dense = make_decoder("min-cut");
  const auto lemon = make_decoder("min-cut", {{"engine", "lemon", "test"}});
  for (const double density : {1.0, 0.1, 0.02}) {
    CanonicalProblem p = random_problem(rng, 120, PriorSign::attractive, false, density);
    dense->prepare(p.A);
    lemon->prepare(p.A);
    for (int step = 0; step <= 30; ++step) {
      const double scale = 0.1 * std::pow(1.3, step);  // up to 262
      for (double& x : p.c) x = scale * rng.normal();
      CAPTURE(density, scale);
      CHECK(dense->solve({p.c}).u() == lemon->solve({p.c}).u());
    }
  }
}

TEST_CASE("long chains of couplings, and powers of two far from 1") {
  constexpr int64_t V = 200;
  MatrixXd A = MatrixXd::Zero(V, V);
  for (int64_t v = 1; v < V; ++v) A(v, v - 1) = A(v - 1, v) = -1;
  VectorXd c = VectorXd::Zero(V);
  c[0] = 2.5;
  c[V - 1] = -2.5;
  const auto dense = make_decoder("min-cut");
  const auto lemon = make_decoder("min-cut", {{"engine", "lemon", "test"}});
  const auto prox = make_decoder("tv-prox");
  dense->prepare(PriorMatrix(A));
  lemon->prepare(PriorMatrix(A));
  // Cutting the chain anywhere costs the same: the minimal set is the first label alone.
  const VectorXd u = dense->solve({c}).u();
  CHECK(u == lemon->solve({c}).u());
  CHECK((u.array() > 0).count() == 1);
  kit::Rng rng(77);
  for (double& x : c) x = rng.normal();
  const VectorXd reference = dense->solve({c}).u();
  CHECK(reference == lemon->solve({c}).u());
  for (const int exponent : {-900, -300, 300, 900}) {
    const PriorMatrix scaled(MatrixXd(A * std::ldexp(1.0, exponent)));
    for (Decoder* decoder : {dense.get(), prox.get()}) {
      decoder->prepare(scaled);
      CHECK(decoder->solve({c * std::ldexp(1.0, exponent)}).u() == reference);
      CHECK(decoder->solve({VectorXd(c * 1e-300)}).status == CONCORD_OPTIMAL);
    }
  }
}

TEST_CASE("a repelling pair is refused by name") {
  MatrixXd A = MatrixXd::Constant(4, 4, -1);
  A(1, 3) = A(3, 1) = 0.5;
  for (const char* name : {"min-cut", "min-cut-dual", "tv-prox", "submodular-greedy"})
    CHECK_THROWS_WITH(make_decoder(name)->prepare(PriorMatrix(A)), Contains("positive for labels 1 and 3"));
  CHECK_THROWS_WITH(make_decoder("min-cut")->require_supported(PriorMatrix(MatrixXd(-A.cwiseAbs())), true),
                    Contains("takes no cardinality"));
}

TEST_CASE("F-beta: tv-prox's family equals the loop, its bound is true; greedy is what it says") {
  kit::Rng rng(78);
  const auto prox = make_decoder("tv-prox");
  const auto greedy = make_decoder("submodular-greedy");
  int64_t solved = 0, all = 0, greedy_optimal = 0;
  constexpr int problems = 300;
  for (int i = 0; i < problems; ++i) {
    CanonicalProblem p = draw(rng, 1 + static_cast<int64_t>(rng.below(8)), i);
    p.A = PriorMatrix(MatrixXd(p.A.dense() * 0.1));
    p.c *= 0.1;
    const int64_t V = p.labels();
    const double beta = i % 2 == 0 ? 1 : 2;
    const auto loss = make_loss("f-beta", {{"beta", std::to_string(beta), "test"}});
    loss->prepare(V, 1, std::vector<int64_t>(static_cast<size_t>(V), 1));
    LabelVector y(V);
    for (auto& label : y) label = rng.below(3) == 0 ? 1 : -1;
    const FamilyData family = loss->describe(y);
    double optimum = -std::numeric_limits<double>::infinity();
    for_all_labellings(p, [&](const LabelVector& u, double value) {
      optimum = std::max(optimum, value + loss->evaluate(u, y));
    });
    CAPTURE(i, V, optimum);
    const double tol = tolerance(p) + 1e-9;
    prox->prepare(p.A);
    const RelaxedSolution native = prox->solve_family({p.c}, family);
    const RelaxedSolution loop = prox->solve_family_by_loop({p.c}, family);
    REQUIRE(std::abs(native.value - loop.value) <= tol);
    REQUIRE(native.subproblem == loop.subproblem);
    REQUIRE(native.F.isApprox(loop.F, 1e-12));
    REQUIRE(native.bound >= optimum - tol);
    REQUIRE(native.solved + native.pruned == V + 1);
    if (native.status == CONCORD_OPTIMAL) REQUIRE(std::abs(native.value - optimum) <= tol);
    solved += native.solved;
    all += V + 1;

    greedy->prepare(p.A);
    const RelaxedSolution climbed = greedy->solve_family({p.c}, family);
    const LabelVector u = climbed.u().cast<int8_t>();
    const auto augmented = [&](const LabelVector& w) {
      return p.value(w.cast<double>()) + loss->evaluate(w, y);
    };
    REQUIRE(climbed.status == CONCORD_FEASIBLE);
    REQUIRE(std::isnan(climbed.bound));
    REQUIRE(climbed.subproblem == (u > 0).count());
    REQUIRE(climbed.value == Approx(augmented(u)).margin(tol));
    REQUIRE(climbed.value >= augmented(LabelVector::Constant(V, -1)) - tol);
    for (int64_t v = 0; v < V; ++v) {
      LabelVector more = u;
      more[v] = 1;
      REQUIRE(augmented(more) <= climbed.value + tol);
    }
    if (std::abs(climbed.value - optimum) <= tol) ++greedy_optimal;
  }
  CHECK(2 * solved < all);
  CHECK(2 * greedy_optimal > problems);
}

TEST_CASE("greedy by hand") {
  // Labels 1 and 2 pay only together, so nothing is added to label 0.
  MatrixXd A = MatrixXd::Zero(3, 3);
  A(1, 2) = A(2, 1) = -1;
  const VectorXd c = (VectorXd(3) << 1, -1.5, -1.5).finished();
  const auto greedy = make_decoder("submodular-greedy");
  greedy->prepare(PriorMatrix(A));
  CHECK(greedy->solve({c}).u() == (VectorXd(3) << 1, -1, -1).finished());
  CHECK(greedy->solve({c, 0}).u() == VectorXd::Constant(3, -1));
  CHECK(greedy->solve({c, 2}).u() == (VectorXd(3) << 1, 1, -1).finished());
  CHECK(greedy->solve({c, 3}).value == Approx(-2 + 2));
}

}  // namespace concord::cuts_test
