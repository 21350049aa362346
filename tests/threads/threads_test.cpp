// SPDX-License-Identifier: MIT
// Concurrent solves on one prepared object, and training on several threads: the same bits as one after the other. Run
// under ThreadSanitizer too.
#include <catch2/catch.hpp>
#include <thread>

#include "../unit/train_support.hpp"
#include "model/model.hpp"
#include "train/trainer.hpp"

using namespace concord;
using namespace concord::test;

TEST_CASE("instances solved by threads are those solved alone") {
  kit::Rng rng(8);
  for (const PluginCandidate& candidate : builtin().candidates()) {
    if (candidate.kind != CONCORD_DECODER || !candidate.shadowed_by.empty()) continue;
    INFO(candidate.name);
    if (candidate.name == "sdp-mosek") continue;  // usable on few machines
    const auto decoder = make_decoder(candidate.name);
    const concord_capabilities& can = decoder->plugin().capabilities();
    const Sign sign = can.prior == CONCORD_PRIOR_ZERO         ? Sign::zero
                      : can.prior == CONCORD_PRIOR_ATTRACTIVE ? Sign::attractive
                                                              : Sign::any;
    const CanonicalProblem problem = random_problem(rng, 9, sign, false);
    decoder->prepare(problem.A);
    std::vector<Instance> batch;
    batch.push_back({problem.c, std::nullopt});
    for (int64_t k = 0; k <= 9; ++k) {
      batch.push_back({problem.c * static_cast<double>(k + 1), k});
      if (can.constraints == CONCORD_CONSTRAINTS_NONE) batch.back().k.reset();
    }

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

TEST_CASE("a model is the same for any number of threads") {
  kit::Rng rng(9);
  const Dataset data = random_dataset(rng, 60, 3, 4, true);
  for (const char* method :
       {"method = \"bcfw\"\nlambda_w = [0.1, 1]", "method = \"subgradient\"", "method = \"ovr\""}) {
    INFO(method);
    std::string first;
    for (const char* threads : {"1", "4"}) {
      std::string toml =
          std::string("[train]\n") + method + "\n[select]\nfolds = 2\n[predict]\nthreshold = \"tuned\"\n";
      std::vector<std::string> overrides = {std::string("run.threads=") + threads};
      if (toml.find("ovr") == std::string::npos)
        overrides.insert(overrides.end(), {"train.batch=40", "train.epochs=2"});
      const auto cells = parse_config(toml, "test.toml", ".", overrides).cells;
      const std::string bytes = model_bytes(train_model(builtin(), cells, data, {}, {}).model);
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
    }
  }
}
