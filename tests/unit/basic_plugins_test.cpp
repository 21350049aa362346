// SPDX-License-Identifier: MIT
// What is particular to each of the elementary decoders, losses and roundings.
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/objective.hpp>
#include <concord/kit/rng.hpp>

#include "solve/rounding.hpp"
#include "support.hpp"

namespace concord::basic_plugins_test {

using kit::Rng;

namespace {

template <class Object>
Object make(int32_t kind, const std::string& name, const std::vector<Setting>& settings = {},
            RunControl control = {}) {
  const Plugin& plugin = test::builtin().find(kind, name);
  ErrorList errors;
  const OptionValues options(plugin.id(), plugin.options(), settings, errors);
  REQUIRE(errors.empty());
  return Object(plugin, options, std::move(control));
}

LabelVector labelling(int64_t V, uint64_t code) {
  LabelVector y(V);
  for (int64_t v = 0; v < V; ++v) y[v] = (code >> v) & 1 ? 1 : -1;
  return y;
}

Eigen::MatrixXd random_prior(Rng& rng, int64_t V, double density) {
  return random_problem(rng, V, PriorSign::any, false, density).A.dense();
}

Eigen::VectorXd random_vector(Rng& rng, int64_t V) {
  return concord::random_vector(V, [&] { return rng.normal(); });
}

}  // namespace

TEST_CASE("weighted-hamming: weights of the wrong length, and known values") {
  Loss loss = make<Loss>(CONCORD_LOSS, "weighted-hamming",
                         {{"label_weights", "[1, 2, 0]", ""}, {"positive_weight", "4", ""}});
  CHECK_THROWS_WITH(loss.prepare(2, 1, {1, 1}), Catch::Contains("3 weights") && Catch::Contains("2 labels"));
  loss.prepare(3, 1, {1, 1, 1});
  CHECK(loss.evaluate(labelling(3, 0), labelling(3, 2)) == Approx(8.0 / 3));
  CHECK(loss.evaluate(labelling(3, 2), labelling(3, 0)) == Approx(2.0 / 3));
  CHECK(loss.evaluate(labelling(3, 4), labelling(3, 0)) == 0);
}

TEST_CASE("modular: families of another structure, refusals") {
  Rng rng(22);
  Decoder modular = make<Decoder>(CONCORD_DECODER, "modular");
  modular.prepare(PriorMatrix(Eigen::MatrixXd::Zero(4, 4)));
  for (int trial = 0; trial < 100; ++trial) {
    const int64_t n = 3;
    FamilyData family{Eigen::MatrixXd(4, 2), random_vector(rng, n), Eigen::MatrixXd(2, n),
                      Eigen::MatrixXd::Ones(4, 1), Eigen::MatrixXd(1, n)};
    for (double& x : family.D.reshaped()) x = rng.normal();
    for (double& x : family.t.reshaped()) x = rng.normal();
    for (double& x : family.beta.reshaped())
      x = rng.below(2) == 0 ? std::nan("") : 2.0 * static_cast<double>(rng.below(5)) - 4;
    const Instance base{random_vector(rng, 4), std::nullopt, 0, nullptr};
    const RelaxedSolution native = modular.solve_family(base, family);
    const RelaxedSolution loop = modular.solve_family_by_loop(base, family);
    CHECK(native.F == loop.F);
    CHECK(native.subproblem == loop.subproblem);
    CHECK(native.value == Approx(loop.value));
  }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4);
  A(1, 3) = A(3, 1) = 0.5;
  CHECK_THROWS_WITH(modular.prepare(PriorMatrix(A)), Catch::Contains("1 and 3"));
}

TEST_CASE("exhaustive: stop and limit") {
  Rng rng(23);
  const std::atomic<bool> stop{true};
  RunControl control;
  control.stop = &stop;
  RunControl late;
  late.deadline = std::chrono::steady_clock::now();
  for (const auto& [given, status] : {std::pair{control, CONCORD_STOPPED}, std::pair{late, CONCORD_LIMIT}}) {
    Decoder decoder = make<Decoder>(CONCORD_DECODER, "exhaustive", {}, given);
    decoder.prepare(PriorMatrix(random_prior(rng, 20, 1)));
    const RelaxedSolution cut = decoder.solve(Instance{random_vector(rng, 20), 7, 0, nullptr});
    CHECK(cut.status == status);
    CHECK(std::isnan(cut.bound));
    CHECK(cut.nodes == 4096);
    CHECK(cut.u().sum() == 2 * 7 - 20);
  }
  Decoder decoder = make<Decoder>(CONCORD_DECODER, "exhaustive");
  CHECK_THROWS_WITH(decoder.prepare(PriorMatrix(random_prior(rng, 25, 1))), Catch::Contains("25"));
}

TEST_CASE("roundings: feasible, never worse than the start, the same for dense and sparse") {
  Rng rng(24);
  for (const char* name : {"sign", "threshold", "top-k", "local-search"}) {
    const Rounding rounding = make<Rounding>(CONCORD_ROUNDING, name);
    const bool takes_k = rounding.plugin().capabilities().constraints == CONCORD_CONSTRAINTS_CARDINALITY;
    for (int trial = 0; trial < 300; ++trial) {
      const auto V = static_cast<int64_t>(1 + rng.below(9));
      const Eigen::MatrixXd A = random_prior(rng, V, 0.6);
      const PriorMatrix dense(A), sparse(SparseMatrix(A.sparseView()));
      Instance instance{random_vector(rng, V), std::nullopt, 0, nullptr};
      LabelVector start = labelling(V, rng.below(uint64_t{1} << V));
      if (takes_k && (trial % 2 == 0 || std::string(name) == "top-k")) instance.k = (start > 0).count();
      RelaxedSolution relaxed;
      relaxed.F = random_vector(rng, V);
      const LabelVector* from = trial % 3 == 0 ? &start : nullptr;
      const LabelVector labels = rounding.round(dense, {dense}, instance, relaxed, from);
      CHECK((labels == rounding.round(sparse, {sparse}, instance, relaxed, from)).all());
      if (std::string(name) == "sign" && from == nullptr)
        for (int64_t v = 0; v < V; ++v) CHECK(labels(v) == (relaxed.F(v, 0) > 0 ? 1 : -1));
      if (std::string(name) == "threshold" && from == nullptr) {
        const Eigen::VectorXd u = labels.cast<double>();
        for (int64_t m = 0; m <= V; ++m) {
          const Eigen::VectorXd cut = kit::top_k(relaxed.u(), m);
          CHECK(u.dot(instance.c) - dense.quadratic(u) >= cut.dot(instance.c) - dense.quadratic(cut) - 1e-12);
        }
      }
    }
  }
  const Rounding level =
      make<Rounding>(CONCORD_ROUNDING, "threshold", {{"mode", "level", ""}, {"level", "0.5", ""}});
  RelaxedSolution relaxed;
  relaxed.F = (Eigen::VectorXd(3) << 0.4, 0.5, 0.6).finished();
  const PriorMatrix none(Eigen::MatrixXd::Zero(3, 3));
  const Instance instance{Eigen::VectorXd::Zero(3), std::nullopt, 0, nullptr};
  CHECK((level.round(none, {none}, instance, relaxed, nullptr) == labelling(3, 4)).all());
  const Rounding top_k = make<Rounding>(CONCORD_ROUNDING, "top-k");
  CHECK_THROWS_WITH(top_k.round(none, {none}, instance, relaxed, nullptr),
                    Catch::Contains("top-k needs a cardinality"));
}

}  // namespace concord::basic_plugins_test
