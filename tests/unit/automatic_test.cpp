// SPDX-License-Identifier: MIT
// The config that data and a budget lead to.
#include "train/automatic.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "config/config.hpp"
#include "data_support.hpp"

namespace concord::automatic_test {
using namespace concord::test;
using Catch::Contains;

struct Shape {
  int64_t N = 200, d = 6, V = 4;
  double density = 1, empty = 0, first_scale = 1;
  bool missing = false;
};

Dataset data_of(const Shape& shape) {
  kit::Rng rng(5);
  DatasetBuilder builder(shape.density < 1);
  for (int64_t i = 0; i < shape.N; ++i) {
    for (int64_t j = 0; j < shape.d; ++j)
      if (rng.uniform() < shape.density)
        builder.feature(j, shape.missing && i % 7 == 0 && j == 1
                               ? std::nan("")
                               : rng.normal() * (j == 0 ? shape.first_scale : 1));
    if (static_cast<double>(i) >= shape.empty * static_cast<double>(shape.N)) builder.label(i % shape.V);
    builder.end_row();
  }
  Dataset data;
  builder.finish(shape.d, shape.V, data);
  for (int64_t v = 0; v < shape.V; ++v) data.label_names.push_back(std::to_string(v));
  return data;
}

AutomaticConfig chosen(const Shape& shape, double budget = 120) {
  return choose_config(data_of(shape), {"x.csv", "last:4", DataFormat::detect}, budget);
}

Settings first_of(const AutomaticConfig& config) {
  return parse_config(config.toml, "x.toml", "/", {}).cells.front().settings;
}

TEST_CASE("A config follows from the data and the budget", "[automatic]") {
  const AutomaticConfig plain = chosen({});
  CHECK(plain.toml == chosen({}).toml);
  CHECK(plain.reasons.size() == 6);
  CHECK(plain.seconds <= 120);
  const Settings settings = first_of(plain);
  CHECK(settings.data.labels == "last:4");
  CHECK(settings.data.train.is_absolute());
  CHECK(settings.preprocess.scale == Scale::none);
  CHECK(settings.train.method == Method::likelihood);
  CHECK(settings.predict.min_labels == 1);
  CHECK_FALSE(settings.preprocess.missing);

  CHECK(first_of(chosen({.first_scale = 1000})).preprocess.scale == Scale::standardise);
  CHECK(first_of(chosen({.d = 60, .density = 0.1})).preprocess.scale == Scale::l2);
  CHECK(first_of(chosen({.missing = true})).preprocess.missing == Missing::indicator);
  CHECK(first_of(chosen({.empty = 0.3})).predict.min_labels == 0);
  CHECK_THAT(chosen({.empty = 0.02}).toml, Contains("min_labels = [0, 1]"));
}

TEST_CASE("No more than the budget is planned", "[automatic]") {
  for (const int64_t N : {50, 1000, 3000}) {
    double before = 0;
    for (const double budget : {1.0, 4.0, 16.0, 64.0, 256.0, 4096.0}) {
      AutomaticConfig config;
      const std::string message = refusal([&] { config = chosen({.N = N, .V = 30}, budget); });
      if (!message.empty()) {
        CHECK_THAT(message, Contains("one-versus-rest"));
        CHECK(before == 0);
        continue;
      }
      CHECK(config.seconds <= 0.6 * budget);
      before = config.seconds;
    }
    CHECK(before > 0);
  }
  CHECK(first_of(chosen({.N = 30000, .d = 3})).train.method == Method::ovr);
}

TEST_CASE("Settings that contradict the data are named", "[automatic]") {
  Settings settings;
  settings.preprocess.scale = Scale::none;
  settings.train.prior = PriorSign::any;
  DataFacts facts{1000, 10, 20};
  CHECK(contradictions_of(settings, facts).empty());
  settings.predict.min_labels = 1;
  facts.empty = 300;
  REQUIRE(contradictions_of(settings, facts).size() == 1);
  CHECK_THAT(contradictions_of(settings, facts)[0], Contains("30.0 %"));
  facts.scale_spread = 1e4;
  CHECK(contradictions_of(settings, facts).size() == 2);
  facts.V = 2000;
  CHECK(contradictions_of(settings, facts).size() == 3);
  settings.preprocess.scale = Scale::standardise;
  settings.predict.min_labels = 0;
  settings.train.method = Method::ovr;
  CHECK(contradictions_of(settings, facts).empty());
}

}  // namespace concord::automatic_test
