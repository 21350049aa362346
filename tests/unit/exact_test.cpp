// SPDX-License-Identifier: MIT
// The exact search and tabu search against enumeration, and what they say at a limit.
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include <concord/kit/subproblem.hpp>
#include <concord/kit/tabu.hpp>

#include "exact_support.hpp"

namespace concord::exact_test {

using namespace concord::test;

namespace {

CanonicalProblem scaled(CanonicalProblem p, double a, double b) {
  p.A = PriorMatrix(Eigen::MatrixXd(a * p.A.to_dense()));
  p.c *= b;
  return p;
}

/// Mixed signs, ties, zeros, sparse, dominated by scores or by the prior, with and without a cardinality.
void against_enumeration(int count, int64_t most_labels, uint64_t seed) {
  kit::Rng rng(seed);
  for (int i = 0; i < count; ++i) {
    const auto V = static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(most_labels)));
    const PriorSign sign = i % 7 == 0   ? PriorSign::repulsive
                           : i % 7 == 1 ? PriorSign::attractive
                                        : PriorSign::any;
    CanonicalProblem p = random_problem(rng, V, sign, i % 3 == 0, i % 4 == 0 ? 0.3 : 1);
    if (i % 5 == 1) p.c.setZero();
    if (i % 5 == 2) p = scaled(p, 1, 8);
    if (i % 11 == 3) p = scaled(p, 1e-150, 1e-150);
    if (i % 11 == 4) p = scaled(p, 1e120, 1e120);
    if (i % 2 == 0) p.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1));
    const RelaxedSolution s = exact(p);
    const double best = enumerated(p);
    INFO("problem " << i << ", V = " << V << ", k = " << p.k.value_or(-1));
    REQUIRE(s.status == CONCORD_OPTIMAL);
    REQUIRE(std::abs(s.value - best) <= tolerance_of(p));
    REQUIRE(s.bound >= best - 1e-3 * tolerance_of(p));
  }
}

/// As in the published collections: integers from -100 to 100 with a density, in the canonical form.
CanonicalProblem published_style(int64_t V, double density, uint64_t seed) {
  kit::Rng rng(seed);
  const auto entry = [&] { return static_cast<double>(rng.below(201)) - 100; };
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(V, V);
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j <= i; ++j)
      if (rng.uniform() < density) Q(i, j) = Q(j, i) = entry();
  CanonicalProblem p;
  p.c = -0.5 * Q.rowwise().sum();
  Q /= 4;
  Q.diagonal().setZero();
  p.A = PriorMatrix(Q);
  return p;
}

}  // namespace

TEST_CASE("exact equals enumeration", "[exact]") {
  against_enumeration(150, 17, 1);
}
TEST_CASE("exact equals enumeration, 1000 problems of up to 20 labels", "[.full]") {
  against_enumeration(1000, 20, 2);
}

TEST_CASE("exact: one huge score does not make the rest negligible", "[exact]") {
  const auto exact = make_decoder("exact");
  CanonicalProblem problem;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
  A(1, 2) = A(2, 1) = -0.25;
  problem.A = PriorMatrix(A);
  problem.c = Eigen::Vector3d(1e10, 0.125, -0.125);
  exact->prepare(problem.A);
  const RelaxedSolution s = exact->solve({problem.c});
  CHECK(s.status == CONCORD_OPTIMAL);
  CHECK(s.value == naive_optimum(problem));
  CHECK(s.u()[1] == s.u()[2]);
}

TEST_CASE("exact: every cardinality of one problem", "[exact]") {
  kit::Rng rng(3);
  for (const bool integers : {false, true}) {
    CanonicalProblem p = random_problem(rng, 16, PriorSign::any, integers);
    for (int64_t k = 0; k <= 16; ++k) {
      p.k = k;
      const RelaxedSolution s = exact(p);
      CHECK(s.status == CONCORD_OPTIMAL);
      CHECK(std::abs(s.value - enumerated(p)) <= tolerance_of(p));
    }
  }
}

TEST_CASE("exact: many equal optima do not blow up the tree", "[exact]") {
  for (const double a : {0.25, -0.25, 0.0}) {  // every pair alike: K_41 with one weight
    CanonicalProblem p;
    Eigen::MatrixXd A = Eigen::MatrixXd::Constant(41, 41, a);
    A.diagonal().setZero();
    p.A = PriorMatrix(A);
    p.c = Eigen::VectorXd::Zero(41);
    const RelaxedSolution s = exact(p);
    CHECK(s.status == CONCORD_OPTIMAL);
    CHECK(s.value == Approx(a > 0 ? 10 : a < 0 ? 0.25 * 41 * 40 : 0));
    CHECK(s.nodes < 50);
  }
}

TEST_CASE("exact: the same tree every time, and dense problems beyond enumeration", "[exact]") {
  kit::Rng rng(4);
  const CanonicalProblem p = random_problem(rng, 32, PriorSign::any, false);
  const RelaxedSolution a = exact(p);
  const RelaxedSolution b = exact(p);
  CHECK(a.status == CONCORD_OPTIMAL);
  CHECK(a.nodes == b.nodes);
  CHECK(a.value == b.value);
  CHECK(a.bound == b.bound);
  CHECK(a.F == b.F);
}

TEST_CASE("exact: at the node limit an honest gap", "[exact]") {
  const CanonicalProblem p = published_style(40, 1, 5);
  const RelaxedSolution cut = exact(p, {{"node_limit", "1", ""}});
  const RelaxedSolution all = exact(p);
  CHECK(all.status == CONCORD_OPTIMAL);
  CHECK(cut.status == CONCORD_LIMIT);
  CHECK(cut.nodes == 1);
  CHECK(cut.bound >= all.value);
  CHECK(cut.value <= all.value);
  CHECK(cut.bound < 1.2 * all.value);
}

TEST_CASE("exact: published-style files are proven or have an honest gap", "[.full]") {
  for (const int64_t V : {30, 50, 70, 100})
    for (const double density : {0.1, 0.5, 1.0}) {
      const CanonicalProblem p = published_style(V, density, static_cast<uint64_t>(V));
      const RelaxedSolution s = exact(p, {{"node_limit", "300", ""}});
      INFO("V = " << V << ", density " << density << ", nodes " << s.nodes);
      CHECK((s.status == CONCORD_OPTIMAL || s.status == CONCORD_LIMIT));
      CHECK(s.bound >= s.value - tolerance_of(p));
      CHECK(s.bound <= 1.1 * s.value);
      if (V <= 50) CHECK(s.status == CONCORD_OPTIMAL);
    }
}

TEST_CASE("reductions keep an optimum", "[exact]") {
  kit::Rng rng(6);
  int64_t fixings = 0;
  for (int i = 0; i < 400; ++i) {
    CanonicalProblem p = random_problem(rng, 9, PriorSign::any, i % 2 == 0, i % 3 == 0 ? 0.3 : 1);
    p.c *= static_cast<double>(1 + i % 8);
    if (i % 4 >= 2) p.k = i % 10;
    kit::Fixings fixed(9, 0);
    const kit::Subproblem rest = kit::reduce(p.A.to_dense(), p.c, p.k, fixed);
    double best = -1e300;
    for_all_labellings(p, [&](const LabelVector& y, double value) {
      bool agrees = true;
      for (int64_t v = 0; v < 9; ++v) agrees = agrees && (fixed[v] == 0 || fixed[v] == y(v));
      if (agrees) best = std::max(best, value);
    });
    CHECK(std::abs(best - naive_optimum(p)) <= tolerance_of(p));
    fixings += 9 - rest.size();
  }
  CHECK(fixings > 400);  // they do find something
}

TEST_CASE("tabu finds what exact proves", "[exact]") {
  kit::Rng rng(7);
  int same = 0;
  int64_t all = 0;
  for (int i = 0; i < 60; ++i, ++all) {
    CanonicalProblem p = random_problem(rng, 10 + i % 13, PriorSign::any, i % 4 == 0);
    if (i % 2 == 0) p.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(p.labels()) + 1));
    const auto tabu = make_decoder("tabu");
    tabu->prepare(p.A);
    const RelaxedSolution s = tabu->solve(Instance{p.c, p.k, static_cast<uint64_t>(i), nullptr});
    CHECK(s.status == CONCORD_FEASIBLE);
    CHECK(std::isnan(s.bound));
    const double best = exact(p).value;
    CHECK(s.value <= best + tolerance_of(p));
    same += s.value >= best - tolerance_of(p) ? 1 : 0;
  }
  CHECK(same == all);
}

TEST_CASE("tabu search: never worse than its start, dense and sparse, and it stops", "[exact]") {
  kit::Rng rng(8);
  for (int i = 0; i < 100; ++i) {
    const CanonicalProblem p = random_problem(rng, 1 + i % 14, PriorSign::any, i % 2 == 0, 0.5);
    const Eigen::MatrixXd A = p.A.to_dense();
    const Eigen::SparseMatrix<double> S = A.sparseView();
    Eigen::VectorXd start(p.labels());
    for (double& u : start) u = rng.below(2) == 0 ? 1 : -1;
    for (const kit::Move move : {kit::Move::flip, kit::Move::swap}) {
      const auto never = [] { return false; };
      const kit::TabuSearch dense = kit::tabu_search(A, p.c, start, move, 300, 1, never);
      const kit::TabuSearch sparse = kit::tabu_search(S, p.c, start, move, 300, 1, never);
      CHECK(dense.value >= kit::objective(A, p.c, start));
      CHECK(dense.value == Approx(kit::objective(A, p.c, dense.u)));
      CHECK(sparse.value >= kit::objective(A, p.c, start));
      if (move == kit::Move::swap) CHECK(dense.u.sum() == start.sum());
      if (p.labels() > 1 && move == kit::Move::flip)
        CHECK(kit::tabu_search(A, p.c, start, move, 1 << 30, 1, [] { return true; }).moves == 256);
    }
  }
}

}  // namespace concord::exact_test
