// SPDX-License-Identifier: MIT
// `exact` on a sparse prior, taken apart by its structure.
#include <catch2/catch.hpp>
#include <cmath>

#include "exact_support.hpp"

namespace concord::exact_graph_test {

using namespace concord::test;

namespace {

using Edges = std::vector<Eigen::Triplet<double, int64_t>>;

void join(Edges& edges, int64_t v, int64_t w, double a) {
  edges.emplace_back(v, w, a);
  edges.emplace_back(w, v, a);
}

CanonicalProblem on_graph(int64_t V, const Edges& edges, Eigen::VectorXd c) {
  SparseMatrix A(V, V);
  A.setFromTriplets(edges.begin(), edges.end());
  CanonicalProblem p;
  p.A = PriorMatrix(A);
  p.c = std::move(c);
  return p;
}

/// Forests, rings, ladders, grids of three columns, several random parts; with isolated labels, ties and zeros, integers and
/// reals, all scales.
CanonicalProblem structured(kit::Rng& rng, int64_t V) {
  const bool integers = rng.below(2) == 0;
  const double scale = std::pow(10.0, 6 * (static_cast<double>(rng.below(5)) - 2));
  const auto weight = [&] {
    return scale * (integers ? 0.25 * (static_cast<double>(rng.below(9)) - 4) : rng.normal());
  };
  Edges edges;
  const uint64_t shape = rng.below(5);
  const int64_t width = shape == 2 ? 2 : 3;
  for (int64_t v = 0; v < V; ++v) {
    if (rng.below(12) == 0) continue;
    if (shape == 0 && v > 0)
      join(edges, v, static_cast<int64_t>(rng.below(static_cast<uint64_t>(v))), weight());
    if (shape == 1 && V > 2) join(edges, v, (v + 1) % V, weight());
    if (shape == 2 || shape == 3) {
      if (v % width > 0) join(edges, v, v - 1, weight());
      if (v >= width) join(edges, v, v - width, weight());
    }
    if (shape == 4)
      for (int64_t w = v / 7 * 7; w < v; ++w)  // parts of seven
        if (rng.below(3) > 0) join(edges, v, w, weight());
  }
  Eigen::VectorXd c = Eigen::VectorXd::Zero(V);
  if (rng.below(4) > 0)
    for (double& x : c) x = rng.below(4) == 0 ? 0 : (rng.below(2) == 0 ? 1 : 4) * weight();
  return on_graph(V, edges, std::move(c));
}

double magnitude_of(const CanonicalProblem& p) {
  return p.c.cwiseAbs().sum() + p.A.abs_sum();
}

double gap_of(const RelaxedSolution& s) {
  return (s.bound - s.value) / std::max(1.0, std::abs(s.bound));
}

void sparse_against_enumeration(int count, int64_t most_labels, uint64_t seed) {
  kit::Rng rng(seed);
  for (int i = 0; i < count; ++i) {
    CanonicalProblem p =
        structured(rng, static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(most_labels))));
    if (i % 8 == 0) p.k = random_cardinality(rng, p.labels());
    const RelaxedSolution s = exact(p);
    CanonicalProblem dense = p;
    dense.A = PriorMatrix(p.A.to_dense());
    const double best = enumerated(dense), unit = magnitude_of(p);
    INFO("problem " << i << ", V = " << p.labels() << ", k = " << p.k.value_or(-1));
    REQUIRE(s.status == CONCORD_OPTIMAL);
    REQUIRE(std::abs(s.value - best) <= 1e-9 * unit);
    REQUIRE(s.bound >= best - 1e-15 * unit);
    REQUIRE(s.bound - s.value <= 1e-9 * unit);
    REQUIRE(std::abs(exact(dense).value - s.value) <= 1e-9 * unit);
  }
}

/// `parts` random graphs of 24 labels and six neighbours or so, with real weights: each takes some nodes.
CanonicalProblem hard_parts(int64_t parts, uint64_t seed) {
  kit::Rng rng(seed);
  Edges edges;
  for (int64_t first = 0; first < 24 * parts; first += 24)
    for (int64_t v = 0; v < 24; ++v)
      for (int64_t w = 0; w < v; ++w)
        if (rng.below(2) == 0) join(edges, first + v, first + w, rng.normal());
  Eigen::VectorXd c(24 * parts);
  for (double& x : c) x = rng.normal();
  return on_graph(24 * parts, edges, std::move(c));
}

}  // namespace

TEST_CASE("exact: a sparse prior by its structure equals enumeration", "[exact]") {
  sparse_against_enumeration(3000, 12, 9);
}
TEST_CASE("exact: a sparse prior by its structure equals enumeration, up to 16 labels", "[.full]") {
  sparse_against_enumeration(2000, 16, 10);
}

TEST_CASE("exact: large graphs that elimination solves", "[exact]") {
  kit::Rng rng(11);
  const int64_t V = 100'000;
  for (const bool integers : {false, true}) {
    const auto weight = [&] { return integers ? static_cast<double>(rng.below(7)) - 3 : rng.normal(); };
    Edges tree, rings, star;
    Eigen::VectorXd c(V);
    for (double& x : c) x = weight();
    for (int64_t v = 1; v < V; ++v) {
      join(tree, v, static_cast<int64_t>(rng.below(static_cast<uint64_t>(v))), weight());
      join(star, v, 0, weight());
    }
    // 1000 rings of 100 labels, each joined to the one before.
    for (int64_t v = 0; v < V; ++v) join(rings, v, v % 100 == 99 ? v - 99 : v + 1, weight());
    for (int64_t v = 100; v < V; v += 100) join(rings, v, v - 50, weight());
    for (const Edges* edges : {&tree, &rings, &star}) {
      const CanonicalProblem p = on_graph(V, *edges, c);
      const RelaxedSolution s = exact(p);
      CHECK(s.status == CONCORD_OPTIMAL);
      CHECK(s.bound - s.value <= (integers ? 0 : 1e-10 * magnitude_of(p)));
      // No flip of one label gains.
      const Eigen::VectorXd h = p.c - 2 * (p.A.sparse() * s.u());
      CHECK((s.u().array() * h.array()).minCoeff() >= -1e-12 * magnitude_of(p));
    }
  }
}

TEST_CASE("exact: what is too large for branch and bound has labels and a bound", "[exact]") {
  kit::Rng rng(12);
  Edges torus;
  const int64_t n = 50;
  for (int64_t v = 0; v < n * n; ++v) {
    join(torus, v, v / n * n + (v + 1) % n, rng.normal());
    join(torus, v, (v + n) % (n * n), rng.normal());
  }
  CanonicalProblem p = on_graph(n * n, torus, Eigen::VectorXd::Zero(n * n));
  for (const bool with_cardinality : {false, true}) {
    if (with_cardinality) p.k = 1000;
    const RelaxedSolution s = exact(p);
    CHECK(s.status == CONCORD_LIMIT);
    CHECK(s.message.find("too many for branch and bound") != std::string::npos);
    CHECK(s.bound > s.value);
    CHECK(s.bound < 0.9 * magnitude_of(p));  // the trivial one is above it
  }
}

TEST_CASE("exact: one node limit for all parts, and the bound holds", "[exact]") {
  const CanonicalProblem p = hard_parts(3, 13);
  const RelaxedSolution all = exact(p);
  REQUIRE(all.status == CONCORD_OPTIMAL);
  REQUIRE(all.nodes > 6);
  for (const int64_t limit : {1, 3, 5}) {
    const RelaxedSolution cut = exact(p, {{"node_limit", std::to_string(limit), ""}});
    CHECK(cut.status == CONCORD_LIMIT);
    CHECK(cut.nodes <= std::max<int64_t>(3, limit + 2));
    CHECK(cut.bound >= all.value);
    CHECK(cut.value <= all.value + tolerance_of(p));
    CHECK(cut.bound < 1.2 * all.value);
  }
}

TEST_CASE("exact: a gap that is asked for is proven, and no more", "[exact]") {
  for (const bool sparse : {false, true})
    for (uint64_t seed = 14; seed < 18; ++seed) {
      CanonicalProblem p = hard_parts(sparse ? 3 : 2, seed);
      if (!sparse) p.A = PriorMatrix(p.A.to_dense());
      if (seed % 2 == 0 && !sparse) p.k = 5;
      const RelaxedSolution all = exact(p);
      for (const double gap : {0.3, 0.03, 0.001}) {
        const RelaxedSolution s = exact(p, {{"gap", std::to_string(gap), ""}});
        INFO("seed " << seed << ", gap " << gap << ", value " << s.value << ", bound " << s.bound);
        CHECK((s.status == CONCORD_RELAXED || s.status == CONCORD_OPTIMAL));
        CHECK((s.status == CONCORD_OPTIMAL) == s.message.empty());
        CHECK(gap_of(s) <= gap);
        CHECK(s.bound >= all.value - tolerance_of(p));
        CHECK(s.nodes <= all.nodes);
      }
    }
}

TEST_CASE("exact: a line of the log at 1, 2, 4, ... nodes", "[exact]") {
  const CanonicalProblem p = hard_parts(1, 13);
  std::vector<std::string> lines;
  RunControl control;
  control.log = [&](const std::string& who, int level, const std::string& text) {
    CHECK(who == "decoder/exact");
    CHECK(level == CONCORD_LOG_INFO);
    lines.push_back(text);
  };
  const Plugin& plugin = builtin().find(CONCORD_DECODER, "exact");
  ErrorList errors;
  Decoder decoder(plugin, OptionValues(plugin.id(), plugin.options(), {}, errors), control);
  decoder.prepare(p.A);
  const RelaxedSolution s = decoder.solve(Instance{p.c, p.k, 1, nullptr});
  REQUIRE(s.nodes > 2);
  CHECK(lines.size() == static_cast<size_t>(std::log2(static_cast<double>(s.nodes))) + 1);
  CHECK(lines[1].find(" labels: 2 nodes, best ") != std::string::npos);
}

}  // namespace concord::exact_graph_test
