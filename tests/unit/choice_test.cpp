// SPDX-License-Identifier: MIT
// The decoder "auto": what it chooses, why, and that its choice takes the problem.
#include "solve/choice.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "solve/pipeline.hpp"
#include "support.hpp"

namespace concord::choice_test {

using namespace concord::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::pair<int64_t, int64_t> kPair{0, 1};

ProblemFacts facts(int64_t labels, int64_t couplings, PriorSign sign, bool with_cardinality = false,
                   bool is_sparse = false) {
  ProblemFacts p{labels, couplings, is_sparse, with_cardinality};
  if (is_sparse) p.cycles = std::max<int64_t>(0, couplings - labels + 1);  // of a connected graph
  if (sign != PriorSign::none) p.coupled = kPair;
  if (sign == PriorSign::any) p.repelling = kPair;
  return p;
}

int64_t pairs(int64_t V) {
  return V * (V - 1) / 2;
}

/// What the built-in decoders declare, without those that are named.
std::vector<DecoderCandidate> all_but(const std::vector<std::string>& missing = {}) {
  std::vector<DecoderCandidate> candidates;
  for (const std::string& name : decoders_of_known_cost())
    if (std::find(missing.begin(), missing.end(), name) == missing.end())
      candidates.push_back({name, builtin().find(CONCORD_DECODER, name).capabilities()});
  return candidates;
}

Fault fault_of(const ProblemFacts& problem, const std::vector<DecoderCandidate>& candidates,
               const std::vector<std::string>& words) {
  try {
    const DecoderChoice choice = choose_decoder(problem, candidates);
    FAIL("chose " << choice.name);
  } catch (const Error& e) {
    for (const std::string& word : words) CHECK_THAT(e.what(), Contains(word));
    return e.kind();
  }
  return Fault::input;
}

}  // namespace

TEST_CASE("auto: the cheapest proof, else the tightest bound that fits, else a search") {
  struct Case {
    ProblemFacts problem;
    std::vector<std::string> missing;
    const char *chosen, *reason;
  };
  const Case cases[] = {
      {facts(1, 0, PriorSign::none), {}, "modular", "A = 0"},
      {facts(1'000'000, 0, PriorSign::none, true, true), {}, "modular", "A = 0"},
      {facts(7, pairs(7), PriorSign::attractive), {}, "min-cut", "all couplings attract"},
      {facts(100'000, 400'000, PriorSign::attractive, false, true), {}, "min-cut", "no cardinality"},
      {facts(7, pairs(7), PriorSign::attractive, true), {}, "exact", "7 labels with 21 couplings"},
      {facts(7, pairs(7), PriorSign::attractive), {"min-cut"}, "exact", "proves the optimum"},
      {facts(60, pairs(60), PriorSign::any), {}, "exact", "proves the optimum"},
      {facts(60, pairs(60), PriorSign::any, true), {}, "sdp-mixing", "exact may take about"},
      {facts(150, 225, PriorSign::any, false, true), {}, "exact", "150 labels with 225 couplings"},
      {facts(200, pairs(200), PriorSign::any), {}, "sdp-mixing", "exact may take more than an hour"},
      {facts(200, pairs(200), PriorSign::any), {"exact"}, "sdp-mixing", "nothing here that proves more"},
      {facts(2000, pairs(2000), PriorSign::attractive, true), {}, "sdp-mixing", "tightest bound"},
      {facts(2000, pairs(2000), PriorSign::any), {"sdp-mixing"}, "spectral", "tightest bound"},
      {facts(20'000, 30'000, PriorSign::any, false, true), {}, "sdp-mixing", "tightest bound"},
      {facts(20'000, 30'000, PriorSign::any, true, true), {}, "tabu", "sdp-mixing may take about 30 GiB"},
      {facts(1'000'000, 4'000'000, PriorSign::any, false, true), {}, "tabu", "without a bound"},
      {facts(100'000, 3, PriorSign::any, false, true), {}, "exact", "100000 labels with 3 couplings"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.problem.labels, one.problem.couplings, one.problem.with_cardinality, one.missing);
    const DecoderChoice choice = choose_decoder(one.problem, all_but(one.missing));
    CHECK(choice.name == one.chosen);
    CHECK_THAT(choice.reason, Contains(one.reason));
  }
}

TEST_CASE("auto: cycles are counted, and a forest of any size is proven") {
  kit::Rng rng(6);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(12));
    const double density = rng.uniform();
    std::vector<Eigen::Triplet<double, int64_t>> entries;
    std::vector<std::vector<int64_t>> of(static_cast<size_t>(V));
    for (int64_t i = 0; i < V; ++i)
      for (int64_t j = 0; j < i; ++j)
        if (rng.uniform() < density) {
          entries.emplace_back(i, j, 1.0);
          entries.emplace_back(j, i, 1.0);
          of[static_cast<size_t>(i)].push_back(j);
          of[static_cast<size_t>(j)].push_back(i);
        }
    SparseMatrix A(V, V);
    A.setFromTriplets(entries.begin(), entries.end());
    int64_t parts = 0;  // by walking through each
    std::vector<bool> is_seen(static_cast<size_t>(V));
    for (int64_t first = 0; first < V; ++first) {
      std::vector<int64_t> walk{first};
      if (!is_seen[static_cast<size_t>(first)]) ++parts;
      while (!walk.empty()) {
        const auto v = static_cast<size_t>(walk.back());
        walk.pop_back();
        if (is_seen[v]) continue;
        is_seen[v] = true;
        walk.insert(walk.end(), of[v].begin(), of[v].end());
      }
    }
    const auto couplings = static_cast<int64_t>(entries.size() / 2);
    CHECK(counted_facts_of(PriorMatrix(A), false).cycles == couplings - V + parts);
  }
  CHECK(choose_decoder(facts(100'000, 99'999, PriorSign::any, false, true), all_but()).name == "exact");
  CHECK(choose_decoder(facts(100'000, 100'050, PriorSign::any, false, true), all_but()).name == "exact");
  CHECK(choose_decoder(facts(100'000, 101'000, PriorSign::any, false, true), all_but()).name != "exact");
}

TEST_CASE("auto: what a plugin declares counts, not its name") {
  std::vector<DecoderCandidate> candidates = all_but();
  const auto named = [&](const std::string& name) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const auto& one) { return one.name == name; });
  };
  const ProblemFacts small = facts(12, 60, PriorSign::any);
  named("exact")->can.max_labels = 11;
  CHECK(choose_decoder(small, candidates).name == "sdp-mixing");
  named("exact")->can.max_labels = 0;
  named("exact")->can.guarantee = CONCORD_HEURISTIC;
  CHECK(choose_decoder(small, candidates).name == "sdp-mixing");
  named("sdp-mixing")->unavailable = "no licence";
  CHECK(choose_decoder(small, candidates).name == "spectral");
  candidates.push_back({"stranger", named("exact")->can});
  CHECK(choose_decoder(small, candidates).name == "spectral");
}

TEST_CASE("auto: when nothing takes the problem, every obstacle is named") {
  const ProblemFacts repelling = facts(12, 60, PriorSign::any);
  CHECK(fault_of(repelling, all_but({"exact", "sdp-mixing", "spectral", "tabu"}),
                 {"modular: it needs A = 0", "min-cut: it needs an attractive prior"}) == Fault::unsupported);
  CHECK(fault_of(facts(20'000, 30'000, PriorSign::any, true, true), all_but({"tabu"}),
                 {"sdp-mixing may take about 30 GiB", "min-cut"}) == Fault::unsupported);
  CHECK(fault_of(repelling, {{"exact", {}, "no licence"}}, {"exact is not usable: no licence"}) ==
        Fault::unavailable);
}

TEST_CASE("auto never chooses a decoder that refuses the problem, and reaches the optimum of small ones") {
  kit::Rng rng(5);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(10));
    const PriorSign signs[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none};
    CanonicalProblem problem = random_problem(rng, V, signs[rng.below(4)], rng.below(2) == 1, rng.uniform());
    if (rng.below(2) == 1) problem.A = PriorMatrix(SparseMatrix(problem.A.to_dense().sparseView()));
    if (rng.below(2) == 1) problem.k = random_cardinality(rng, V);
    std::vector<std::string> missing;  // any part of the plugins, but one that takes everything
    for (const std::string& name : decoders_of_known_cost())
      if (name != "tabu" && repeat % 2 == 1 && rng.below(2) == 1) missing.push_back(name);
    const DecoderChoice choice =
        choose_decoder(counted_facts_of(problem.A, problem.k.has_value()), all_but(missing));
    CAPTURE(V, problem.k.has_value(), choice.name, missing);
    REQUIRE(std::find(missing.begin(), missing.end(), choice.name) == missing.end());
    ErrorList errors;
    const auto plans = plan_decodes(builtin(), {choice.name}, {}, problem.k.has_value(), {}, errors);
    errors.throw_if_any();
    const DecodeReport report = run_decode(plans.front(), problem, 1, {});
    if (missing.empty()) {
      REQUIRE(report.status == CONCORD_OPTIMAL);
      REQUIRE(report.objective == Approx(naive_optimum(problem)).margin(1e-7));
    }
  }
}

TEST_CASE("a decoder that is named is taken as it is") {
  const PriorMatrix A(Eigen::MatrixXd(Eigen::MatrixXd::Zero(2, 2)));
  CHECK(resolve_decoder(builtin(), "decoder/auto", A, false).name == "decoder/auto");
  const DecoderChoice choice = resolve_decoder(builtin(), kChosenDecoder, A, false);
  CHECK(choice.name == "modular");
  CHECK_FALSE(choice.reason.empty());
}

}  // namespace concord::choice_test
