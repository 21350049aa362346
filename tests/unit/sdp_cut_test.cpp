// SPDX-License-Identifier: MIT
// Solves that were cut short, and sparse problems: whatever y is, no labelling is above the bound.
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sdp_sparse.hpp>

#include "solve/verify.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::sdp_cut_test {

using namespace concord::test;
using Catch::Contains;

namespace {

constexpr PriorSign kSigns[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none};

CanonicalProblem any_problem(kit::Rng& rng, uint64_t least, uint64_t most) {
  const auto V = static_cast<int64_t>(least + rng.below(most - least + 1));
  return random_problem(rng, V, kSigns[rng.below(4)], rng.below(3) == 0, rng.below(2) == 0 ? 0.3 : 1.0);
}

}  // namespace

TEST_CASE("a solve that was cut short has a bound from its y, whatever y is") {
  Registry registry({places::fakes()}, {});
  const Plugin& plugin = registry.find(CONCORD_DECODER, "sdp-fake");
  kit::Rng rng(21);
  int cut = 0;
  for (const char* fault : {"dual-alone", "cut"})
    for (const char* form : {"lifted", "row"}) {
      ErrorList errors;
      const OptionValues values(plugin.id(), plugin.options(),
                                {{"fault", fault, "test"}, {"cardinality", form, "test"}}, errors);
      Decoder decoder(plugin, values, RunControl{});
      for (int repeat = 0; repeat < 150; ++repeat) {
        CanonicalProblem problem = any_problem(rng, 1, 9);
        const double scale = std::pow(10, 20 * rng.uniform() - 10);
        problem.A = PriorMatrix(problem.A.dense() * scale);
        problem.c *= scale;
        if (repeat % 3 > 0)
          problem.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(problem.labels()) + 1));
        decoder.prepare(problem.A);
        const RelaxedSolution s = decoder.solve({problem.c, problem.k});
        INFO(fault << " " << form << " V " << problem.labels() << ": " << s.message);
        REQUIRE(s.has_point());
        verify_solution(plugin, s, problem.A, problem.c, problem.k);
        REQUIRE(s.bound >= naive_optimum(problem) - value_tolerance(problem.c, problem.A));
        REQUIRE(s.bound >= s.value);
        if (s.status == CONCORD_OPTIMAL) continue;
        ++cut;
        REQUIRE(s.status == CONCORD_LIMIT);
        REQUIRE_THAT(s.message, Contains("out of iterations; the solver was cut short"));
      }
    }
  CHECK(cut > 300);
}

TEST_CASE("DSDP at a deadline or a stop request: its y is a bound") {
  kit::Rng rng(22);
  for (int repeat = 0; repeat < 40; ++repeat) {
    CanonicalProblem problem = random_problem(rng, repeat % 2 == 0 ? 12 : 15, PriorSign::any, false);
    if (repeat % 3 > 0) problem.k = 4;
    std::atomic<bool> stop = false;
    RunControl control;
    control.stop = &stop;
    const Plugin& plugin = builtin().find(CONCORD_DECODER, "sdp-dsdp");
    ErrorList errors;
    const OptionValues values(plugin.id(), plugin.options(), {{"tol", "1e-9", "test"}}, errors);
    Decoder decoder(plugin, values, control);
    decoder.prepare(problem.A);
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(400 * (repeat % 10)));
      stop = true;
    });
    const RelaxedSolution s = decoder.solve({problem.c, problem.k});
    REQUIRE(s.has_point());
    if (std::isnan(s.bound)) continue;  // stopped before DSDP began
    REQUIRE(s.bound >= naive_optimum(problem) - value_tolerance(problem.c, problem.A));
  }
}

TEST_CASE("every y proves a bound of a sparse problem, close to that of the dense one") {
  kit::Rng rng(23);
  for (int repeat = 0; repeat < 400; ++repeat) {
    CanonicalProblem problem = any_problem(rng, 1, 9);
    const double scale = std::pow(10, 12 * rng.uniform() - 6);
    const Eigen::MatrixXd A = problem.A.dense() * scale;
    problem.A = PriorMatrix(A);
    problem.c *= scale;
    problem.k.reset();
    const kit::SparseRows sparse = A.sparseView().cast<double>();
    const double size = repeat % 5 == 0 ? 0.0 : scale * std::pow(10, 6 * rng.uniform() - 3);
    const Eigen::VectorXd y =
        size * Eigen::VectorXd::NullaryExpr(problem.labels() + 1, [&] { return rng.normal(); });
    const kit::SparseSdpProblem as_sparse{sparse, problem.c};
    const double bound = kit::proven_bound_by_factorisations(as_sparse, y);
    const double dense = kit::proven_bound(kit::SdpProblem{A, problem.c}, y);
    INFO("V = " << problem.labels() << ", bound " << bound << ", of the dense problem " << dense);
    REQUIRE(kit::proven_bound(as_sparse, y) == dense);
    REQUIRE(bound >= naive_optimum(problem));
    REQUIRE(bound >= dense - 1e-9 * (std::abs(dense) + y.lpNorm<1>()) - 1e-300);
    REQUIRE(bound <=
            dense + 0.1 * (std::abs(dense) + y.lpNorm<1>() + A.cwiseAbs().sum() + problem.c.lpNorm<1>()));
  }
}

}  // namespace concord::sdp_cut_test
