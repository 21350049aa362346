// SPDX-License-Identifier: MIT
// predict.normalise: what the sphere does to u, for the rule of any decoder.
#include <catch2/catch.hpp>
#include <cmath>

#include "model_support.hpp"
#include "predict/overrides.hpp"
#include "predict/prediction.hpp"
#include "predict/rules.hpp"
#include "train/trainer.hpp"
#include "train_support.hpp"

namespace concord::normalise_test {

using namespace concord::test;

namespace {

PredictSettings normalised() {
  PredictSettings rule;
  rule.threshold = ThresholdKind::tuned;
  rule.normalise = true;
  return rule;
}

SolvePlan plan_of(const Model& model) {
  ErrorList errors;
  SolvePlan plan = plan_prediction(builtin(), model.settings, errors);
  errors.throw_if_any();
  return plan;
}

}  // namespace

TEST_CASE("normalised scores have norm sqrt(V) and forget the scale of an instance") {
  kit::Rng rng(81);
  for (int round = 0; round < 300; ++round) {
    const auto V = static_cast<int64_t>(1 + rng.below(9));
    Eigen::MatrixXd scores(V, 4);
    for (auto& s : scores.reshaped()) s = rng.normal();
    const double scale = std::pow(10, 250 * (2 * rng.uniform() - 1));
    const Eigen::MatrixXd seen = as_the_rule_sees(normalised(), scores);
    const Eigen::MatrixXd scaled = as_the_rule_sees(normalised(), scale * scores);
    for (int64_t i = 0; i < 4; ++i) {
      CHECK(seen.col(i).squaredNorm() == Approx(static_cast<double>(V)));
      CHECK((scaled.col(i) - seen.col(i)).norm() < 1e-12 * std::sqrt(static_cast<double>(V)));
      CHECK((seen.col(i) * scores.col(i).norm() / seen.col(i).norm() - scores.col(i)).norm() < 1e-12);
    }
    PredictSettings plain = normalised();
    plain.normalise.reset();
    CHECK(as_the_rule_sees(plain, scores) == scores);
  }
  CHECK(as_the_rule_sees(normalised(), Eigen::MatrixXd::Zero(3, 2)) == Eigen::MatrixXd::Zero(3, 2));
}

TEST_CASE("ranks of known labels stay, and the norm is that of the others") {
  Eigen::MatrixXd ranking(3, 2);
  ranking << 3, kRankOfKnown, kRankOfKnown, kRankOfKnown, 4, kRankOfKnown;
  const Eigen::MatrixXd seen = as_the_rule_sees(normalised(), ranking);
  CHECK(seen(0, 0) == Approx(3 * std::sqrt(2) / 5));
  CHECK(seen(2, 0) == Approx(4 * std::sqrt(2) / 5));
  CHECK(seen(1, 0) == kRankOfKnown);
  CHECK(seen.col(1) == ranking.col(1));
}

TEST_CASE("without a prior it is the u of the sphere") {
  kit::Rng rng(82);
  for (int round = 0; round < 20; ++round) {
    Model model = random_model(rng, 3, 6, Coupling::none);
    model.settings.predict = normalised();
    model.settings.predict.decoder = PluginSpec{"spectral", {}, "test"};
    const Features X = random_features(rng, 20, 3, false);
    ThreadPool pool(1);
    const SolvePlan plan = plan_of(model);
    const Predictor sphere(plan, model.A, 1, {});
    const Decoded decoded = sphere.decode(problem_scores(model, X), 0, pool);
    CHECK((as_the_rule_sees(model.settings.predict, decoded.scores) - decoded.u).cwiseAbs().maxCoeff() <
          1e-9);
  }
}

TEST_CASE(
    "a model that normalises predicts by its thresholds on what it shows, with and without known labels") {
  kit::Rng rng(83);
  const Dataset data = random_dataset(rng, 90, 4, 5, false);
  for (const char* text : {"decoder = \"modular\"\n", "prior = \"any\"\ndecoder = \"sdp-mixing\"\n",
                           "method = \"ovr\"\n", "method = \"likelihood\"\n"}) {
    const std::string epochs = std::string(text).find("method") == std::string::npos ? "epochs = 3\n" : "";
    const auto grid =
        parse_config("[train]\n" + std::string(text) + epochs +
                         "[select]\nfolds = 3\n[predict]\nthreshold = \"tuned\"\nnormalise = true\n",
                     "test.toml", ".", {})
            .cells;
    const Model model = parse_model(model_bytes(train_model(builtin(), grid, data, {}, {}).model), "m");
    INFO(text);
    REQUIRE(model.settings.predict.normalise == true);
    const SolvePlan plan = plan_of(model);
    ModelPredictor predictor(model, plan, 1, {}, 1);
    for (const double share : {0.0, 0.4}) {
      const KnownLabels known = reveal(data.Y, share, 5);
      const Prediction found = share > 0 ? predictor.predict(data.X, known, 0) : predictor.predict(data.X, 0);
      for (int64_t i = 0; i < data.instances(); ++i) {
        double squares = 0, unknown = 0;
        for (int64_t v = 0; v < data.labels(); ++v) {
          if (known(v, i) != 0) {
            CHECK(found.labels(v, i) == known(v, i));
            continue;
          }
          squares += found.ranking(v, i) * found.ranking(v, i);
          unknown += 1;
          CHECK((found.labels(v, i) > 0) == (found.ranking(v, i) > model.thresholds(0)));
        }
        CHECK(squares == Approx(unknown));
      }
    }
  }
}

TEST_CASE("validation scores a cell as its model predicts: normalising changes thresholds, not their use") {
  // Scores of an instance times a factor of its own: one threshold fits all of them only where they are normalised.
  kit::Rng rng(84);
  Dataset data = random_dataset(rng, 200, 4, 5, false);
  RowMatrix X = data.X.dense();
  for (int64_t i = 0; i < X.rows(); ++i) X.row(i) *= std::pow(10, 4 * rng.uniform());
  data.X = Features(X);
  const auto value = [&](const std::string& normalise) {
    const auto grid = parse_config(
                          "[preprocess]\nbias = 0\n[train]\nmethod = \"ovr\"\n[select]\nfolds = 3\n"
                          "[predict]\nthreshold = \"tuned\"\nnormalise = " +
                              normalise + "\n",
                          "test.toml", ".", {})
                          .cells;
    return train_model(builtin(), grid, data, {}, {})
        .model.record["selection"]["cells"][0]["value"]
        .get<double>();
  };
  CHECK(value("true") < value("false"));
}

TEST_CASE("normalising afterwards is said to meet thresholds that were chosen otherwise") {
  kit::Rng rng(85);
  Model model = random_model(rng, 2, 3, Coupling::weak);
  model.settings.predict.threshold = ThresholdKind::tuned;
  model.thresholds = Eigen::VectorXd::Constant(1, 0.25);
  PredictionOverrides overrides;
  overrides.settings = {"predict.normalise=true"};
  ErrorList errors;
  const auto notes = override_prediction(overrides, builtin(), model, errors);
  errors.throw_if_any();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "the model's thresholds were chosen for u, and are applied to u, normalised");

  Model rounds = random_model(rng, 2, 3, Coupling::weak);
  override_prediction(overrides, builtin(), rounds, errors);
  CHECK_THROWS_WITH(errors.throw_if_any(), Catch::Contains("a rounding looks at the decoder's answer"));
}

}  // namespace concord::normalise_test
