// SPDX-License-Identifier: MIT
// From features to labels: scores, decoding in chunks, roundings and thresholds.
#include "predict/predictor.hpp"

#include <catch2/catch.hpp>

#include "model_support.hpp"
#include "predict/rules.hpp"
#include "support.hpp"
#include "tests/unit/places.hpp"

namespace concord::predictor_test {

using namespace concord::test;

namespace {

SolvePlan plan_for(const std::string& decoder, const std::string& rounding = "",
                   Registry& registry = builtin()) {
  Settings settings;
  settings.predict.decoder = PluginSpec{decoder, {}, "test"};
  if (!rounding.empty())
    for (const auto& part : chain_parts(rounding, "test"))
      settings.predict.rounding.push_back({part, {}, "test"});
  ErrorList errors;
  SolvePlan plan = plan_prediction(registry, settings, errors);
  errors.throw_if_any();
  return plan;
}

std::vector<std::string> errors_of(const std::function<void(ErrorList&)>& step) {
  ErrorList errors;
  step(errors);
  try {
    errors.throw_if_any();
  } catch (const Error& e) {
    return {e.what()};
  }
  return {};
}

}  // namespace

TEST_CASE("scores are W'x, sparse or dense, alone or by threads") {
  kit::Rng rng(31);
  for (const int64_t N : {1, 5, 64, 65, 200})
    for (const int64_t V : {1, 3, 17}) {
      const bool sparse = rng.below(2) == 1;
      const Features X = random_features(rng, N, 9, sparse);
      RowMatrix W(9, V);
      for (auto& w : W.reshaped()) w = rng.normal();
      const Eigen::MatrixXd scores = label_scores(W, X);
      const RowMatrix dense = sparse ? RowMatrix(X.sparse()) : X.dense();
      REQUIRE(scores.rows() == V);
      for (int64_t i = 0; i < N; ++i)
        for (int64_t v = 0; v < V; ++v) {
          double naive = 0;
          for (int64_t j = 0; j < 9; ++j) naive += dense(i, j) * W(j, v);
          REQUIRE(scores(v, i) == Approx(naive).margin(1e-12));
        }
      for (const int threads : {1, 2, 4}) {
        ThreadPool pool(threads);
        REQUIRE(label_scores(W, X, &pool) == scores);
      }
      // A division at a multiple of the chunk changes no bit.
      if (N > Predictor::kChunk) {
        std::vector<int64_t> rows;
        for (int64_t i = Predictor::kChunk; i < N; ++i) rows.push_back(i);
        REQUIRE(label_scores(W, X.select(rows)) == scores.rightCols(N - Predictor::kChunk));
      }
    }
  CHECK_THROWS_WITH(label_scores(RowMatrix(3, 2), random_features(rng, 2, 4, false)),
                    Catch::Contains("4 features"));
}

TEST_CASE("predicted labels are those of decode on the same problem") {
  kit::Rng rng(32);
  ThreadPool pool(2);
  int compared = 0;
  for (const char* decoder : {"exhaustive", "spectral", "spectral-tight", "spectral-qep", "modular"})
    for (const char* rounding : {"", "sign", "threshold+local-search"})
      for (const Coupling coupling : {Coupling::none, Coupling::weak, Coupling::with_diagonal}) {
        if (decoder == std::string("modular") && coupling == Coupling::weak) continue;
        Model model = random_model(rng, 4, 7, coupling);
        if (decoder == std::string("modular")) {  // a diagonal couples nobody
          const Eigen::VectorXd diagonal = model.A.diagonal();
          model.A = diagonal.asDiagonal();
        }
        const Features X = model.preprocess.apply(random_features(rng, 70, 4, false));
        const Predictor predictor(plan_for(decoder, rounding), model.A, 5, {});
        const Decoded decoded = predictor.decode(label_scores(model.W, X), 128, pool);
        const LabelMatrix labels = predictor.round(decoded, 128, ThresholdOn::u, 0, pool);

        ErrorList errors;
        const auto plans = plan_decodes(builtin(), {decoder},
                                        *rounding == 0 ? std::vector<PluginSpec>{} : chain_of(rounding, ""),
                                        false, {}, errors);
        errors.throw_if_any();
        for (int64_t i = 0; i < 70; ++i) {
          CanonicalProblem problem;
          problem.A = PriorMatrix(model.A);
          problem.c = decoded.scores.col(i);
          const auto seed = kit::derive(5, static_cast<uint64_t>(128 + i));
          const DecodeReport report = run_decode(plans.front(), problem, seed, {});
          INFO(decoder << " " << rounding << " " << i);
          REQUIRE((labels.col(i) == report.labels).all());
          REQUIRE(decoded.solutions[static_cast<size_t>(i)].value == Approx(report.value).epsilon(1e-9));
          ++compared;
        }
      }
  CHECK(compared == 70 * (4 * 9 + 6));
}

TEST_CASE("the same bits for any number of threads and any division at chunks") {
  kit::Rng rng(33);
  for (const char* decoder : {"spectral", "spectral-tight"}) {
    const Model model = random_model(rng, 5, 11, Coupling::with_diagonal);
    const Features X = model.preprocess.apply(random_features(rng, 300, 5, true));
    const Eigen::MatrixXd scores = label_scores(model.W, X);
    const Predictor predictor(plan_for(decoder), model.A, 9, {});
    ThreadPool one(1);
    const Decoded expected = predictor.decode(scores, 0, one);
    const LabelMatrix labels = predictor.round(expected, 0, ThresholdOn::u, 1, one);
    for (const int threads : {2, 4}) {
      ThreadPool pool(threads);
      const Decoded decoded = predictor.decode(scores, 0, pool);
      REQUIRE(decoded.u == expected.u);
      REQUIRE(decoded.scores == scores);
      for (size_t i = 0; i < 300; ++i) REQUIRE(decoded.solutions[i].value == expected.solutions[i].value);
      REQUIRE((predictor.round(decoded, 0, ThresholdOn::u, 1, pool) == labels).all());
      for (const int64_t block : {64, 128, 256})
        for (int64_t first = 0; first < 300; first += block) {
          const int64_t n = std::min(block, 300 - first);
          const Decoded part = predictor.decode(scores.middleCols(first, n), first, pool);
          REQUIRE(part.u == expected.u.middleCols(first, n));
          REQUIRE(
              (predictor.round(part, first, ThresholdOn::u, 1, pool) == labels.middleCols(first, n)).all());
        }
    }
  }
}

TEST_CASE("a model's rule: thresholds if it has some, else the rounding; then min_labels") {
  kit::Rng rng(34);
  ThreadPool pool(1);
  Model model = random_model(rng, 3, 6, Coupling::weak);
  CHECK(effective_threshold_on(model.settings, true) == ThresholdOn::u);
  CHECK(effective_threshold_on(model.settings, false) == ThresholdOn::scores);
  const Features X = model.preprocess.apply(random_features(rng, 50, 3, false));
  const Predictor predictor(plan_for("spectral"), model.A, 1, {});
  const Decoded decoded = predictor.decode(label_scores(model.W, X), 0, pool);
  CHECK(&Predictor::ranking(decoded, ThresholdOn::u) == &decoded.u);
  CHECK(&Predictor::ranking(decoded, ThresholdOn::scores) == &decoded.scores);

  for (int64_t least = 0; least <= 3; ++least) {
    model.settings.predict.min_labels = least;
    model.thresholds.resize(0);
    const LabelMatrix rounded = predict_labels(predictor, model, decoded, 0, pool);
    CHECK((rounded == predictor.round(decoded, 0, ThresholdOn::u, least, pool)).all());
    for (const auto on : {ThresholdOn::u, ThresholdOn::scores}) {
      model.settings.predict.threshold_on = on;
      model.thresholds = Eigen::VectorXd::LinSpaced(6, 0.2, 2);
      LabelMatrix expected =
          apply_thresholds(on == ThresholdOn::u ? decoded.u : decoded.scores, model.thresholds);
      fill_min_labels(expected, on == ThresholdOn::u ? decoded.u : decoded.scores, least);
      const LabelMatrix labels = predict_labels(predictor, model, decoded, 0, pool);
      CHECK((labels == expected).all());
      for (int64_t i = 0; i < 50; ++i) CHECK((labels.col(i) > 0).count() >= least);
    }
    model.settings.predict.threshold_on.reset();
  }
}

TEST_CASE("plugins of prediction: defaults, and all errors at once with their origin") {
  Settings settings;
  settings.train.decoder = {"exhaustive", {}, "train"};
  CHECK(decoder_of_prediction(settings).name == "exhaustive");
  settings.train.method = Method::ovr;  // which has no decoder
  CHECK(decoder_of_prediction(settings).name == "modular");
  settings.predict.decoder = PluginSpec{"spectral", {}, "c.toml:3: predict.decoder"};
  CHECK(decoder_of_prediction(settings).name == "spectral");
  ErrorList none;
  const SolvePlan plan = plan_prediction(builtin(), settings, none);
  none.throw_if_any();
  CHECK(plan.decoder.plugin->name() == "spectral");
  CHECK(plan.rounding_name() == "threshold+local-search");
  CHECK(plan.rounding_is_default);

  settings.predict.decoder->settings = {{"prun", "no", ""}, {"prune", "maybe", "c.toml:4"}};
  settings.predict.rounding = {{"sgin", {}, "c.toml:5: predict.rounding"}};
  const auto errors = errors_of([&](ErrorList& list) { plan_prediction(builtin(), settings, list); });
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], Catch::Contains("c.toml:3: predict.decoder.prun: decoder/spectral has no option") &&
                            Catch::Contains("did you mean prune?") && Catch::Contains("c.toml:4: 'maybe'") &&
                            Catch::Contains("c.toml:5: predict.rounding: there is no rounding 'sgin'"));
}

TEST_CASE("priors that a decoder cannot take, scores that are not finite, and decoders that err") {
  kit::Rng rng(35);
  ThreadPool pool(2);
  const Model model = random_model(rng, 3, 4, Coupling::weak);
  const auto code_of = [](const auto& step) {
    try {
      step();
    } catch (const Error& e) {
      return std::pair(std::optional(e.kind()), std::string(e.what()));
    }
    return std::pair(std::optional<Fault>(), std::string());
  };
  const auto coupled = code_of([&] { Predictor(plan_for("modular"), model.A, 1, {}); });
  CHECK(coupled.first == Fault::unsupported);
  CHECK_THAT(coupled.second, Catch::Contains("decoder/modular") && Catch::Contains("needs A = 0"));

  const Predictor predictor(plan_for("spectral"), model.A, 1, {});
  Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(4, 3);
  scores(2, 1) = std::numeric_limits<double>::infinity();
  const auto infinite = code_of([&] { predictor.decode(scores, 64, pool); });
  CHECK(infinite.first == Fault::input);
  CHECK_THAT(infinite.second, Catch::Contains("instance 65"));

  Registry fakes({places::fakes(), places::plugins()}, {});
  scores.setOnes();
  for (const std::string name : {"wrong-value", "nan-factor", "wrong-rank", "throws", "result-failed"}) {
    const auto err = code_of([&] {
      const Predictor fake(plan_for(name, "", fakes), Eigen::MatrixXd::Zero(4, 4), 1, {});
      fake.decode(scores, 0, pool);
    });
    INFO(name << ": " << err.second);
    CHECK(err.first == Fault::plugin);
    CHECK_THAT(err.second, Catch::Contains(name));
  }
}

}  // namespace concord::predictor_test
