// SPDX-License-Identifier: MIT
// Concurrent solves on one prepared object, and training on several threads: the same bits as one after the other. Run
// under ThreadSanitizer too, with every decoder.
#include <algorithm>
#include <catch2/catch.hpp>
#include <latch>
#include <set>
#include <thread>

#include "../unit/train_support.hpp"
#include "base/error.hpp"
#include "model/model.hpp"
#include "train/trainer.hpp"

using namespace concord;
using namespace concord::test;

namespace {

constexpr int64_t kLabels = 9;
constexpr size_t kThreads = 4;

/// The decoders of this build that can run on this machine.
std::set<std::string> usable_decoders() {
  std::set<std::string> names;
  for (const PluginCandidate& candidate : builtin().candidates()) {
    if (candidate.kind != CONCORD_DECODER) continue;
    try {
      builtin().find(CONCORD_DECODER, candidate.name).require_usable({});
      names.insert(candidate.name);
    } catch (const Error& e) {
      WARN(candidate.name << " is left out: " << e.what());
    }
  }
  return names;
}

/// The widest prior that the decoder takes.
PriorSign sign_for(const concord_capabilities& can) {
  return can.prior == CONCORD_PRIOR_ZERO         ? PriorSign::none
         : can.prior == CONCORD_PRIOR_ATTRACTIVE ? PriorSign::attractive
                                                 : PriorSign::any;
}

/// One question to a prepared decoder: a problem, or a family of them.
struct Question {
  Instance instance;
  std::optional<FamilyData> family = std::nullopt;

  /// The answer, and where the decoder uses a warm block a second one that starts from the first.
  std::vector<RelaxedSolution> ask(const Decoder& decoder) const {
    Instance own = instance;
    WarmBlock block = decoder.warm_block();
    if (!block.empty()) own.warm = &block;
    std::vector<RelaxedSolution> answers;
    for (int i = 0; i < (block.empty() ? 1 : 2); ++i)
      answers.push_back(family ? decoder.solve_family(own, *family) : decoder.solve(own));
    return answers;
  }
};

/// With and without a cardinality, and the families of F-beta.
std::vector<Question> questions_for(const Decoder& decoder, const Eigen::VectorXd& c, kit::Rng& rng) {
  const bool cardinality = decoder.plugin().capabilities().constraints != CONCORD_CONSTRAINTS_NONE;
  std::vector<Question> questions{{{c}}};
  for (int64_t k = 0; k <= kLabels; ++k) {
    questions.push_back({{c * static_cast<double>(k + 1)}});
    if (cardinality) questions.back().instance.k = k;
  }
  const auto loss = make_loss(cardinality ? "f-beta" : "hamming");
  loss->prepare(kLabels, 10, std::vector<int64_t>(kLabels, 5));
  for (int i = 0; i < 3; ++i) questions.push_back({{c}, loss->describe(random_labels(rng, kLabels))});
  return questions;
}

/// Calls f(decoder, c) with every usable decoder, prepared for a prior that it takes.
template <class F>
void for_all_decoders(kit::Rng& rng, F&& f) {
  for (const std::string& name : usable_decoders()) {
    INFO(name);
    const auto decoder = make_decoder(name);
    const CanonicalProblem problem = random_problem(rng, kLabels, sign_for(decoder->plugin().capabilities()));
    decoder->prepare(problem.A);
    f(*decoder, problem.c);
  }
}

void check_same(const std::vector<RelaxedSolution>& a, const std::vector<RelaxedSolution>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].status == b[i].status);
    CHECK(a[i].value == b[i].value);
    CHECK(a[i].F == b[i].F);
  }
}

}  // namespace

TEST_CASE("instances solved by threads are those solved alone") {
  kit::Rng rng(8);
  for_all_decoders(rng, [&](const Decoder& decoder, const Eigen::VectorXd& c) {
    const std::vector<Question> questions = questions_for(decoder, c, rng);

    // The threads come first, so that lazy preparation happens concurrently. Each begins elsewhere.
    std::vector<std::vector<std::vector<RelaxedSolution>>> answers(kThreads);
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        answers[t].resize(questions.size());
        start.arrive_and_wait();
        for (size_t i = 0; i < questions.size(); ++i) {
          const size_t mine = (i + t * questions.size() / kThreads) % questions.size();
          answers[t][mine] = questions[mine].ask(decoder);
        }
      });
    for (auto& thread : threads) thread.join();
    for (size_t i = 0; i < questions.size(); ++i) {
      const auto alone = questions[i].ask(decoder);
      for (const auto& of_thread : answers) check_same(of_thread[i], alone);
    }
  });
}

TEST_CASE("one call with many instances gives the answers of many calls") {
  kit::Rng rng(10);
  for_all_decoders(rng, [&](const Decoder& decoder, const Eigen::VectorXd& c) {
    std::vector<Instance> batch;
    for (const Question& question : questions_for(decoder, c, rng)) batch.push_back(question.instance);
    const auto chunk = decoder.solve(batch);
    for (size_t i = 0; i < batch.size(); ++i)
      CHECK(chunk[i].value == Approx(decoder.solve(batch[i]).value).epsilon(1e-9));
  });
}

TEST_CASE("a model is the same for any number of threads") {
  kit::Rng rng(9);
  const Dataset data = random_dataset(rng, 60, 3, 4, true);
  const auto same_model = [&](const std::string& train, const std::vector<std::string>& more) {
    INFO(train);
    const std::string toml =
        "[train]\n" + train + "\n[select]\nfolds = 2\n[predict]\nthreshold = \"tuned\"\n";
    std::string first;
    for (const char* threads : {"1", "4"}) {
      std::vector<std::string> overrides = more;
      overrides.push_back(std::string("run.threads=") + threads);
      const auto cells = parse_config(toml, "test.toml", ".", overrides).cells;
      const std::string bytes = model_bytes(train_model(builtin(), cells, data, {}, {}).model);
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
    }
  };
  const std::vector<std::string> brief = {"train.batch=40", "train.epochs=2"};
  same_model("method = \"bcfw\"\nlambda_w = [0.1, 1]", brief);
  same_model("method = \"subgradient\"", brief);
  same_model("method = \"ovr\"", {});
  // Those with locks of their own.
  const std::set<std::string> usable = usable_decoders();
  for (const char* decoder : {"sdp-mixing", "min-cut", "tv-prox", "exact"})
    if (usable.count(decoder) != 0)
      same_model(std::string("method = \"bcfw\"\nloss = \"hamming\"\ndecoder = \"") + decoder + "\"", brief);
}
