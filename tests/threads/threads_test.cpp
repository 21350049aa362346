// SPDX-License-Identifier: MIT
// Concurrent solves on one prepared object: the same bits as one after the other. Run under ThreadSanitizer
// too.
#include <catch2/catch.hpp>
#include <thread>

#include "../unit/support.hpp"

using namespace concord;
using namespace concord::test;

TEST_CASE("instances solved by threads are those solved alone") {
  kit::Rng rng(8);
  for (const PluginCandidate& candidate : builtin().candidates()) {
    if (candidate.kind != CONCORD_DECODER || !candidate.shadowed_by.empty()) continue;
    INFO(candidate.name);
    const auto decoder = make_decoder(candidate.name);
    const bool zero = decoder->plugin().capabilities().prior == CONCORD_PRIOR_ZERO;
    const CanonicalProblem problem = random_problem(rng, 9, zero ? Sign::zero : Sign::any, false);
    decoder->prepare(problem.A);
    std::vector<Instance> batch;
    batch.push_back({problem.c, std::nullopt});
    for (int64_t k = 0; k <= 9; ++k) batch.push_back({problem.c * static_cast<double>(k + 1), k});

    std::vector<RelaxedSolution> together(batch.size());
    std::vector<std::thread> threads;  // first, so that lazy preparation happens concurrently
    for (size_t i = 0; i < batch.size(); ++i)
      threads.emplace_back([&, i] { together[i] = decoder->solve(batch[i]); });
    for (auto& thread : threads) thread.join();
    for (size_t i = 0; i < batch.size(); ++i) {
      const RelaxedSolution alone = decoder->solve(batch[i]);
      CHECK(together[i].status == alone.status);
      CHECK(together[i].value == alone.value);
      CHECK(together[i].F == alone.F);
    }
    const auto chunk = decoder->solve(batch);
    for (size_t i = 0; i < batch.size(); ++i)
      CHECK(chunk[i].value == Approx(together[i].value).epsilon(1e-9));
  }
}
