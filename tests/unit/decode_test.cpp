// SPDX-License-Identifier: MIT
// Decoding through the registry, as the host does it, against plain enumeration and the golden values.
#include <catch2/catch.hpp>

#include "solve/pipeline.hpp"
#include "solve/verify.hpp"
#include "support.hpp"

namespace concord::decode_test {

using namespace concord::test;

namespace {

constexpr PriorSign kSigns[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none};

/// One decode by each of the exact decoders that can, with the default rounding.
void check_all_decoders(const CanonicalProblem& problem, bool zero, uint64_t seed) {
  const double optimum = naive_optimum(problem);
  const double tolerance = value_tolerance(problem.c, problem.A);
  std::vector<std::string> names = {"exhaustive"};
  if (zero) names.push_back("modular");
  ErrorList errors;
  const auto plans = plan_decodes(builtin(), names, {}, problem.k.has_value(), {}, errors);
  errors.throw_if_any();
  for (const auto& plan : plans) {
    const DecodeReport report = run_decode(plan, problem, seed, {});
    INFO(report.decoder << " V=" << problem.labels());
    REQUIRE(report.status == CONCORD_OPTIMAL);
    REQUIRE(report.objective == Approx(optimum).margin(tolerance));
    REQUIRE(report.bound == Approx(optimum).margin(tolerance));
    REQUIRE(report.gap >= 0);
    REQUIRE(report.gap <= 1e-9);
  }
}

}  // namespace

TEST_CASE("decode agrees with enumeration: all signs, ties, sparse, every k") {
  kit::Rng rng(1);
  int problems = 0;
  for (const PriorSign sign : kSigns)
    for (int64_t V = 1; V <= 8; ++V)
      for (int repeat = 0; repeat < 12; ++repeat) {
        CanonicalProblem problem = random_problem(rng, V, sign, repeat % 2 == 1, repeat % 3 == 0 ? 0.3 : 1.0);
        check_all_decoders(problem, sign == PriorSign::none, 1);
        for (int64_t k = 0; k <= V; ++k) {
          problem.k = k;
          check_all_decoders(problem, sign == PriorSign::none, 1);
          ++problems;
        }
        ++problems;
      }
  CHECK(problems > 2000);
}

TEST_CASE("decode agrees with enumeration on many problems", "[.full]") {
  kit::Rng rng(2);
  for (int repeat = 0; repeat < 10000; ++repeat) {
    const auto V = static_cast<int64_t>(1 + rng.below(12));
    const PriorSign sign = kSigns[rng.below(4)];
    CanonicalProblem problem = random_problem(rng, V, sign, rng.below(2) == 1, rng.uniform());
    if (rng.below(2) == 1) problem.k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1));
    check_all_decoders(problem, sign == PriorSign::none, rng.next());
  }
}

TEST_CASE("golden optima, with and without a cardinality") {
  for (const auto& entry : golden()) {
    CanonicalProblem problem = golden_problem(entry);
    const auto decoder = make_decoder("exhaustive");
    decoder->prepare(problem.A);
    CHECK(decoder->solve({problem.c, std::nullopt}).value ==
          Approx(entry["optimum"].get<double>()).margin(1e-9));
    for (const auto& card : entry["cardinality"])
      CHECK(decoder->solve({problem.c, card["k"].get<int64_t>()}).value ==
            Approx(card["optimum"].get<double>()).margin(1e-9));
  }
}

TEST_CASE("golden loss-augmented values by the host's loop") {
  const std::pair<std::string, std::unique_ptr<Loss>> losses[] = {
      {"augmented_hamming", make_loss("hamming")},
      {"augmented_f1", make_loss("f-beta")},
      {"augmented_f2", make_loss("f-beta", {{"beta", "2", "test"}})}};
  for (const auto& entry : golden()) {
    const CanonicalProblem problem = golden_problem(entry);
    const auto truth = entry["truth"].get<std::vector<int>>();
    LabelVector y(problem.labels());
    for (int64_t v = 0; v < y.size(); ++v) y(v) = static_cast<int8_t>(truth[static_cast<size_t>(v)]);
    const auto decoder = make_decoder("exhaustive");
    decoder->prepare(problem.A);
    for (const auto& [key, loss] : losses) {
      loss->prepare(problem.labels(), 1, std::vector<int64_t>(truth.size(), 0));
      const RelaxedSolution best = decoder->solve_family({problem.c}, loss->describe(y));
      INFO(key);
      CHECK(best.status == CONCORD_OPTIMAL);
      CHECK(best.value == Approx(entry[key].get<double>()).margin(1e-9));
      // The winner's own labels have that value.
      const LabelVector u = best.u().cast<int8_t>().array();
      CHECK(loss->evaluate(u, y) + problem.value(best.u()) == Approx(best.value).margin(1e-9));
    }
  }
}

TEST_CASE("a family is a loss: the best subproblem at every labelling gives loss(y, truth)") {
  kit::Rng rng(3);
  for (const auto& [name, settings] : std::vector<std::pair<std::string, std::vector<Setting>>>{
           {"hamming", {}},
           {"weighted-hamming", {{"positive_weight", "3.5", "test"}}},
           {"f-beta", {}},
           {"f-beta", {{"beta", "0.5", "test"}}},
           {"f-beta", {{"beta", "2", "test"}}}}) {
    const auto loss = make_loss(name, settings);
    for (int64_t V = 1; V <= 6; ++V) {
      loss->prepare(V, 1, std::vector<int64_t>(static_cast<size_t>(V), 0));
      CanonicalProblem all;
      all.A = PriorMatrix(Eigen::MatrixXd::Zero(V, V).eval());
      all.c = Eigen::VectorXd::Zero(V);
      for_all_labellings(all, [&](const LabelVector& truth, double) {
        const FamilyData family = loss->describe(truth);
        REQUIRE(loss->evaluate(truth, truth) == 0);
        for_all_labellings(all, [&](const LabelVector& y, double) {
          double best = -std::numeric_limits<double>::infinity();
          const Eigen::VectorXd u = y.cast<double>();
          for (int64_t s = 0; s < family.size(); ++s) {
            bool feasible = true;
            for (int64_t r = 0; r < family.rows.cols(); ++r)
              feasible = feasible &&
                         (std::isnan(family.beta(r, s)) || family.rows.col(r).dot(u) == family.beta(r, s));
            if (feasible) best = std::max(best, family.constants(s) + (family.D * family.t.col(s)).dot(u));
          }
          REQUIRE(best == Approx(loss->evaluate(y, truth)).margin(1e-12));
        });
      });
    }
  }
}

TEST_CASE("native families equal the host's loop") {
  kit::Rng rng(4);
  const auto decoder = make_decoder("modular");
  REQUIRE(decoder->has_native_family());
  for (const char* beta : {"0.5", "1", "2"}) {
    const auto f_beta = make_loss("f-beta", {{"beta", beta, "test"}});
    const auto hamming = make_loss("hamming");
    for (int64_t V = 1; V <= 12; ++V) {
      for (int repeat = 0; repeat < 40; ++repeat) {
        const CanonicalProblem problem = random_problem(rng, V, PriorSign::none, repeat % 2 == 0);
        LabelVector truth(V);
        for (auto& y : truth) y = rng.below(repeat % 4 == 0 ? 10 : 2) == 0 ? 1 : -1;
        decoder->prepare(problem.A);
        for (const Loss* loss : {f_beta.get(), hamming.get()}) {
          const_cast<Loss*>(loss)->prepare(V, 1, std::vector<int64_t>(static_cast<size_t>(V), 0));
          const FamilyData family = loss->describe(truth);
          const RelaxedSolution native = decoder->solve_family({problem.c}, family);
          const RelaxedSolution loop = decoder->solve_family_by_loop({problem.c}, family);
          REQUIRE(native.value == Approx(loop.value).margin(1e-12));
          REQUIRE(native.status == loop.status);
          REQUIRE(native.subproblem == loop.subproblem);  // ties too
          REQUIRE(native.bound == Approx(loop.bound).margin(1e-12));
          double naive = -std::numeric_limits<double>::infinity();
          for_all_labellings(problem, [&](const LabelVector& y, double value) {
            naive = std::max(naive, value + loss->evaluate(y, truth));
          });
          REQUIRE(native.value == Approx(naive).margin(1e-9));
        }
      }
    }
  }
}

TEST_CASE("rounding chains are named a+b") {
  const auto parts = [](const std::string& chain) { return chain_parts(chain, "here"); };
  CHECK(parts("sign") == std::vector<std::string>{"sign"});
  CHECK(parts("top-k+local-search") == std::vector<std::string>{"top-k", "local-search"});
  CHECK_THROWS_WITH(parts("sign+"), "here: 'sign+' has an empty part; expected \"a\" or \"a+b\"");
  CHECK_THROWS_WITH(parts(""), Catch::Contains("empty part"));
  CHECK_THROWS_WITH(parts("./a.so++b"), Catch::Contains("empty part"));
}

}  // namespace concord::decode_test
