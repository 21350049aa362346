// SPDX-License-Identifier: MIT
// The SDP decoders against each other, enumeration, the spectral relaxation and the golden values.
#include <catch2/catch.hpp>
#include <cmath>

#include "solve/verify.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::sdp_backends_test {

using namespace concord::test;

namespace {

const std::vector<std::string> kDecoders = {"sdp-mixing", "sdp-csdp", "sdp-dsdp"};
constexpr PriorSign kSigns[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none};

struct Solver {
  std::string name;
  std::unique_ptr<Decoder> decoder;
};

std::vector<Solver> solvers(const std::string& form) {
  std::vector<Solver> all;
  for (const std::string& name : kDecoders)
    all.push_back({name, make_decoder(name, {{"cardinality", form, "test"}, {"tol", "1e-6", "test"}})});
  return all;
}

/// Solves, and those that ended with a certified gap above ten times the tolerance: rare, in problems whose
/// objective is constant over much of the feasible set.
struct Count {
  int64_t solved = 0;
  int64_t cut = 0;
};

/// The largest value and the smallest bound of all decoders, after every answer was verified as the host does
/// it. That the value is below the bound says that they agree within their certified gaps.
struct Interval {
  double value = -std::numeric_limits<double>::infinity();
  double bound = std::numeric_limits<double>::infinity();
};

Interval agree(const std::vector<Solver>& all, const CanonicalProblem& problem, Count& count) {
  const double slack = value_tolerance(problem.c, problem.A);
  Interval found;
  for (const Solver& one : all) {
    one.decoder->prepare(problem.A);
    const RelaxedSolution s = one.decoder->solve({problem.c, problem.k});
    INFO(one.name << ": " << s.message);
    REQUIRE(s.has_point());
    verify_solution(one.decoder->plugin(), s, problem.A, problem.c, problem.k);
    ++count.solved;
    if (s.status == CONCORD_LIMIT) {
      ++count.cut;
    } else {
      const double scale = std::sqrt(problem.A.dense().squaredNorm() + problem.c.squaredNorm() / 2);
      REQUIRE(s.bound - s.value <= 1e-5 * std::max(std::abs(s.value), scale) + slack);
    }
    found.value = std::max(found.value, s.value);
    found.bound = std::min(found.bound, s.bound);
  }
  REQUIRE(found.value <= found.bound + slack);
  return found;
}

class Comparison {
 public:
  /// With and without a cardinality, both forms, against enumeration and spectral.
  void check(CanonicalProblem problem, std::optional<int64_t> k) {
    INFO("V = " << problem.labels() << ", k = " << k.value_or(-1));
    for (const auto& cardinality : {std::optional<int64_t>{}, k}) {
      problem.k = cardinality;
      const double optimum = naive_optimum(problem), slack = value_tolerance(problem.c, problem.A);
      const Interval lifted = agree(lifted_, problem, count_);
      REQUIRE(lifted.bound >= optimum - slack);
      spectral_->prepare(problem.A);
      REQUIRE(lifted.value <= spectral_->solve({problem.c, problem.k}).bound + slack);
      if (!problem.k) continue;
      const Interval row = agree(row_, problem, count_);
      REQUIRE(row.bound >= optimum - slack);
      REQUIRE(lifted.value <= row.bound + slack);
    }
  }

  const Count& count() const { return count_; }

 private:
  Count count_;
  std::vector<Solver> lifted_ = solvers("lifted");
  std::vector<Solver> row_ = solvers("row");
  std::unique_ptr<Decoder> spectral_ = make_decoder("spectral");
};

void compare(int problems, uint64_t seed, uint64_t most_labels) {
  kit::Rng rng(seed);
  Comparison comparison;
  for (int i = 0; i < problems; ++i) {
    const auto V = static_cast<int64_t>(1 + rng.below(most_labels));
    const CanonicalProblem problem =
        random_problem(rng, V, kSigns[rng.below(4)], rng.below(3) == 0, rng.below(2) == 0 ? 0.3 : 1.0);
    comparison.check(problem, static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1)));
  }
  CHECK(comparison.count().cut <= comparison.count().solved / 200);
}

}  // namespace

TEST_CASE("SDP decoders agree, bound the optimum, and lifted is tighter than row and spectral") {
  compare(50, 1, 11);
}

TEST_CASE("SDP decoders agree on many problems", "[.full]") {
  compare(1000, 2, 12);
}

TEST_CASE("SDP decoders agree on larger problems, of any scale") {
  kit::Rng rng(3);
  const auto all = solvers("lifted");
  for (const double scale : {1e-150, 1.0, 1e150}) {
    CanonicalProblem problem = random_problem(rng, 40, PriorSign::any, false);
    problem.A = PriorMatrix(problem.A.dense() * scale);
    problem.c *= scale;
    for (const auto& one : all) {
      one.decoder->prepare(problem.A);
      for (const std::optional<int64_t> k : {std::optional<int64_t>{}, std::optional<int64_t>{13}}) {
        const RelaxedSolution s = one.decoder->solve({problem.c, k});
        INFO(one.name << " at scale " << scale << ": " << s.message);
        CHECK(s.status == CONCORD_RELAXED);
        CHECK(s.bound - s.value <= 1e-5 * std::abs(s.value));
      }
    }
  }
}

TEST_CASE("golden values of the SDP") {
  const auto all = solvers("lifted");
  Count count;
  const auto check = [&](const CanonicalProblem& problem, const nlohmann::json& expected) {
    if (expected.is_null()) return;
    const Interval found = agree(all, problem, count);
    const double value = expected.get<double>(), slack = 1e-5 * (1 + std::abs(value));
    CHECK(found.bound <= value + slack);
    if (problem.labels() > 2)  // else enumerated, which is tighter
      CHECK(found.bound == Approx(value).margin(slack));
  };
  for (const auto& entry : golden()) {
    CanonicalProblem problem = golden_problem(entry);
    check(problem, entry["sdp"]);
    for (const auto& card : entry["cardinality"]) {
      problem.k = card["k"].get<int64_t>();
      check(problem, card["sdp_lifted"]);
    }
  }
  CHECK(count.cut == 0);
}

TEST_CASE("none or all of many labels: the only labelling") {
  kit::Rng rng(9);
  for (const std::string& name : kDecoders)
    for (const std::string form : {"lifted", "row"})
      for (const int64_t V : {3, 62, 63, 64, 65, 130}) {
        CanonicalProblem problem = random_problem(rng, V, PriorSign::any, false);
        const auto decoder = make_decoder(name, {{"cardinality", form, "test"}});
        decoder->prepare(problem.A);
        for (const int64_t k : {int64_t{0}, V}) {
          INFO(name << " " << form << " V " << V << " k " << k);
          const RelaxedSolution solved = decoder->solve(Instance{problem.c, k, 0, nullptr});
          const Eigen::VectorXd u = Eigen::VectorXd::Constant(V, k == 0 ? -1 : 1);
          CHECK(solved.status == CONCORD_OPTIMAL);
          CHECK(solved.value == Approx(problem.value(u)));
          CHECK(solved.u() == u);
        }
      }
}

TEST_CASE("the row form gives up to be as tight as spectral") {
  for (const std::string& name : kDecoders) {
    CHECK(make_decoder(name)->has(CONCORD_AS_TIGHT_AS_SPECTRAL));
    CHECK_FALSE(make_decoder(name, {{"cardinality", "row", "test"}})->has(CONCORD_AS_TIGHT_AS_SPECTRAL));
  }
}

TEST_CASE("the SDP backend of the documentation agrees with the others") {
  Registry registry({places::consumers() + "/sdp"}, {});
  const Plugin& plugin = registry.find(CONCORD_DECODER, "sdp-admm");
  kit::Rng rng(4);
  for (const std::string form : {"lifted", "row"}) {
    ErrorList errors;
    const OptionValues values(plugin.id(), plugin.options(), {{"cardinality", form, "test"}}, errors);
    std::vector<Solver> all = solvers(form);
    all.push_back({"sdp-admm", std::make_unique<Decoder>(plugin, values, RunControl{})});
    Count count;
    for (int64_t V = 3; V <= 8; ++V) {
      CanonicalProblem problem = random_problem(rng, V, PriorSign::any, false);
      agree(all, problem, count);
      problem.k = V / 2;
      agree(all, problem, count);
    }
    CHECK(count.cut == 0);
  }
}

}  // namespace concord::sdp_backends_test
