// SPDX-License-Identifier: MIT
// Splits, grids and the choice between their cells.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "predict/prediction.hpp"
#include "train/trainer.hpp"
#include "train/validation.hpp"
#include "train_support.hpp"

namespace concord::selection_test {

using namespace concord::test;

namespace {

std::vector<GridPoint> cells(const std::string& toml) {
  return parse_config(toml, "test.toml", ".", {}).cells;
}

nlohmann::ordered_json record(const std::string& toml, const Dataset& data) {
  return train_model(builtin(), cells(toml), data, {}, {}).model.record;
}

}  // namespace

TEST_CASE("folds divide the instances, and every label's carriers evenly") {
  kit::Rng rng(20);
  for (int round = 0; round < 30; ++round) {
    const auto N = static_cast<int64_t>(20 + rng.below(80));
    const Dataset data = random_dataset(rng, N, 3, 6, false);
    SelectSettings select;
    select.folds = static_cast<int64_t>(2 + rng.below(4));
    select.repeats = 2;
    const auto splits = make_splits(data.Y, select, rng.next());
    REQUIRE(splits.size() == static_cast<size_t>(2 * select.folds));
    std::vector<int> held(static_cast<size_t>(N), 0);
    for (const Split& split : splits) {
      std::set<int64_t> both(split.fit.begin(), split.fit.end());
      both.insert(split.validation.begin(), split.validation.end());
      CHECK(both.size() == static_cast<size_t>(N));
      CHECK(split.fit.size() + split.validation.size() == static_cast<size_t>(N));
      for (const int64_t i : split.validation) ++held[static_cast<size_t>(i)];
      const auto all = positives_per_label(data.Y),
                 part = positives_per_label(data.select(split.validation).Y);
      // The rarest label is divided first, so as evenly as can be; the others as well as that leaves room for.
      const size_t rarest = static_cast<size_t>(std::min_element(all.begin(), all.end()) - all.begin());
      for (size_t v = 0; v < all.size(); ++v) {
        const double share = static_cast<double>(all[v]) / static_cast<double>(select.folds);
        CHECK(std::abs(static_cast<double>(part[v]) - share) <= (v == rarest ? 1.0 : 6.0));
      }
    }
    CHECK(std::all_of(held.begin(), held.end(), [](int times) { return times == 2; }));
  }
}

TEST_CASE("few instances leave no part of a hold-out empty") {
  kit::Rng rng(21);
  for (const double holdout : {0.01, 0.25, 0.9})
    for (int64_t N = 2; N < 6; ++N) {
      SelectSettings select;
      select.holdout = holdout;
      const auto splits = make_splits(random_dataset(rng, N, 2, 3, false).Y, select, 1);
      REQUIRE(splits.size() == 1);
      CHECK_FALSE(splits[0].fit.empty());
      CHECK_FALSE(splits[0].validation.empty());
    }
}

TEST_CASE("cells that share a fit are scored as if they were alone") {
  kit::Rng rng(22);
  const Dataset data = random_dataset(rng, 90, 4, 5, true);
  const std::string common =
      "[train]\nprior = \"any\"\nlambda_w = 0.1\n[select]\nfolds = 3\n[predict]\nmin_labels = 1\n";
  const std::vector<GridPoint> grid = cells(
      "[train]\nprior = \"any\"\nlambda_w = 0.1\nepochs = [2, 5]\n[select]\nfolds = 3\n"
      "[predict]\nmin_labels = 1\nthreshold = [\"none\", \"tuned\", 0.1]\n");
  CHECK(group_cells([&] {
          std::vector<CellPlan> plans;
          for (const GridPoint& cell : grid)
            plans.push_back({cell.settings, cell.chosen, {}, nullptr, ThresholdOn::u});
          return plans;
        }())
            .size() == 1);
  const auto together = train_model(builtin(), grid, data, {}, {}).model.record["selection"]["cells"];
  size_t c = 0;
  for (const char* epochs : {"2", "5"})
    for (const char* threshold : {"\"none\"", "\"tuned\"", "0.1"}) {
      const std::vector<GridPoint> one =
          parse_config(common, "one.toml", ".",
                       {std::string("train.epochs=") + epochs, std::string("predict.threshold=") + threshold})
              .cells;
      const auto alone = train_model(builtin(), one, data, {}, {}).model.record["selection"]["cells"];
      CAPTURE(epochs, threshold);
      CHECK(together[c]["value"] == alone[0]["value"]);
      CHECK(together[c]["error"] == alone[0]["error"]);
      ++c;
    }
}

TEST_CASE("the winner has the best validation value, and the model is its refit") {
  kit::Rng rng(23);
  const Dataset data = random_dataset(rng, 80, 4, 5, false);
  const auto chosen = record("[train]\ndecoder = \"modular\"\nlambda_w = [100, 0.05, 1]\nepochs = 5\n", data);
  const auto& all = chosen["selection"]["cells"];
  for (const auto& cell : all)
    CHECK(all[chosen["selection"]["winner"].get<size_t>()]["value"] <= cell["value"]);
  const auto gain = record(
      "[train]\ndecoder = \"modular\"\nlambda_w = [100, 0.05, 1]\nepochs = 5\n[select]\nmetric = "
      "\"micro-f1\"\n",
      data);
  for (const auto& cell : gain["selection"]["cells"])
    CHECK(gain["selection"]["cells"][gain["selection"]["winner"].get<size_t>()]["value"] >= cell["value"]);
}

TEST_CASE("every label chooses its own lambda") {
  kit::Rng rng(24);
  const Dataset data = random_dataset(rng, 80, 4, 5, false);
  const auto chosen = record(
      "[train]\nmethod = \"ovr\"\nlambda_w = [1e-3, 1e-1, 10]\n[select]\nlambda_per_label = true\n", data);
  const auto lambdas = chosen["selection"]["cells"][0]["lambda_w_per_label"].get<std::vector<double>>();
  REQUIRE(lambdas.size() == 5);
  for (const double lambda : lambdas) CHECK((lambda == 1e-3 || lambda == 1e-1 || lambda == 10));
}

TEST_CASE("mean and error leave out what was never held out") {
  Eigen::VectorXd values(4);
  values << 1, std::nan(""), 2, 3;
  const MeanWithError found = mean_with_error(values);
  CHECK(found.mean == Approx(2));
  CHECK(found.error == Approx(std::sqrt(1.0 / 3)));
}

TEST_CASE("a constant column is not scaled by the rounding of its mean") {
  RowMatrix X = RowMatrix::Constant(1000, 2, 0.1);
  for (int64_t i = 0; i < 1000; ++i) X(i, 1) = static_cast<double>(i % 2);
  for (const bool sparse : {false, true}) {
    const Features features = sparse ? Features(SparseMatrix(X.sparseView())) : Features(X);
    const Preprocessor fitted = Preprocessor::fit({.scale = Scale::standardise, .bias = 0}, features, 1);
    CHECK(fitted.factor(0) == 1);
    CHECK(fitted.factor(1) == Approx(2));
  }
}

TEST_CASE("with repeated folds no instance takes part in choosing the threshold that scores it") {
  // Every instance has a score of its own, and labels at random: a threshold that has seen it would fit it.
  kit::Rng rng(25);
  Dataset data;
  data.X = Features(RowMatrix(RowMatrix::Zero(40, 1)));
  data.Y = LabelMatrix::Constant(1, 40, -1);
  Eigen::MatrixXd ranking(1, 40);
  for (int64_t i = 0; i < 40; ++i) {
    ranking(0, i) = static_cast<double>(i);
    if (rng.uniform() < 0.5) data.Y(0, i) = 1;
  }
  CellPlan cell;
  cell.metric = std::make_shared<LabelMetric>(find_metric("example-f1-loss"));
  cell.settings.predict.threshold = ThresholdKind::tuned;
  FitGroup group{{0}, {1}, {}};
  const auto value = [&](int64_t repeats) {
    std::vector<Split> splits;
    std::vector<SplitOutcome> outcomes;
    for (int64_t r = 0; r < repeats;
         ++r)  // the same two halves again: nothing new is to be learned from them
      for (const int64_t half : {0, 1}) {
        Split split;
        for (int64_t i = 0; i < 40; ++i) (i % 2 == half ? split.validation : split.fit).push_back(i);
        SplitOutcome outcome;
        outcome.cells.emplace_back().ranking = ranking(Eigen::all, split.validation);
        outcomes.push_back(std::move(outcome));
        splits.push_back(std::move(split));
      }
    return summarise({cell}, group, outcomes, data, splits).front().value;
  };
  CHECK(value(1) == Approx(value(3)));
}

TEST_CASE(
    "a model by expected F1 on Fourier features keeps its calibration, and its file predicts the same") {
  kit::Rng rng(26);
  const Dataset data = random_dataset(rng, 60, 4, 5, false);
  for (const char* decoder : {"modular", "spectral"}) {
    const auto grid =
        cells(std::string("[preprocess]\nfourier = [7, 12]\nfourier_width = 2\n[train]\ndecoder = \"") +
              decoder + "\"\nepochs = 4\n[select]\nfolds = 3\n[predict]\nthreshold = \"expected-f1\"\n");
    const Model model = train_model(builtin(), grid, data, {}, {}).model;
    const int64_t waves = *model.settings.preprocess.fourier;
    CHECK(model.W.rows() == waves + 1);
    CHECK(model.preprocess.waves.phases.size() == waves);
    REQUIRE(model.thresholds.size() == 1 + data.labels());
    CHECK(model.thresholds(0) > 0);
    const Model loaded = parse_model(model_bytes(model), "m");
    ErrorList errors;
    const SolvePlan plan = plan_prediction(builtin(), model.settings, errors);
    const LabelMatrix before = ModelPredictor(model, plan, 1, {}, 1).predict_labels(data.X);
    CHECK((ModelPredictor(loaded, plan, 1, {}, 2).predict_labels(data.X) == before).all());
    // Held-out instances are scored by calibrations that never saw them, and the verdict compares like with like.
    if (model.has_prior()) CHECK(model.record["prior"]["measured"] == true);
    CHECK(model.record["selection"]["cells"].size() == 2);
  }
}

}  // namespace concord::selection_test
