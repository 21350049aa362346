// SPDX-License-Identifier: MIT
// The parts of the conformance suite: its list, its problems, its shrinker. What it finds is tested from the
// command line.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "check/examine.hpp"
#include "check/problems.hpp"
#include "check/test.hpp"
#include "problem/files.hpp"
#include "problem/random.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::check_test {

using namespace concord::check;

namespace {

constexpr Source kSources[] = {Source::random, Source::attractive, Source::repulsive,
                               Source::sparse, Source::zero,       Source::ties,
                               Source::hard,   Source::scales,     Source::planted};

CanonicalProblem some_problem(kit::Rng& rng, int64_t V, std::optional<int64_t> k) {
  CanonicalProblem problem = problem_in(Scope{}, rng, V, false);
  problem.k = k;
  return problem;
}

}  // namespace

TEST_CASE("every test has a name, a sentence and a line in the docs") {
  std::ifstream in(places::tests() + "/../docs/check.md");
  std::ostringstream page;
  page << in.rdbuf();
  for (const int32_t kind : {CONCORD_DECODER, CONCORD_LOSS, CONCORD_ROUNDING}) {
    std::set<std::string> ids;
    for (const Test& test : tests_of(kind)) {
      INFO(kind_name(kind) << " " << test.id);
      CHECK(ids.insert(test.id).second);
      CHECK(std::string(test.sentence).ends_with("."));
      CHECK_THAT(page.str(), Catch::Contains("| `" + std::string(test.id) + "` | "));
    }
    if (kind == CONCORD_DECODER) CHECK(ids.size() >= 25);
  }
}

TEST_CASE("generated problems stay inside what a plugin declares") {
  const Scope scopes[] = {{PriorSign::any, 0, true},
                          {PriorSign::attractive, 7, true},
                          {PriorSign::none, 3, false},
                          {PriorSign::any, 1, true}};
  for (const Scope& scope : scopes)
    for (const Source source : kSources) {
      INFO(source_name(source));
      kit::Rng rng(3);
      bool with_k = false;
      for (int i = 0; i < 60; ++i) {
        const auto problems = generate(source, scope, rng);
        for (const auto& problem : problems) {
          const int64_t V = problem.labels();
          CHECK((V >= 1 && V == scope.labels(V)));
          CHECK(problem.c.allFinite());
          CHECK(problem.A.to_dense() == problems.front().A.to_dense());
          CHECK(problem.A.to_dense().isApprox(problem.A.to_dense().transpose()));
          CHECK(problem.A.diagonal().isZero(0));
          if (scope.widest == PriorSign::none) CHECK(!problem.A.coupled_pair());
          if (scope.widest == PriorSign::attractive) CHECK(!problem.A.repelling_pair());
          if (problem.k) CHECK((*problem.k >= 0 && *problem.k <= V));
          with_k = with_k || problem.k.has_value();
        }
      }
      CHECK(with_k == scope.cardinality);
    }
}

TEST_CASE("planted problems are solved by their labels, on the sphere too") {
  kit::Rng rng(4);
  for (const PriorSign sign : {PriorSign::any, PriorSign::attractive, PriorSign::none})
    for (int64_t V = 1; V <= 9; ++V)
      for (const bool with_k : {false, true}) {
        const auto [problem, labels] = planted_problem(rng, V, sign, with_k);
        const double value = problem.value(labels.cast<double>());
        CHECK(value == Approx(test::naive_optimum(problem)));
        CHECK(value == Approx(spectral_solution(problem).bound));
        if (problem.k) CHECK((labels > 0).count() == *problem.k);
      }
}

TEST_CASE("the optimum is the naive one") {
  kit::Rng rng(5);
  for (const Source source : kSources)
    for (const auto& problem : generate(source, {PriorSign::any, 8, true}, rng))
      CHECK(optimum(problem) == Approx(test::naive_optimum(problem)).margin(1e-12));
}

TEST_CASE("random labels have the number of positives that is asked for, everywhere") {
  kit::Rng rng(6);
  LabelVector seen = LabelVector::Constant(5, -1);
  for (int i = 0; i < 200; ++i) {
    const LabelVector y = random_labels(rng, 5, i % 6);
    CHECK((y > 0).count() == i % 6);
    if (i % 6 == 1) seen = seen.max(y);
  }
  CHECK((seen == 1).all());
}

TEST_CASE("a problem that is written is read back bit for bit") {
  kit::Rng rng(7);
  for (const Source source : kSources)
    for (const auto& problem : generate(source, {PriorSign::any, 0, true}, rng)) {
      const CanonicalProblem again = parse_problem(problem_text(problem), "text", ProblemFormat::json);
      CHECK(again.A.to_dense() == problem.A.to_dense());
      CHECK(again.c == problem.c);
      CHECK(again.k == problem.k);
    }
}

TEST_CASE("a shrunk problem fails still, and is as small as the fault allows") {
  kit::Rng rng(8);
  for (int i = 0; i < 30; ++i) {
    // The fault: two labels that repel by more than 0.1.
    int calls = 0;
    const auto repels = [&](const CanonicalProblem& problem) {
      ++calls;
      return problem.A.to_dense().maxCoeff() > 0.1;
    };
    const CanonicalProblem problem =
        some_problem(rng, 8, i % 2 == 0 ? std::optional<int64_t>(i % 9) : std::nullopt);
    REQUIRE(repels(problem));
    const CanonicalProblem small = shrink(problem, repels, 1000);
    CHECK(calls <= 1001);
    CHECK(small.labels() == 2);
    CHECK(!small.k);
    CHECK(small.c.isZero(0));
    CHECK(small.A.to_dense()(0, 1) == 1);
  }
}

TEST_CASE("shrinking keeps a cardinality that is needed, signs, and the limit of attempts") {
  kit::Rng rng(9);
  const auto needs_k = [](const CanonicalProblem& problem) { return problem.k && *problem.k >= 2; };
  const CanonicalProblem small = shrink(some_problem(rng, 9, 6), needs_k, 1000);
  CHECK(small.labels() == 2);
  CHECK(small.k == 2);

  const Scope attractive{PriorSign::attractive, 0, false};
  CanonicalProblem problem = problem_in(attractive, rng, 7, false);
  const auto any_coupling = [](const CanonicalProblem& p) {
    CHECK(!p.A.repelling_pair());
    return p.A.coupled_pair().has_value();
  };
  CHECK(shrink(problem, any_coupling, 1000).A.to_dense()(0, 1) == -1);

  int calls = 0;
  shrink(
      problem,
      [&](const CanonicalProblem&) {
        ++calls;
        return false;
      },
      5);
  CHECK(calls == 5);
}

TEST_CASE("exported symbols are read from the file") {
  CHECK(exported_symbols(places::plugins() + "/decoder-modular.so") ==
        std::vector<std::string>{"concord_plugin"});
  CHECK(exported_symbols(places::fakes() + "/decoder-exports-more.so") ==
        std::vector<std::string>{"concord_plugin", "helper_of_the_author"});
  CHECK_THROWS_AS(exported_symbols(places::tests() + "/CMakeLists.txt"), Failure);
}

}  // namespace concord::check_test
