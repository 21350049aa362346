// SPDX-License-Identifier: MIT
// The kit's conventions, generator, enumeration and local search, each against its definition.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/local_search.hpp>
#include <concord/kit/rng.hpp>

#include "problem/random.hpp"

namespace concord::kit_test {

using namespace concord::kit;

namespace {

struct Instance {
  Matrix A;
  Vector c;
};

Instance random_instance(Rng& rng, Index V, bool integers, double density = 1) {
  const CanonicalProblem problem = random_problem(rng, V, PriorSign::any, integers, density);
  return {problem.A.dense(), problem.c};
}

Vector labelling(Index V, uint64_t code) {
  Vector u(V);
  for (Index v = 0; v < V; ++v) u[v] = (code >> v) & 1 ? 1 : -1;
  return u;
}

/// The definition: codes in increasing order, the first of the best ones.
Vector brute_force(const Instance& p, std::optional<Index> k) {
  Vector best;
  for (uint64_t code = 0; code < uint64_t{1} << p.c.size(); ++code) {
    if (k && std::popcount(code) != *k) continue;
    const Vector u = labelling(p.c.size(), code);
    if (best.size() == 0 || objective(p.A, p.c, u) > objective(p.A, p.c, best)) best = u;
  }
  return best;
}

int64_t binomial(Index n, Index k) {
  int64_t b = 1;
  for (Index i = 1; i <= k; ++i) b = b * (n - k + i) / i;
  return b;
}

const auto never = [] { return false; };

}  // namespace

TEST_CASE("conventions: sign, top-k and beta", "[kit]") {
  const Vector x = (Vector(5) << 0, 2, -1, 2, 1e-300).finished();
  CHECK(sign(x) == (Vector(5) << -1, 1, -1, 1, 1).finished());
  CHECK(sign(x, 1) == (Vector(5) << -1, 1, -1, 1, -1).finished());
  CHECK(descending(x) == std::vector<Index>{1, 3, 4, 0, 2});
  CHECK(top_k(x, 1) == (Vector(5) << -1, 1, -1, -1, -1).finished());
  CHECK(top_k(Vector::Zero(3), 2) == (Vector(3) << 1, 1, -1).finished());
  CHECK(top_k(x, 0) == Vector::Constant(5, -1));
  CHECK(top_k(x, 5) == Vector::Ones(5));
  CHECK_THROWS_AS(top_k(x, 6), std::invalid_argument);

  for (Index V = 1; V < 6; ++V)
    for (Index k = 0; k <= V; ++k) CHECK(k_of(V, beta_of(V, k)) == k);
  CHECK_FALSE(k_of(4, 1));   // parity
  CHECK_FALSE(k_of(4, 6));   // beyond V
  CHECK_FALSE(k_of(4, -6));  // below 0
  CHECK_FALSE(k_of(4, std::nan("")));
  CHECK(exceeds(1 + 1e-12, 1, 1));
  CHECK_FALSE(exceeds(1 + 4e-16, 1, 1));
}

TEST_CASE("rng: published values", "[kit]") {
  uint64_t state = 1234567;
  for (const uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u})
    CHECK(splitmix64(state) == expected);
  Rng rng(1, 2, 3, 4);
  for (const uint64_t expected :
       {uint64_t{11520}, uint64_t{0}, uint64_t{1509978240}, uint64_t{1215971899390074240}})
    CHECK(rng.next() == expected);
}

TEST_CASE("rng: distributions", "[kit]") {
  Rng rng(7);
  constexpr int n = 200000;
  std::array<double, 5> moment{};  // of the uniform: 1; of the normal: 1 to 4
  std::array<int, 6> count{};
  for (int i = 0; i < n; ++i) {
    const double r = rng.uniform();
    if (r < 0 || r >= 1) FAIL("uniform out of range");
    const double z = rng.normal();
    moment[0] += r / n;
    for (size_t power = 1; power <= 4; ++power) moment[power] += std::pow(z, power) / n;
    ++count[rng.below(6)];
  }
  // Five standard deviations of each mean.
  const double sd = 5 / std::sqrt(n);
  CHECK(std::abs(moment[0] - 0.5) < sd * std::sqrt(1.0 / 12));
  CHECK(std::abs(moment[1]) < sd);
  CHECK(std::abs(moment[2] - 1) < sd * std::sqrt(2));
  CHECK(std::abs(moment[3]) < sd * std::sqrt(15));
  CHECK(std::abs(moment[4] - 3) < sd * std::sqrt(96));
  for (const int c : count) CHECK(std::abs(c - n / 6.0) < 5 * std::sqrt(n * 5 / 36.0));

  // For n = 3 * 2^62 plain `next() % n` would prefer the lower half of the range, 5 to 3.
  int low = 0;
  for (int i = 0; i < 10000; ++i) low += rng.below(uint64_t{3} << 62) < (uint64_t{3} << 61) ? 1 : 0;
  CHECK(std::abs(low - 5000) < 250);
  CHECK(rng.below(1) == 0);
  CHECK_THROWS_AS(rng.below(0), std::invalid_argument);

  CHECK(Rng(7).next() == Rng(7).next());
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 50; ++seed)
    for (uint64_t index = 0; index < 50; ++index) seeds.insert(derive(seed, index));
  CHECK(seeds.size() == 2500);
}

TEST_CASE("enumeration: the naive maximiser, every labelling once", "[kit]") {
  Rng rng(1);
  for (Index V = 1; V <= 10; ++V) {
    for (int trial = 0; trial < 12; ++trial) {
      Instance p = random_instance(rng, V, trial % 3 != 0, trial % 4 == 0 ? 0.3 : 1);
      if (trial == 1) p.A.setZero();
      if (trial == 2) p.c.setZero();
      if (trial == 4) p = {Matrix::Zero(V, V), Vector::Zero(V)};
      if (trial % 3 == 0) p.A = p.A * std::pow(10, rng.uniform() * 8 - 4);
      const Enumeration all = enumerate(p.A, p.c, std::nullopt, never);
      CHECK(all.complete);
      CHECK(all.visited == int64_t{1} << V);
      CHECK(all.u == brute_force(p, std::nullopt));
      CHECK(all.value == objective(p.A, p.c, all.u));
      for (Index k = 0; k <= V; ++k) {
        const Enumeration some = enumerate(p.A, p.c, k, never);
        CHECK(some.visited == binomial(V, k));
        CHECK(some.u == brute_force(p, k));
        CHECK(some.value == objective(p.A, p.c, some.u));
      }
    }
  }
}

TEST_CASE("enumeration: for A = 0 the conventions of sign and top-k", "[kit]") {
  Rng rng(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector c = random_instance(rng, 7, true).c;
    const Matrix A = Matrix::Zero(7, 7);
    CHECK(enumerate(A, c, std::nullopt, never).u == sign(c));
    for (Index k = 0; k <= 7; ++k) CHECK(enumerate(A, c, k, never).u == top_k(c, k));
  }
}

TEST_CASE("enumeration: the revolving door makes every set once, by exchanges", "[kit]") {
  for (Index V = 1; V <= 9; ++V) {
    for (Index k = 0; k <= V; ++k) {
      std::set<Index> current;
      for (Index v = 0; v < k; ++v) current.insert(v);
      std::set<std::set<Index>> seen{current};
      auto exchange = [&](Index out, Index in) {
        CHECK(current.erase(out) == 1);
        CHECK(current.insert(in).second);
        CHECK(seen.insert(current).second);
        return true;
      };
      CHECK(revolving_door(V, k, true, exchange));
      CHECK(static_cast<int64_t>(seen.size()) == binomial(V, k));
    }
  }
}

TEST_CASE("enumeration: stops when asked, with the best so far", "[kit]") {
  Rng rng(3);
  const Instance p = random_instance(rng, 16, false);
  for (const std::optional<Index> k : {std::optional<Index>(), std::optional<Index>(8)}) {
    int polls = 0;
    const Enumeration cut = enumerate(p.A, p.c, k, [&] { return ++polls == 2; });
    CHECK_FALSE(cut.complete);
    CHECK(cut.visited == 8192);
    CHECK(cut.value == objective(p.A, p.c, cut.u));
    if (k) CHECK(cut.u.sum() == beta_of(16, *k));
    CHECK(cut.value <= enumerate(p.A, p.c, k, never).value);
  }
}

TEST_CASE("labelling: gains and value follow the flips, dense and sparse", "[kit]") {
  Rng rng(4);
  for (int trial = 0; trial < 30; ++trial) {
    Instance p = random_instance(rng, 9, true, 0.5);
    p.A.diagonal().setConstant(trial % 2);  // a diagonal changes no gain
    const Eigen::SparseMatrix<double> S = p.A.sparseView();
    const Vector start = labelling(9, rng.below(512));
    Labelling<Matrix> dense(p.A, p.c, start);
    Labelling<Eigen::SparseMatrix<double>> sparse(S, p.c, start);
    for (int i = 0; i < 40; ++i) {
      const auto v = static_cast<Index>(rng.below(9));
      dense.flip(v);
      sparse.flip(v);
    }
    // The data are integers, so nothing is rounded and equality is exact.
    CHECK(dense.value() == objective(p.A, p.c, dense.u()));
    CHECK(sparse.value() == dense.value());
    for (Index v = 0; v < 9; ++v) {
      Vector flipped = dense.u();
      flipped[v] = -flipped[v];
      CHECK(dense.gain(v) == objective(p.A, p.c, flipped) - dense.value());
      CHECK(sparse.gain(v) == dense.gain(v));
    }
  }
}

TEST_CASE("local search: a local optimum, never worse than the start", "[kit]") {
  Rng rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto V = static_cast<Index>(1 + rng.below(12));
    const Instance p = random_instance(rng, V, trial % 2 == 0, trial % 3 == 0 ? 0.3 : 1);
    const Eigen::SparseMatrix<double, Eigen::RowMajor, int64_t> S = p.A.sparseView();
    const Vector start = labelling(V, rng.below(uint64_t{1} << V));
    const double before = objective(p.A, p.c, start);
    const double tolerance = 1e-12 * (1 + magnitude(p.A, p.c));
    for (const Move move : {Move::flip, Move::swap}) {
      const LocalSearch found = local_search(p.A, p.c, start, move, 1000, never);
      CHECK(found.local_optimum);
      CHECK(found.value == Approx(objective(p.A, p.c, found.u)).margin(tolerance));
      CHECK((found.value > before || (found.moves == 0 && found.u == start)));
      CHECK(local_search(S, p.c, start, move, 1000, never).u == found.u);
      for (Index v = 0; v < V; ++v) {
        Vector u = found.u;
        u[v] = -u[v];
        if (move == Move::flip) CHECK(objective(p.A, p.c, u) <= found.value + tolerance);
        for (Index w = 0; move == Move::swap && w < v; ++w) {
          if (found.u[w] == found.u[v]) continue;
          Vector swapped = u;
          swapped[w] = -swapped[w];
          CHECK(objective(p.A, p.c, swapped) <= found.value + tolerance);
        }
      }
      if (move == Move::swap) CHECK(found.u.sum() == start.sum());
    }
  }
}

TEST_CASE("local search: the steepest move, ties to the lowest index, limits", "[kit]") {
  const Matrix A = Matrix::Zero(4, 4);
  const Vector c = (Vector(4) << 1, 3, 3, -2).finished();
  const Vector down = Vector::Constant(4, -1);
  CHECK(local_search(A, c, down, Move::flip, 1, never).u == (Vector(4) << -1, 1, -1, -1).finished());
  CHECK(local_search(A, c, down, Move::flip, 2, never).u == (Vector(4) << -1, 1, 1, -1).finished());
  CHECK_FALSE(local_search(A, c, down, Move::flip, 2, never).local_optimum);
  CHECK(local_search(A, c, down, Move::flip, 9, never).moves == 3);
  CHECK(local_search(A, c, down, Move::flip, 0, never).u == down);
  const Vector last = (Vector(4) << -1, -1, -1, 1).finished();
  CHECK(local_search(A, c, last, Move::swap, 9, never).u == (Vector(4) << -1, 1, -1, -1).finished());
  const Vector many = Vector::Ones(500);
  const auto always = [] { return true; };
  CHECK(local_search(Matrix(Matrix::Zero(500, 500)), many, -many, Move::flip, 1000, always).moves == 63);
}

TEST_CASE("better_of keeps the start unless the candidate is strictly better", "[kit]") {
  const Matrix A = Matrix::Zero(2, 2);
  const Vector c = (Vector(2) << 1, 0).finished();
  const Vector candidate = (Vector(2) << 1, -1).finished();
  const int8_t tied[2] = {1, 1};
  const int8_t worse[2] = {-1, 1};
  CHECK(better_of(A, c, candidate, nullptr) == candidate);
  CHECK(better_of(A, c, candidate, tied) == Vector::Ones(2));
  CHECK(better_of(A, c, candidate, worse) == candidate);
}

}  // namespace concord::kit_test
