// SPDX-License-Identifier: MIT
#include "plugins/decoders/spectral/spectral.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include <concord/kit/enumeration.hpp>

#include "plugins/decoders/reference/spectral-qep/spectral-qep.hpp"
#include "plugins/decoders/spectral-tight/spectral-tight.hpp"
#include "spectral_support.hpp"
#include "tests/unit/places.hpp"

namespace spectral_test::decoders {

using concord::kit::beta_of;
using concord::spectral::Spectral;
using concord::spectral_qep::SpectralQep;
using concord::spectral_tight::SpectralTight;
using nlohmann::json;

namespace {

bool at_least(double x, double y) {
  return x >= y - 1e-9 * (1 + std::abs(y));
}

std::vector<double> all_betas(Index V) {
  std::vector<double> out{none};
  for (Index k = 0; k <= V; ++k) out.push_back(beta_of(V, k));
  return out;
}

void compare_with_qep(int problems, uint64_t seed) {
  Generator generator(seed);
  for (int i = 0; i < problems; ++i) {
    const Index V = 1 + generator.index(i % 10 == 0 ? 16 : 7);
    const Problem p = generator.problem(i % kinds, V);
    Caller<Spectral> fast(p.A);
    Caller<SpectralQep> slow(p.A);
    for (const double beta :
         V <= 4 ? all_betas(V) : std::vector<double>{none, beta_of(V, generator.index(V + 1))}) {
      const Decoded a = fast.decode(p.c, beta);
      const Decoded b = slow.decode(p.c, beta);
      const Reference expected = reference(p, beta);
      CAPTURE(i, V, beta, a.value, b.value, expected.value, expected.hard);
      const double tolerance =
          (expected.hard ? 1e-6 : 1e-8) * std::abs(expected.value) + 1e-12 * p.magnitude();
      CHECK(std::abs(a.value - b.value) <= tolerance);
      CHECK(std::abs(b.value - expected.value) <= tolerance);
      CHECK(b.bound >= b.value);
      CHECK(b.bound >= expected.value - 1e-12 * p.magnitude());
      CHECK(b.bound <= expected.value + tolerance);
      CHECK(b.u().squaredNorm() == Approx(static_cast<double>(V)));
      CHECK(std::abs(b.value - objective(p, b.F)) <= 1e-12 * p.magnitude());
    }
  }
}

struct Golden {
  Problem problem;
  Vector truth, diagonal;
  json expected;
};

std::vector<Golden> golden() {
  json file;
  std::ifstream(places::tests() + "/golden/problems.json") >> file;
  const auto vector = [](const json& list) {
    const auto v = list.get<std::vector<double>>();
    return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())));
  };
  std::vector<Golden> out;
  for (const json& p : file.at("problems")) {
    Golden g;
    g.problem.c = vector(p.at("b"));
    g.problem.A.resize(g.problem.c.size(), g.problem.c.size());
    for (Index i = 0; i < g.problem.c.size(); ++i)
      g.problem.A.row(i) = vector(p.at("A").at(static_cast<size_t>(i)));
    g.truth = vector(p.at("truth"));
    g.diagonal = vector(p.at("diagonal"));
    g.expected = p;
    out.push_back(std::move(g));
  }
  REQUIRE(out.size() == 90);
  return out;
}

/// A random family with m directions over the given betas, and the answer by one solve per subproblem.
struct RandomFamily {
  Matrix D, t;
  Vector constants, beta;
  RandomFamily(Generator& generator, Index V, Index m, const std::vector<double>& betas) {
    const auto n = static_cast<Index>(betas.size());
    D = Matrix::NullaryExpr(V, m, [&] { return generator.normal(); });
    t = Matrix::NullaryExpr(m, n, [&] { return generator.normal(); });
    constants = generator.vector(n);
    beta = Eigen::Map<const Vector>(betas.data(), n);
  }
  concord_family abi() {
    return {sizeof(concord_family), 0,        D.rows(), constants.size(), D.cols(), 1, D.data(),
            constants.data(),       t.data(), nullptr,  beta.data()};
  }
};

}  // namespace

TEST_CASE("spectral equals spectral-qep and the dense reference") {
  compare_with_qep(200, 11);
}
TEST_CASE("spectral equals spectral-qep and the dense reference, 10000 problems", "[.full]") {
  compare_with_qep(10000, 12);
}

TEST_CASE("golden values of the spectral relaxation") {
  for (const Golden& g : golden()) {
    const auto V = static_cast<Index>(g.problem.c.size());
    Caller<Spectral> decoder(g.problem.A);
    const Decoded free = decoder.decode(g.problem.c);
    CHECK(free.status == CONCORD_RELAXED);
    CHECK(free.value == Approx(g.expected["spectral"].get<double>()).epsilon(1e-9));
    CHECK(at_least(free.bound, g.expected["optimum"]));
    for (const json& k : g.expected["cardinality"]) {
      const Decoded fixed = decoder.decode(g.problem.c, beta_of(V, k["k"]));
      CHECK(fixed.value == Approx(k["spectral"].get<double>()).epsilon(1e-9));
      CHECK(at_least(fixed.bound, k["optimum"]));
    }
    const Matrix shifted = g.problem.A + Matrix(g.diagonal.asDiagonal());
    CHECK(Caller<Spectral>(shifted).decode(g.problem.c).value ==
          Approx(g.expected["spectral_with_diagonal"].get<double>()).epsilon(1e-9));
    for (const auto& [name, b2] : {std::pair{"augmented_f1", 1.0}, {"augmented_f2", 4.0}}) {
      FBetaFamily family(g.truth, b2);
      CHECK(at_least(decoder.decode(g.problem.c, family.abi()).bound, g.expected[name]));
    }
  }
}

TEST_CASE("a family equals one solve per subproblem, with and without pruning") {
  Generator generator(13);
  for (int i = 0; i < 300; ++i) {
    const Index V = 1 + generator.index(12);
    const Problem p = generator.problem(i % 8, V);
    std::vector<double> betas = all_betas(V);
    if (i % 3 == 0) betas.erase(betas.begin());             // only cardinalities
    if (i % 3 == 1) betas.assign(5, none);                  // none
    if (i % 3 == 2) betas.insert(betas.begin() + 1, none);  // mixed
    RandomFamily family(generator, V, generator.index(4), betas);
    Caller<Spectral> decoder(p.A);
    Caller<Spectral> plain(p.A, {false});
    double best = -std::numeric_limits<double>::infinity();
    Index winner = -1;
    for (Index s = 0; s < family.constants.size(); ++s) {
      const Decoded one = decoder.decode(p.c + family.D * family.t.col(s), family.beta[s]);
      if (s == 0 || family.constants[s] + one.value > best + 1e-12 * std::abs(best)) winner = s;
      best = std::max(best, family.constants[s] + one.value);
    }
    for (Caller<Spectral>* caller : {&decoder, &plain}) {
      concord_result raw{};
      const Decoded all = caller->decode(p.c, family.abi(), &raw);
      CAPTURE(i, V, best, all.value);
      CHECK(all.value == Approx(best).epsilon(1e-11));
      CHECK(all.bound >= all.value);
      CHECK(all.bound == Approx(best).epsilon(1e-9));
      CHECK(raw.subproblem == winner);
      CHECK(raw.solved + raw.pruned == family.constants.size());
      if (caller == &plain) CHECK(raw.pruned == 0);
      const Problem won{p.A, p.c + family.D * family.t.col(winner)};
      CHECK(all.value ==
            Approx(family.constants[winner] + objective(won, all.F)).epsilon(1e-9).margin(1e-12));
    }
  }
}

TEST_CASE("pruning leaves few of the cardinalities of F1 to solve") {
  Generator generator(14);
  int64_t solved = 0;
  for (int i = 0; i < 20; ++i) {
    const Problem p{generator.symmetric(53, false) / 7, generator.vector(53)};
    FBetaFamily family(concord::kit::sign(generator.vector(53), 1), 1);
    concord_result raw{};
    Caller<Spectral>(p.A).decode(p.c, family.abi(), &raw);
    solved += raw.solved;
  }
  CHECK(solved <= int64_t{20} * 8);
}

TEST_CASE("equal subproblems: the smallest s wins") {
  FBetaFamily family(Vector::Ones(6), 1);
  family.constants.setZero();
  family.t.setZero();  // k and V - k are alike when c = 0
  const Matrix A = -Matrix::Ones(6, 6);
  for (const bool prune : {true, false}) {
    concord_result raw{};
    Caller<Spectral>(A, {prune}).decode(Vector::Zero(6), family.abi(), &raw);
    CHECK(raw.subproblem == 0);
  }
}

TEST_CASE("a chunk gives the same bits again, other batch sizes the same numbers") {
  Generator generator(15);
  const Matrix A = generator.symmetric(37, true);
  std::vector<Vector> c;
  std::vector<double> beta;
  for (int i = 0; i < 150; ++i) {
    c.push_back(generator.vector(37));
    beta.push_back(i % 3 == 0 ? none : beta_of(37, i % 38));
  }
  Caller<Spectral> decoder(A);
  const auto batch = decoder.decode(c, beta);
  const auto again = decoder.decode(c, beta);
  for (size_t i = 0; i < c.size(); ++i) {
    CHECK(batch[i].F == again[i].F);
    CHECK(batch[i].value == again[i].value);
    const Decoded alone = decoder.decode(c[i], beta[i]);
    CHECK((batch[i].u() - alone.u()).norm() < 1e-9 * alone.u().norm());
    CHECK(batch[i].value == Approx(alone.value).epsilon(1e-12));
  }
}

TEST_CASE("threads may share a prepared spectral decoder from the first solve on") {
  Generator generator(16);
  const Matrix A = generator.symmetric(40, false);
  const Vector c = generator.vector(40);
  Caller<Spectral> decoder(A);
  std::vector<Decoded> found(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = decoder.decode(c, i % 2 == 0 ? none : 4.0); });
  for (std::thread& thread : threads) thread.join();
  CHECK(found[0].F == found[2].F);
  CHECK(found[1].F == found[3].F);
}

TEST_CASE("bisection on the multiplier of the cardinality is a bound above elimination") {
  Generator generator(17);
  for (int i = 0; i < 20; ++i) {
    const Index V = 3 + generator.index(5);
    Problem p = generator.problem(0, V);
    if (i % 2 == 0) p.A = -p.A.cwiseAbs();
    const double beta = beta_of(V, 1 + generator.index(V - 1));
    const Decoded eliminated = Caller<SpectralQep>(p.A, {"elimination"}).decode(p.c, beta);
    const Decoded bisected = Caller<SpectralQep>(p.A, {"bisection"}).decode(p.c, beta);
    CHECK(at_least(bisected.bound, eliminated.value));
    CHECK(at_least(bisected.bound, bisected.value));
    CHECK(bisected.value == Approx(objective(p, bisected.F)).epsilon(1e-9));
    CHECK(bisected.value == Approx(bisected.bound).epsilon(1e-5));
    CHECK(bisected.u().sum() == Approx(beta).margin(1e-9));
    CHECK(bisected.F.squaredNorm() == Approx(static_cast<double>(V)));
  }
}

TEST_CASE("spectral-tight lies between the spectral and the semidefinite relaxation") {
  double spectral_gap = 0;
  double tight_gap = 0;
  for (const Golden& g : golden()) {
    const Index V = g.problem.c.size();
    Caller<SpectralTight> decoder(g.problem.A, {20, 1e-6});
    const auto check = [&](double beta, double spectral, const json& sdp, double optimum) {
      const Decoded found = decoder.decode(g.problem.c, beta);
      CAPTURE(V, beta, found.value, found.bound, spectral, optimum);
      CHECK(at_least(found.bound, optimum));
      CHECK(at_least(spectral, found.bound));
      CHECK(at_least(found.bound, found.value));
      CHECK(found.F.cols() <= V + 1);
      CHECK((found.F.rowwise().squaredNorm().array() - 1).abs().maxCoeff() < 1e-12);
      CHECK(found.value == Approx(objective(g.problem, found.F)).epsilon(1e-9).margin(1e-12));
      if (!std::isnan(beta)) {
        Vector sums = found.F.colwise().sum();
        sums[0] -= beta;
        CHECK(sums.norm() < 1e-8 * static_cast<double>(V));  // hence U1 = beta u
      }
      if (found.status == CONCORD_OPTIMAL) {
        CHECK(found.F.cols() == 1);
        CHECK(found.value == Approx(optimum).epsilon(1e-8));
      }
      if (sdp.is_null()) return;
      const double exact = sdp;
      CHECK(found.bound >= exact - 1e-6 * (1 + std::abs(exact)));
      CHECK(found.value <= exact + 1e-6 * (1 + std::abs(exact)));
      spectral_gap += spectral - exact;
      tight_gap += found.bound - exact;
    };
    check(none, g.expected["spectral"], g.expected["sdp"], g.expected["optimum"]);
    for (const json& k : g.expected["cardinality"])
      check(beta_of(V, k["k"]), k["spectral"], k["sdp_lifted"], k["optimum"]);
  }
  CHECK(tight_gap < 0.05 * spectral_gap);
}

}  // namespace spectral_test::decoders
