// SPDX-License-Identifier: MIT
// sdp-mixing against enumeration; its limits; and the host's loop over subproblems, which prunes for it.
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/mixing.hpp>

#include "solve/verify.hpp"
#include "support.hpp"

namespace concord::sdp_mixing_test {

using namespace concord::test;

namespace {

std::unique_ptr<Decoder> mixing(const std::string& tol, const std::string& form = "lifted") {
  return make_decoder("sdp-mixing", {{"tol", tol, "test"}, {"cardinality", form, "test"}});
}

double frobenius(const CanonicalProblem& problem) {
  return std::sqrt(problem.A.dense().squaredNorm() + problem.c.squaredNorm() / 2);
}

/// Every claim of one answer.
void require_true(const Decoder& decoder, const CanonicalProblem& problem, double tol, double optimum) {
  const RelaxedSolution s = decoder.solve({problem.c, problem.k});
  INFO("V = " << problem.labels() << ", k = " << problem.k.value_or(-1) << ", tol = " << tol);
  REQUIRE(s.has_point());
  verify_solution(decoder.plugin(), s, problem.A, problem.c, problem.k);
  const double slack = value_tolerance(problem.c, problem.A);
  REQUIRE(s.bound >= optimum - slack);
  REQUIRE(s.bound >= s.value - slack);
  REQUIRE(s.status != CONCORD_LIMIT);
  REQUIRE(s.bound - s.value <= tol * std::max(std::abs(s.value), frobenius(problem)) * 1.01 + slack);
}

void sweep(int problems, uint64_t seed, uint64_t most_labels) {
  kit::Rng rng(seed);
  const auto lifted = mixing("1e-3"), row = mixing("1e-3", "row");
  constexpr PriorSign signs[] = {PriorSign::any, PriorSign::attractive, PriorSign::repulsive,
                                 PriorSign::none};
  for (int i = 0; i < problems; ++i) {
    const auto V = static_cast<int64_t>(1 + rng.below(most_labels));
    CanonicalProblem problem =
        random_problem(rng, V, signs[rng.below(4)], rng.below(2) == 0, rng.below(2) == 0 ? 0.3 : 1.0);
    if (rng.below(5) == 0) problem.c.setZero();
    lifted->prepare(problem.A);
    row->prepare(problem.A);
    require_true(*lifted, problem, 1e-3, naive_optimum(problem));
    for (int64_t k = 0; k <= V; ++k) {
      problem.k = k;
      const double optimum = naive_optimum(problem);
      require_true(*lifted, problem, 1e-3, optimum);
      require_true(*row, problem, 1e-3, optimum);
    }
  }
}

}  // namespace

TEST_CASE("sdp-mixing certifies its gap on small problems, every k, both forms") {
  sweep(60, 1, 9);
}

TEST_CASE("sdp-mixing certifies its gap on many small problems", "[.full]") {
  sweep(2000, 2, 10);
}

TEST_CASE("sdp-mixing at its limit of sweeps still proves a bound") {
  kit::Rng rng(3);
  const auto decoder = make_decoder("sdp-mixing", {{"max_sweeps", "2", "test"}, {"tol", "1e-6", "test"}});
  for (int i = 0; i < 20; ++i) {
    CanonicalProblem problem = random_problem(rng, 10, PriorSign::any, false);
    if (i % 2 == 1) problem.k = 4;
    decoder->prepare(problem.A);
    const RelaxedSolution s = decoder->solve({problem.c, problem.k});
    CHECK(s.status == CONCORD_LIMIT);
    CHECK(s.message.find("2 sweeps") != std::string::npos);
    verify_solution(decoder->plugin(), s, problem.A, problem.c, problem.k);
    CHECK(s.bound >= naive_optimum(problem) - value_tolerance(problem.c, problem.A));
  }
}

TEST_CASE(
    "sdp-mixing is as tight as CSDP where labels repel each other on average, and where columns settle "
    "slowly") {
  kit::Rng rng(6);
  const auto theirs = make_decoder("sdp-csdp", {{"tol", "1e-7", "test"}});
  for (const int64_t V : {20, 70, 200, 320}) {
    const auto normal = [&](PriorSign sign) { return random_problem(rng, V, sign, false); };
    std::vector<CanonicalProblem> problems{normal(PriorSign::repulsive), normal(PriorSign::any),
                                           random_problem(rng, V, PriorSign::repulsive, true, 0.3)};
    Eigen::MatrixXd equal = Eigen::MatrixXd::Constant(V, V, 0.7);
    equal.diagonal().setZero();
    for (const double noise : {0.0, 1e-3, 0.1, 1.0}) {
      CanonicalProblem problem = normal(PriorSign::any);
      problem.A = PriorMatrix(equal + noise * problem.A.dense());
      problems.push_back(problem);
      problem.c.setZero();
      problems.push_back(problem);
      problem.c[0] = 1e6;
      problems.push_back(problem);
    }
    if (V > 200) problems.resize(4, problems[0]);  // CSDP takes its time
    for (const CanonicalProblem& problem : problems) {
      theirs->prepare(problem.A);
      const RelaxedSolution b = theirs->solve({problem.c});
      REQUIRE(b.has_point());
      for (const char* tol : {"1e-3", "1e-5"}) {
        const auto ours = mixing(tol);
        ours->prepare(problem.A);
        require_true(*ours, problem, std::stod(tol), b.value);
        const double size = std::max(std::abs(b.value), frobenius(problem));
        REQUIRE(ours->solve({problem.c}).value <= b.bound + 1e-7 * size);
      }
    }
  }
}

TEST_CASE("sdp-mixing needs few sweeps where the prior is one direction of repulsion, whatever it is") {
  kit::Rng rng(7);
  const auto decoder = make_decoder(
      "sdp-mixing", {{"tol", "1e-3", "test"}, {"max_sweeps", "1000", "test"}});  // it was thousands
  for (const int64_t V : {30, 100, 200, 330})
    for (int repeat = 0; repeat < 8; ++repeat) {
      CanonicalProblem problem = random_problem(rng, V, PriorSign::any, false);
      Eigen::VectorXd w = Eigen::VectorXd::Ones(V);
      if (repeat % 4 == 1) w.head(V / 10).setZero();
      if (repeat % 4 >= 2) w = Eigen::VectorXd::NullaryExpr(V, [&] { return 0.5 + rng.uniform(); });
      Eigen::MatrixXd A = 0.7 * w * w.transpose();
      A.diagonal().setZero();
      if (repeat % 4 == 3) A += 0.05 * problem.A.dense();
      problem.A = PriorMatrix(A);
      decoder->prepare(problem.A);
      require_true(*decoder, problem, 1e-3, -std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("a start of another kind of problem is as good as none") {
  kit::Rng rng(8);
  const int64_t V = 60;
  Eigen::MatrixXd A = random_problem(rng, V, PriorSign::repulsive, false).A.dense();
  const kit::MixingPrior prior(A);
  const double beta = kit::beta_of(V, 12), free = std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd c = random_problem(rng, V, PriorSign::any, false).c;
  const kit::MixingOptions options{.max_sweeps = 3000};
  const auto never = [] { return false; };
  using Kind = std::pair<double, kit::CardinalityForm>;
  const std::vector<Kind> kinds{{free, kit::CardinalityForm::lifted},
                                {beta, kit::CardinalityForm::lifted},
                                {beta, kit::CardinalityForm::row}};
  for (const Kind& first : kinds)
    for (const Kind& second : kinds) {
      kit::MixingStart start;
      REQUIRE(kit::solve_mixing(prior, c, first.first, first.second, options, &start, never).certified);
      CHECK(kit::solve_mixing(prior, c, second.first, second.second, options, &start, never).certified);
    }
}

TEST_CASE("sdp-mixing at its limit of sweeps proves a bound that is of use, also with a cardinality") {
  kit::Rng rng(9);
  for (const int64_t V : {140, 250}) {
    CanonicalProblem problem = random_problem(rng, V, PriorSign::any, false);
    problem.k = V / 4;
    for (const char* sweeps : {"16", "32", "128"}) {
      const auto decoder =
          make_decoder("sdp-mixing", {{"max_sweeps", sweeps, "test"}, {"tol", "1e-10", "test"}});
      decoder->prepare(problem.A);
      const RelaxedSolution s = decoder->solve({problem.c, problem.k});
      INFO(V << " labels, " << sweeps << " sweeps: " << s.value << ", " << s.bound);
      CHECK(s.bound <= 1.5 * s.value);
    }
  }
}

TEST_CASE(
    "the host's loop prunes for a lifted SDP, not for its row form, and the answer is the best of all k") {
  kit::Rng rng(4);
  const auto loss = make_loss("f-beta");
  const int64_t V = 12;
  loss->prepare(V, 1, std::vector<int64_t>(V, 1));
  const auto lifted = mixing("1e-4"), row = mixing("1e-4", "row");
  int64_t solved = 0;
  for (int i = 0; i < 30; ++i) {
    const CanonicalProblem problem =
        random_problem(rng, V, i % 2 == 0 ? PriorSign::any : PriorSign::repulsive, i % 3 == 0);
    LabelVector truth = LabelVector::Constant(V, -1);
    for (int64_t v = 0; v < V; ++v)
      if (rng.below(4) == 0) truth[v] = 1;
    const FamilyData family = loss->describe(truth);
    lifted->prepare(problem.A);
    row->prepare(problem.A);
    const RelaxedSolution s = lifted->solve_family({problem.c}, family);
    CHECK(s.solved + s.pruned == V + 1);
    solved += s.solved;
    double best = -std::numeric_limits<double>::infinity(), bound = best;
    for (int64_t k = 0; k <= V; ++k) {
      const RelaxedSolution one = lifted->solve({problem.c + family.D * family.t.col(k), k});
      best = std::max(best, one.value + family.constants(k));
      bound = std::max(bound, one.bound + family.constants(k));
    }
    const double slack = value_tolerance(problem.c, problem.A);
    CHECK(s.value == Approx(best).margin(slack));
    CHECK(s.bound <= bound + slack);
    CHECK(s.bound >= best - slack);
    const RelaxedSolution all = row->solve_family({problem.c}, family);
    CHECK(all.solved == V + 1);
    CHECK(all.pruned == 0);
    CHECK(all.bound >= s.value - slack);
  }
  CHECK(solved < 30 * (V + 1) / 2);
}

TEST_CASE("max-cut of 800 nodes: the bound is CSDP's", "[.full]") {
  kit::Rng rng(5);
  const int64_t V = 800;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(V, V);
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (rng.uniform() < 0.06) A(i, j) = A(j, i) = 0.25;
  const PriorMatrix prior(A);
  const auto ours = mixing("2e-5"), theirs = make_decoder("sdp-csdp", {{"tol", "1e-7", "test"}});
  ours->prepare(prior);
  theirs->prepare(prior);
  const Instance instance{Eigen::VectorXd::Zero(V)};
  const RelaxedSolution a = ours->solve(instance), b = theirs->solve(instance);
  REQUIRE(a.status == CONCORD_RELAXED);
  REQUIRE(b.has_point());
  CHECK(std::abs(a.bound - b.bound) <= 1e-4 * b.bound);
  CHECK(a.value <= b.bound * (1 + 1e-9));
}

}  // namespace concord::sdp_mixing_test
