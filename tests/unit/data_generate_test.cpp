// SPDX-License-Identifier: MIT
// Data from a planted model: what was planted is there.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "data/dataset.hpp"
#include "data/generate.hpp"
#include "data_support.hpp"

namespace concord::data_generate_test {

using namespace concord::test;
using Catch::Matchers::Contains;

namespace {

PlantedSettings settings(int64_t d, int64_t V, uint64_t seed) {
  PlantedSettings s;
  s.features = d;
  s.labels = V;
  s.seed = seed;
  return s;
}

double objective(const PlantedModel& model, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  return y.dot(model.W.transpose() * x) + y.dot(model.b) - y.dot(model.A() * y);
}

}  // namespace

TEST_CASE("any N, d and V can be generated, again with the same bits", "[data]") {
  for (const int64_t N : {1, 7})
    for (const int64_t d : {1, 5})
      for (const int64_t V : {1, 2, 3, 6, 7, 50, 101})
        for (const double density : {1.0, 0.3}) {
          PlantedSettings s = settings(d, V, 4);
          s.density = density;
          const PlantedModel model = plant_model(s);
          const Dataset data = draw_instances(model, N, 0);
          CHECK(data.instances() == N);
          CHECK(data.features() == d);
          CHECK(data.labels() == V);
          CHECK(data.X.is_sparse() == (density < 1));
          CHECK((data.Y.abs() == 1).all());
          CHECK(std::set<std::string>(data.label_names.begin(), data.label_names.end()).size() ==
                static_cast<size_t>(V));
          const Dataset again = draw_instances(plant_model(s), N + 3, 0);
          std::vector<int64_t> first(static_cast<size_t>(N));
          for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int64_t>(i);
          CHECK(same_numbers(again.select(first).X, data.X));
          CHECK((again.select(first).Y == data.Y).all());
          CHECK(!same_numbers(draw_instances(model, N + 20, 1).X, draw_instances(model, N + 20, 0).X));
        }
}

TEST_CASE("without noise the labels are the maximum of D", "[data]") {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t V : {1, 5, 9}) {
      PlantedSettings s = settings(4, V, seed);
      s.noise = 0;
      const PlantedModel model = plant_model(s);
      const Dataset data = draw_instances(model, 20, 0);
      for (int64_t i = 0; i < 20; ++i) {
        const Eigen::VectorXd x = data.X.dense().row(i);
        double best = -INFINITY;
        for (int code = 0; code < 1 << V; ++code) {
          Eigen::VectorXd y(V);
          for (int64_t v = 0; v < V; ++v) y(v) = (code >> v & 1) != 0 ? 1 : -1;
          best = std::max(best, objective(model, x, y));
        }
        CHECK(objective(model, x, data.Y.col(i).cast<double>().matrix()) == Approx(best));
      }
    }
}

TEST_CASE("labels are drawn from exp(D/T)", "[data]") {
  // With W = 0 every instance has the same distribution, which is known.
  PlantedSettings s = settings(1, 3, 9);
  s.noise = 2;
  PlantedModel model = plant_model(s);
  model.W.setZero();
  const int N = 20000;
  const Dataset data = draw_instances(model, N, 0);
  std::map<int, double> expected;
  double total = 0;
  for (int code = 0; code < 8; ++code) {
    Eigen::VectorXd y(3);
    for (int v = 0; v < 3; ++v) y(v) = (code >> v & 1) != 0 ? 1 : -1;
    total += expected[code] = std::exp(objective(model, Eigen::VectorXd::Zero(1), y) / s.noise);
  }
  std::map<int, int> seen;
  for (int64_t i = 0; i < N; ++i)
    ++seen[(data.Y(0, i) > 0 ? 1 : 0) + (data.Y(1, i) > 0 ? 2 : 0) + (data.Y(2, i) > 0 ? 4 : 0)];
  for (const auto& [code, weight] : expected) {
    const double p = weight / total, five_errors = 5 * std::sqrt(p * (1 - p) / N);
    CHECK(static_cast<double>(seen[code]) / N == Approx(p).margin(five_errors));
  }
}

TEST_CASE("planted pairs are visible in the data", "[data]") {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const PlantedModel model = plant_model(settings(20, 12, seed));
    const Dataset data = draw_instances(model, 1000, 0);
    CHECK(model.pairs.size() == 30);
    CHECK(std::count_if(model.pairs.begin(), model.pairs.end(), [](const auto& p) { return p.A < 0; }) == 6);
    const DatasetInfo info = dataset_info(data, 1000);
    std::map<std::pair<int64_t, int64_t>, double> phi;
    for (const auto& pair : info.attracting) phi[{pair.v, pair.w}] = pair.phi;
    for (const auto& pair : info.repelling) phi[{pair.v, pair.w}] = pair.phi;
    for (const PlantedPair& pair : model.pairs) {
      const double there = phi[{pair.v, pair.w}];
      CAPTURE(seed, pair.v, pair.w, pair.A, there);
      CHECK(there * pair.A < 0);
    }
    // The strongest attraction of all is that of the planted pairs.
    for (size_t i = 0; i < 6; ++i) CHECK(info.attracting[i].v / 2 == info.attracting[i].w / 2);
  }
}

TEST_CASE("settings out of range are refused together", "[data]") {
  PlantedSettings s = settings(0, 0, 1);
  s.density = 0;
  s.noise = -1;
  s.coupling = NAN;
  const std::string message = refusal([&] { plant_model(s); });
  for (const char* word : {"features 0", "labels 0", "density 0", "noise -1", "coupling nan"})
    CHECK_THAT(message, Contains(word));
  CHECK_THAT(refusal([&] { draw_instances(plant_model(settings(1, 1, 1)), 0, 0); }), Contains("instances 0"));
}

}  // namespace concord::data_generate_test
