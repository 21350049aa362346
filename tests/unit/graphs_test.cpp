// SPDX-License-Identifier: MIT
// Sparse problems: they stay sparse on their way through the host, and what works on their graph finds what is there.
#include <catch2/catch.hpp>

#include <concord/kit/graph_search.hpp>
#include <concord/kit/sparse_mixing.hpp>

#include "problem/files.hpp"
#include "solve/pipeline.hpp"
#include "solve/verify.hpp"
#include "support.hpp"

namespace concord::graphs_test {

using namespace concord::test;

namespace {

PriorMatrix sparse_form(const PriorMatrix& A) {
  return PriorMatrix(SparseMatrix(A.to_dense().sparseView()));
}

/// All signs, ties, zeros, parts that do not see each other, every k, scales from 1e-12 to 1e12.
CanonicalProblem any_problem(kit::Rng& rng, int64_t most_labels) {
  constexpr PriorSign signs[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive,
                                 PriorSign::none};
  const auto V = static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(most_labels)));
  const double density = rng.below(4) == 0 ? 1 : 0.6 * rng.uniform();
  CanonicalProblem p = random_problem(rng, V, signs[rng.below(4)], rng.below(2) == 0, density);
  if (rng.below(3) == 0) p.c.setZero();
  const double scale = std::pow(10.0, static_cast<double>(rng.below(25)) - 12);
  p.A = sparse_form(PriorMatrix(Eigen::MatrixXd(scale * p.A.to_dense())));
  p.c *= scale;
  if (rng.below(3) == 0) p.k = random_cardinality(rng, V);
  return p;
}

/// Every label joined to its next two, for a graph as long as one likes.
std::string ring_text(int64_t V) {
  std::string text = fmt::format("{} {}\n", V, 2 * V);
  for (int64_t v = 0; v < V; ++v)
    for (const int64_t step : {1, 2})
      text += fmt::format("{} {} {}\n", v + 1, (v + step) % V + 1, v % 3 == 0 ? -1 : 2);
  return text;
}

}  // namespace

TEST_CASE("files of couplings are read as sparse priors", "[graphs]") {
  CHECK(parse_problem("3 2\n1 2 1\n2 3 -4\n", "a.mc", ProblemFormat::max_cut).A.is_sparse());
  CHECK(parse_problem("3 2\n1 1 1\n2 3 -4\n", "a.bqp", ProblemFormat::qubo).A.is_sparse());
  CHECK(parse_problem(R"({"edges": [[0, 1, 2]], "b": [0, 1]})", "a.json", ProblemFormat::json).A.is_sparse());
}

TEST_CASE("a dense form that does not fit is refused by name, with decoders that take the sparse one",
          "[graphs]") {
  const Plugin& spectral = builtin().find(CONCORD_DECODER, "spectral");
  CHECK_NOTHROW(require_dense_memory(spectral, 1000, 32e6));
  CHECK_THROWS_WITH(require_dense_memory(spectral, 20'000, 8e9),
                    Catch::Contains("decoder/spectral cannot solve this problem") &&
                        Catch::Contains("20000 labels") && Catch::Contains("2.98 GiB") &&
                        Catch::Contains("Decoders that take a sparse A:"));
  const auto named = [](const Plugin& plugin) {
    try {
      require_dense_memory(plugin, 1'000'000, 0);
    } catch (const Error& error) {
      const std::string text = error.what();
      std::vector<std::string> names;
      for (size_t at = text.find("sparse A: ") + 10; at < text.size();) {
        const size_t end = std::min(text.find(", ", at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 2;
      }
      return names;
    }
    return std::vector<std::string>();
  };
  const Plugin& sign = builtin().find(CONCORD_ROUNDING, "sign");
  for (const Plugin* plugin : {&spectral, &sign}) {
    const auto names = named(*plugin);
    CHECK(names.size() >= 2);
    for (std::string name : names) {
      if (name.back() == '.') name.pop_back();
      INFO(name);
      CHECK(builtin().find(plugin->kind(), name).has(CONCORD_SPARSE_PRIOR));
    }
  }
}

TEST_CASE("a prior of 200,000 labels passes through the host without a dense copy", "[graphs]") {
  CanonicalProblem problem = parse_problem(ring_text(200'000), "ring.mc", ProblemFormat::max_cut);
  ErrorList errors;
  for (const bool with_cardinality : {false, true}) {
    if (with_cardinality) problem.k = 70'000;
    const auto plans = plan_decodes(builtin(), {"tabu"}, {}, with_cardinality,
                                    {{"decoder", {"moves", "1000000", "test"}}}, errors);
    errors.throw_if_any();
    const DecodeReport report = run_decode(plans.front(), problem, 1, {});
    CHECK(report.status == CONCORD_FEASIBLE);
    CHECK(report.objective > (with_cardinality ? 150'000 : 250'000));
  }
}

TEST_CASE("elimination keeps the optimum, and its labels extend to an optimal labelling", "[graphs]") {
  kit::Rng rng(11);
  int64_t eliminated = 0;
  for (int i = 0; i < 4000; ++i) {
    CanonicalProblem p = any_problem(rng, 9);
    p.k.reset();
    const kit::CouplingGraph graph = kit::coupling_graph(p.A.sparse());
    const kit::Elimination rest(graph, p.c);
    eliminated += p.labels() - rest.graph().size();
    CanonicalProblem left;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rest.graph().size(), rest.graph().size());
    for (int64_t v = 0; v < A.rows(); ++v)
      for (const kit::Coupling& pair : rest.graph().of(v)) A(v, pair.j) = pair.a;
    REQUIRE(A.isApprox(A.transpose()));
    left.A = PriorMatrix(A);
    left.c = rest.c();
    double best = -std::numeric_limits<double>::infinity();
    Eigen::VectorXd z(A.rows());
    for_all_labellings(left, [&](const LabelVector& y, double value) {
      if (value <= best) return;
      best = value;
      z = y.cast<double>();
    });
    REQUIRE(p.value(rest.extend(z)) == Approx(naive_optimum(p)).margin(value_tolerance(p.c, p.A) * 1e-3));
  }
  CHECK(eliminated > 4000);
}

TEST_CASE("contraction: the labels of the groups have the objective of the labels that they stand for",
          "[graphs]") {
  kit::Rng rng(12);
  for (int i = 0; i < 500; ++i) {
    const CanonicalProblem p = any_problem(rng, 12);
    const kit::CouplingGraph graph = kit::coupling_graph(p.A.sparse());
    const Eigen::VectorXd base = random_labels(rng, p.labels()).cast<double>();
    const Eigen::VectorXd other = random_labels(rng, p.labels()).cast<double>();
    const kit::Contraction groups(graph, p.c, base, other);
    const int64_t G = groups.graph().size();
    const auto value = [&](const Eigen::VectorXd& z) {
      return kit::Annealing(groups.graph(), groups.c(), z).value();
    };
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(G);
    REQUIRE(groups.extend(ones) == base);
    const Eigen::VectorXd z = random_labels(rng, G).cast<double>();
    REQUIRE(value(z) - value(ones) ==
            Approx(p.value(groups.extend(z)) - p.value(base)).margin(value_tolerance(p.c, p.A)));
  }
}

TEST_CASE("tabu on a sparse prior finds what enumeration finds, and keeps every cardinality", "[graphs]") {
  kit::Rng rng(13);
  const auto tabu = make_decoder("tabu", {{"moves", "20000", "test"}});
  int found = 0, all = 0;
  for (; all < 1500; ++all) {
    const CanonicalProblem p = any_problem(rng, 11);
    tabu->prepare(p.A);
    const RelaxedSolution s = tabu->solve(Instance{p.c, p.k, rng.next(), nullptr});
    REQUIRE(s.status == CONCORD_FEASIBLE);
    verify_solution(tabu->plugin(), s, p.A, p.c, p.k);
    const double optimum = naive_optimum(p), scale = p.c.cwiseAbs().sum() + p.A.abs_sum();
    REQUIRE(s.value <= optimum + 1e-12 * scale);
    found += s.value >= optimum - 1e-12 * scale ? 1 : 0;
  }
  CHECK(found >= all - 2);  // it proves nothing
}

TEST_CASE("a search of a graph is never worse than its start, and repeats itself", "[graphs]") {
  kit::Rng rng(14);
  for (int i = 0; i < 300; ++i) {
    const CanonicalProblem p = any_problem(rng, 40);
    const SparseMatrix& A = p.A.sparse();
    const kit::CouplingGraph graph = kit::coupling_graph(A);
    const Eigen::VectorXd start = random_labels(rng, p.labels(), p.k).cast<double>();
    const kit::Move move = p.k ? kit::Move::swap : kit::Move::flip;
    const auto search = [&](int64_t most, bool stop) {
      kit::Visits visits(most, [&] { return stop; });
      return kit::graph_search(A, graph, p.c, start, move, 5, visits);
    };
    const kit::TabuSearch found = search(5000, false);
    REQUIRE(found.value >= p.value(start) - value_tolerance(p.c, p.A) * 1e-3);
    REQUIRE(found.value == Approx(p.value(found.u)));
    if (p.k) REQUIRE(found.u.sum() == start.sum());
    REQUIRE(search(5000, false).u == found.u);
    REQUIRE(search(int64_t{1} << 60, true).moves < 200'000);
  }
}

TEST_CASE("tabu with a time limit says that it was cut", "[graphs]") {
  kit::Rng rng(15);
  for (const bool sparse : {false, true}) {
    CanonicalProblem p = random_problem(rng, 60, PriorSign::any, false, 0.5);
    if (sparse) p.A = sparse_form(p.A);
    const auto tabu = make_decoder("tabu", {{"time_limit", "0.01", "test"}});
    tabu->prepare(p.A);
    CHECK(tabu->solve(Instance{p.c}).status == CONCORD_LIMIT);
  }
}

TEST_CASE("a sparse factorisation says what the eigenvalues say", "[graphs]") {
  kit::Rng rng(16);
  int definite = 0;
  for (int i = 0; i < 2000; ++i) {
    const CanonicalProblem p = random_problem(rng, static_cast<int64_t>(1 + rng.below(12)), PriorSign::any,
                                              false, 0.6 * rng.uniform());
    const int64_t V = p.labels();
    const SparseMatrix A = p.A.dense().sparseView();
    const Eigen::ArrayXd diagonal =
        Eigen::ArrayXd::NullaryExpr(V + 1, [&] { return (1 + static_cast<double>(V)) * rng.uniform(); });
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(V + 1, V + 1);
    S.topLeftCorner(V, V) = 0.5 * p.A.dense();
    S.col(V).head(V) = -p.c;
    S.row(V).head(V) = -p.c.transpose();
    S.diagonal() = diagonal;
    Eigen::VectorXd values;
    kit::symmetric_eigen(S, values);
    kit::SparseCholesky factor(A, 0.5, p.c);
    const bool is_definite = factor.is_definite(diagonal);
    if (std::abs(values[0]) > 1e-9) REQUIRE(is_definite == (values[0] > 0));
    definite += is_definite ? 1 : 0;
    REQUIRE_FALSE(factor.is_definite(Eigen::ArrayXd::Constant(V + 1, std::nan(""))));
  }
  CHECK(definite > 200);
  CHECK(definite < 1800);
}

TEST_CASE("the sparse semidefinite relaxation: bounds hold, and it is that of the dense one", "[graphs]") {
  kit::Rng rng(17);
  for (int i = 0; i < 2000; ++i) {
    CanonicalProblem p = any_problem(rng, 10);
    p.k.reset();
    const bool to_the_end = i % 4 != 0;  // else cut after few sweeps: the bound is what it is, and holds
    const kit::MixingOptions options{.tol = i % 2 == 0 ? 1e-3 : 1e-6, .max_sweeps = to_the_end ? 100000 : 3};
    const std::function<bool()> never = [] { return false; };
    const kit::CouplingGraph graph = kit::coupling_graph(p.A.sparse());
    const kit::MixingAnswer sparse =
        kit::SparseMixingSolver(p.A.sparse(), graph, p.c, options, never).solve();
    const double scale = p.c.cwiseAbs().sum() + p.A.abs_sum(), optimum = naive_optimum(p);
    REQUIRE(sparse.bound >= optimum - 1e-12 * scale);
    REQUIRE((sparse.X.colwise().norm().array() - 1).abs().maxCoeff() < 1e-9);
    if (!to_the_end) continue;
    REQUIRE(sparse.certified);
    const kit::MixingPrior prior(p.A.to_dense());
    const kit::MixingAnswer dense =
        kit::solve_mixing(prior, p.c, std::nan(""), kit::CardinalityForm::lifted, options, nullptr, never);
    REQUIRE(std::abs(sparse.value - dense.value) <= 3 * options.tol * scale);
  }
}

TEST_CASE("min-cut on a sparse prior: the optimum, and the labels of the dense one and of LEMON",
          "[graphs]") {
  kit::Rng rng(19);
  const auto sparse = make_decoder("min-cut"), dense = make_decoder("min-cut");
  const auto lemon = make_decoder("min-cut", {{"engine", "lemon", "test"}});
  for (int i = 0; i < 2000; ++i) {
    const auto V = static_cast<int64_t>(1 + rng.below(i % 10 == 0 ? 60 : 10));
    CanonicalProblem p = random_problem(rng, V, PriorSign::attractive, i % 2 == 0, rng.uniform());
    const double scale = std::pow(10.0, static_cast<double>(rng.below(25)) - 12);
    p.A = PriorMatrix(Eigen::MatrixXd(scale * p.A.dense()));
    p.c *= scale * (1 + static_cast<double>(rng.below(4)));
    sparse->prepare(sparse_form(p.A));
    dense->prepare(p.A);
    lemon->prepare(sparse_form(p.A));
    const RelaxedSolution s = sparse->solve(Instance{p.c});
    REQUIRE(s.status == CONCORD_OPTIMAL);
    REQUIRE(s.F == dense->solve(Instance{p.c}).F);
    REQUIRE(s.F == lemon->solve(Instance{p.c}).F);
    if (V <= 10) REQUIRE(s.value == Approx(naive_optimum(p)).margin(1e-12 * p.A.abs_sum()));
  }
}

TEST_CASE("sdp-mixing takes a large sparse prior as it is, and a dense one for a cardinality", "[graphs]") {
  kit::Rng rng(18);
  for (const double density : {0.005, 0.05, 0.5}) {
    const CanonicalProblem p = random_problem(rng, 400, PriorSign::any, true, density);
    const PriorMatrix sparse = sparse_form(p.A);
    const auto one = make_decoder("sdp-mixing", {{"tol", "1e-5", "test"}});
    const auto other = make_decoder("sdp-mixing", {{"tol", "1e-5", "test"}});
    one->prepare(sparse);
    other->prepare(p.A);
    for (const std::optional<int64_t> k : {std::optional<int64_t>(), std::optional<int64_t>(150)}) {
      const RelaxedSolution a = one->solve(Instance{p.c, k}), b = other->solve(Instance{p.c, k});
      REQUIRE(a.status == CONCORD_RELAXED);
      verify_solution(one->plugin(), a, sparse, p.c, k);
      CHECK(a.value <= b.bound);
      CHECK(b.value <= a.bound);
      const Eigen::VectorXd labels = random_labels(rng, 400, k).cast<double>();
      CHECK(p.value(labels) <= a.bound);
    }
  }
}

}  // namespace concord::graphs_test
