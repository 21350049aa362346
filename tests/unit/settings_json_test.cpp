// SPDX-License-Identifier: MIT
// Settings survive their JSON: every field, and doubles to the last bit.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "config/config.hpp"

namespace concord::settings_json_test {

namespace {

double any_double(kit::Rng& rng, bool positive) {
  while (true) {
    const auto x = std::bit_cast<double>(rng.next());
    if (std::isfinite(x) && x != 0) return positive ? std::abs(x) : x;
  }
}

std::string any_text(kit::Rng& rng) {
  static const std::vector<std::string> texts = {
      "spectral", "1",     "1.0",   "1e-06",        "-0",    "007", "[1, 2.5]",
      "[1,2.5]",  "[]",    "[[1]]", "true",         "null",  "a b", "\"x\"",
      "größe",    "{}",    "nan",   "-inf",         "1e999", "\n",  "0.1",
      "+1",       "1e400", "0.10",  "[true]",       "\\",    "'",   "18446744073709551615",
      "1e22",     "-0.0",  "a.b",   "[0.1, 1e-300]"};
  return texts[rng.below(texts.size())];
}

PluginSpec any_plugin(kit::Rng& rng) {
  PluginSpec plugin{any_text(rng), {}, "somewhere"};
  const uint64_t options = rng.below(4);
  for (uint64_t i = 0; i < options; ++i)
    plugin.settings.push_back({"option" + std::to_string(i), any_text(rng), "somewhere"});
  return plugin;
}

template <class Enum>
Enum any(kit::Rng& rng, std::initializer_list<Enum> all) {
  return all.begin()[rng.below(all.size())];
}

Settings any_settings(kit::Rng& rng) {
  const auto coin = [&] { return rng.below(2) == 0; };
  const auto count = [&](int64_t low) {
    return low + static_cast<int64_t>(rng.next() >> (1 + rng.below(63)) >> 1);
  };
  Settings s;
  s.run = {rng.next(), static_cast<int>(rng.below(257)), any_double(rng, true)};
  if (coin()) s.data.train = any_text(rng);
  if (coin()) s.data.labels = any_text(rng);
  s.data.format = any(rng, {DataFormat::detect, DataFormat::arff, DataFormat::libsvm});
  if (coin()) s.preprocess.scale = any(rng, {Scale::none, Scale::l2, Scale::standardise, Scale::idf});
  s.preprocess.bias = any_double(rng, true);
  s.train.method = any(rng, {Method::bcfw, Method::subgradient, Method::likelihood, Method::ovr});
  s.train.decoder = any_plugin(rng);
  s.train.loss = any_plugin(rng);
  if (coin())
    s.train.prior = any(rng, {PriorSign::any, PriorSign::attractive, PriorSign::repulsive, PriorSign::none});
  if (coin()) s.train.diagonal = coin();
  s.train.lambda_w = any_double(rng, true);
  s.train.lambda_a = any_double(rng, true);
  s.train.epochs = count(1);
  s.train.batch = count(1);
  s.train.warm_start = coin();
  if (coin()) s.train.known = 0.9 * rng.uniform();
  s.train.hinge = any(rng, {HingeLoss::hinge, HingeLoss::squared_hinge, HingeLoss::logistic});
  s.select = {count(2), 0.9 * rng.uniform(), count(1), any_plugin(rng), coin()};
  if (coin()) s.predict.decoder = any_plugin(rng);
  while (coin()) s.predict.rounding.push_back(any_plugin(rng));
  s.predict.threshold =
      any(rng, {ThresholdKind::none, ThresholdKind::fixed, ThresholdKind::tuned, ThresholdKind::per_label});
  if (s.predict.threshold == ThresholdKind::fixed) s.predict.threshold_value = any_double(rng, false);
  if (coin()) s.predict.threshold_on = any(rng, {ThresholdOn::scores, ThresholdOn::u});
  s.predict.min_labels = count(0);
  return s;
}

/// Everything but where it came from.
bool same(const PluginSpec& a, const PluginSpec& b) {
  return a.name == b.name &&
         std::equal(a.settings.begin(), a.settings.end(), b.settings.begin(), b.settings.end(),
                    [](const Setting& x, const Setting& y) { return x.key == y.key && x.value == y.value; });
}

bool same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

void check_same(const Settings& a, const Settings& b) {
  CHECK(a.run.seed == b.run.seed);
  CHECK(a.run.threads == b.run.threads);
  CHECK(same(a.run.checkpoint, b.run.checkpoint));
  CHECK(a.data.train == b.data.train);
  CHECK(a.data.labels == b.data.labels);
  CHECK(a.data.format == b.data.format);
  CHECK(a.preprocess.scale == b.preprocess.scale);
  CHECK(same(a.preprocess.bias, b.preprocess.bias));
  CHECK(a.train.method == b.train.method);
  CHECK(same(a.train.decoder, b.train.decoder));
  CHECK(same(a.train.loss, b.train.loss));
  CHECK(a.train.prior == b.train.prior);
  CHECK(a.train.diagonal == b.train.diagonal);
  CHECK(same(a.train.lambda_w, b.train.lambda_w));
  CHECK(same(a.train.lambda_a, b.train.lambda_a));
  CHECK(a.train.epochs == b.train.epochs);
  CHECK(a.train.batch == b.train.batch);
  CHECK(a.train.warm_start == b.train.warm_start);
  CHECK(a.train.hinge == b.train.hinge);
  CHECK(a.select.folds == b.select.folds);
  CHECK(same(a.select.holdout, b.select.holdout));
  CHECK(a.select.repeats == b.select.repeats);
  CHECK(same(a.select.metric, b.select.metric));
  CHECK(a.select.lambda_per_label == b.select.lambda_per_label);
  CHECK(a.predict.decoder.has_value() == b.predict.decoder.has_value());
  if (a.predict.decoder && b.predict.decoder) CHECK(same(*a.predict.decoder, *b.predict.decoder));
  CHECK(std::equal(a.predict.rounding.begin(), a.predict.rounding.end(), b.predict.rounding.begin(),
                   b.predict.rounding.end(), [](const auto& x, const auto& y) { return same(x, y); }));
  CHECK(a.predict.threshold == b.predict.threshold);
  CHECK(same(a.predict.threshold_value, b.predict.threshold_value));
  CHECK(a.predict.threshold_on == b.predict.threshold_on);
  CHECK(a.predict.min_labels == b.predict.min_labels);
}

}  // namespace

TEST_CASE("Random settings survive their JSON", "[config]") {
  kit::Rng rng(11);
  for (int round = 0; round < 2000; ++round) {
    const Settings settings = any_settings(rng);
    const std::string text = settings_json(settings).dump();
    CAPTURE(text);
    const Settings read = settings_from_json(nlohmann::ordered_json::parse(text));
    check_same(settings, read);
    CHECK(settings_json(read).dump() == text);
  }
}

TEST_CASE("Options are numbers in JSON where they were numbers", "[config]") {
  Settings settings;
  settings.train.decoder = {
      "sdp-mixing", {{"tol", "0.001", ""}, {"w", "[1, 2]", ""}, {"form", "lifted", ""}}, ""};
  CHECK(settings_json(settings)["train"]["decoder"].dump() ==
        R"({"name":"sdp-mixing","tol":0.001,"w":[1,2],"form":"lifted"})");
}

}  // namespace concord::settings_json_test
