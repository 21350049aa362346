// SPDX-License-Identifier: MIT
// A model at work: streams, text, and predicting otherwise than the model was meant to.
#include "predict/prediction.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <sstream>

#include "model_support.hpp"
#include "predict/overrides.hpp"
#include "predict/rules.hpp"
#include "support.hpp"

namespace concord::prediction_test {

using namespace concord::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Reads from memory, and remembers how much it was ever asked for at once.
class MemoryReader : public InstanceReader {
 public:
  MemoryReader(const Features& X, int64_t V) : X_(X), V_(V) {}
  int64_t most_at_once() const { return most_; }
  Dataset read(int64_t count) override {
    most_ = std::max(most_, count);
    const int64_t n = std::min(count, X_.rows() - next_);
    std::vector<int64_t> rows(static_cast<size_t>(n));
    std::iota(rows.begin(), rows.end(), next_);
    next_ += n;
    return {"memory", X_.select(rows), LabelMatrix::Constant(V_, n, -1), {}, {}};
  }

 private:
  const Features& X_;
  int64_t V_, next_ = 0, most_ = 0;
};

SolvePlan plan_of(const Model& model) {
  ErrorList errors;
  SolvePlan plan = plan_prediction(builtin(), model.settings, errors);
  errors.throw_if_any();
  return plan;
}

std::string stream(const Model& model, const Features& X, PredictionOutput output, PredictionForm form,
                   int64_t block, int threads) {
  const SolvePlan plan = plan_of(model);
  ModelPredictor predictor(model, plan, 3, {}, threads);
  MemoryReader reader(X, model.labels());
  std::string all;
  const PredictedStream done =
      predict_stream(reader, nullptr, predictor, PredictionText(output, form, model.label_names), block,
                     [&](const std::string& text) { all += text; });
  CHECK(done.instances == X.rows());
  CHECK(reader.most_at_once() == block);  // memory is bounded by it
  return all;
}

std::vector<std::string> override_it(Model& model, const PredictionOverrides& overrides) {
  ErrorList errors;
  const auto notes = override_prediction(overrides, builtin(), model, errors);
  errors.throw_if_any();
  return notes;
}

PredictionOverrides set(const std::vector<std::string>& settings) {
  PredictionOverrides overrides;
  overrides.settings = settings;
  return overrides;
}

}  // namespace

TEST_CASE("a stream is the same for any block and number of threads, and agrees with the whole") {
  kit::Rng rng(41);
  for (const bool sparse : {false, true})
    for (const bool thresholds : {false, true}) {
      Model model = random_model(rng, 6, 9, thresholds ? Coupling::none : Coupling::with_diagonal);
      model.preprocess.settings.scale = Scale::l2;
      model.settings.predict.min_labels = 1;
      if (thresholds) model.thresholds = Eigen::VectorXd::Constant(1, 0.5);
      CHECK(ModelPredictor::needs_decoder(model) == !thresholds);
      const Features X = random_features(rng, 1100, 6, sparse);
      for (const auto output :
           {PredictionOutput::labels, PredictionOutput::scores, PredictionOutput::ranked}) {
        const std::string expected = stream(model, X, output, PredictionForm::csv, 2048, 1);
        for (const int64_t block : {64, 128, 1024})
          for (const int threads : {1, 2, 4})
            REQUIRE((stream(model, X, output, PredictionForm::csv, block, threads) == expected));
      }
      const SolvePlan plan = plan_of(model);
      ModelPredictor predictor(model, plan, 3, {}, 2);
      const LabelMatrix labels = predictor.predict_labels(X);
      CHECK((labels == predictor.predict(X, 0).labels).all());
      std::istringstream lines(stream(model, X, PredictionOutput::labels, PredictionForm::csv, 64, 2));
      std::string line;
      std::getline(lines, line);
      for (int64_t i = 0; i < X.rows(); ++i) {
        std::getline(lines, line);
        std::string row;
        for (int64_t v = 0; v < 9; ++v) row += labels(v, i) > 0 ? ",1" : ",0";
        REQUIRE("," + line == row);
      }
    }
}

TEST_CASE("without instances there is a header and nothing else") {
  kit::Rng rng(42);
  const Model model = random_model(rng, 2, 3, Coupling::none);
  const Features none = random_features(rng, 0, 2, false);
  CHECK(stream(model, none, PredictionOutput::labels, PredictionForm::csv, 64, 1) ==
        "label 0,label 1,label 2\n");
  CHECK(stream(model, none, PredictionOutput::labels, PredictionForm::libsvm, 64, 1).empty());
  CHECK_THROWS_WITH(stream(model, none, PredictionOutput::labels, PredictionForm::csv, 100, 1),
                    Contains("multiple of 64"));
}

TEST_CASE("a stop request ends a prediction") {
  kit::Rng rng(43);
  const Model model = random_model(rng, 2, 3, Coupling::weak);
  const std::atomic<bool> stop{true};
  RunControl control;
  control.stop = &stop;
  const SolvePlan plan = plan_of(model);
  ModelPredictor predictor(model, plan, 1, control, 1);
  try {
    predictor.predict(random_features(rng, 2, 2, false), 0);
    FAIL("it went on");
  } catch (const Error& e) {
    CHECK(e.kind() == Fault::interrupted);
  }
}

TEST_CASE("predictions as text, by hand") {
  Prediction prediction{LabelMatrix(3, 2), Eigen::MatrixXd(3, 2)};
  prediction.labels << 1, -1, -1, -1, 1, -1;
  prediction.ranking << 0.1, -1, -0.5, 2, 1e-300, 2;
  const std::vector<std::string> names = {"plain", "a, b", "say \"x\"\n"};
  using enum PredictionOutput;
  using enum PredictionForm;
  const auto text = [&](PredictionOutput output, PredictionForm form) {
    const PredictionText writer(output, form, names);
    return writer.header() + writer.lines(prediction);
  };
  const std::string quoted = "plain,\"a, b\",\"say \"\"x\"\"\n\"";
  CHECK(text(labels, csv) == quoted + "\n1,0,1\n0,0,0\n");
  CHECK(text(scores, csv) == quoted + "\n0.1,-0.5,1e-300\n-1,2,2\n");
  CHECK(text(ranked, csv) ==
        "1,2,3\nplain,\"say \"\"x\"\"\n\",\"a, b\"\n\"a, b\",\"say \"\"x\"\"\n\",plain\n");
  CHECK(text(labels, libsvm) == "0,2\n\n");
  CHECK(text(scores, libsvm) == "0,2 1:0.1 2:-0.5 3:1e-300\n 1:-1 2:2 3:2\n");
  CHECK(text(ranked, libsvm) == "0,2,1\n1,2,0\n");
  CHECK(parse_prediction_output("--output", "ranked") == ranked);
  CHECK_THROWS_WITH(parse_prediction_output("--output", "label"),
                    Contains("--output label") && Contains("did you mean labels?"));
  CHECK_THROWS_WITH(parse_prediction_form("--as", "json"), Contains("expected one of csv, libsvm"));
}

TEST_CASE("predicting with another decoder, rounding or threshold") {
  kit::Rng rng(44);
  Model original = random_model(rng, 2, 3, Coupling::weak);
  original.settings.predict.decoder = PluginSpec{"spectral", {{"prune", "false", "model"}}, "model"};
  original.thresholds = Eigen::VectorXd::Constant(3, 0.25);

  Model model = original;
  CHECK(override_it(model, {}).empty());
  CHECK(model.thresholds == original.thresholds);

  PredictionOverrides decoder;
  decoder.decoder = PluginSpec{"exhaustive", {}, ""};
  CHECK_THAT(override_it(model = original, decoder).at(0),
             Contains("the u of spectral") && Contains("exhaustive"));
  CHECK(decoder_of_prediction(model.settings).name == "exhaustive");
  CHECK(model.thresholds == original.thresholds);

  PredictionOverrides rounding;
  rounding.rounding = chain_of("sign+local-search", "");
  CHECK(override_it(model = original, rounding).empty());
  CHECK(model.thresholds.size() == 0);
  CHECK(plan_of(model).rounding_name() == "sign+local-search");
  CHECK_FALSE(plan_of(model).rounding_is_default);

  rounding.rounding = chain_of("rounding/sign+rounding/local-search", "");
  rounding.settings = {"local-search.max_moves=5"};
  override_it(model = original, rounding);
  CHECK(plan_of(model).rounding_name() == "sign+local-search");
  CHECK(plan_of(model).rounding[1].options.text(0) == "5");

  // An option given now replaces the model's.
  override_it(model = original, set({"decoder.prune=true"}));
  REQUIRE(model.settings.predict.decoder->settings.size() == 1);
  CHECK(model.settings.predict.decoder->settings[0].value == "true");
  override_it(model = original, set({"spectral.prune=true"}));
  CHECK(model.settings.predict.decoder->settings[0].value == "true");

  override_it(model = original, set({"predict.threshold=-1e-3", "predict.min_labels=2"}));
  CHECK(model.thresholds == Eigen::VectorXd::Constant(1, -1e-3));
  CHECK(model.settings.predict.threshold == ThresholdKind::fixed);
  CHECK(model.settings.predict.min_labels == 2);
  override_it(model = original, set({"predict.threshold=none", "rounding.max_moves=3"}));
  CHECK(model.thresholds.size() == 0);
  CHECK_FALSE(plan_of(model).rounding_is_default);  // or the option would not count
  CHECK(plan_of(model).rounding[1].options.text(0) == "3");
  CHECK(model.settings.predict.rounding[0].settings.empty());

  // What a config says, --set says: the same words, the same reader.
  override_it(model = original, set({"predict.threshold=0x10", "predict.threshold_on=\"u\""}));
  CHECK(model.thresholds == Eigen::VectorXd::Constant(1, 16.0));
  CHECK(model.settings.predict.threshold_on == ThresholdOn::u);
  override_it(model = original, set({"predict.decoder.prune=true"}));
  CHECK(model.settings.predict.decoder->settings[0].value == "true");

  CHECK_THAT(override_it(model = original, set({"predict.threshold_on=scores"})).at(0),
             Contains("chosen for u") && Contains("applied to the scores"));
  CHECK_FALSE(ModelPredictor::needs_decoder(model));
  decoder.settings = set({"predict.threshold_on=scores"}).settings;
  CHECK_THAT(override_it(model = original, decoder).at(0), Contains("no influence"));
}

TEST_CASE("overrides that nobody consumes are refused, all at once") {
  kit::Rng rng(45);
  Model model = random_model(rng, 2, 3, Coupling::weak);
  try {
    override_it(model, set({"predict.treshold=1", "predict.threshold=tuned", "predict.threshold_on=v",
                            "predict.min_labels=-1", "predict.decoder=spectral", "roundig.max_moves=2",
                            "rounding.moves=2", "predict.threshold=inf", "decoder.tol"}));
    FAIL("nothing was refused");
  } catch (const Error& e) {
    CHECK(e.kind() == Fault::input);
    CHECK_THAT(e.what(), Contains("did you mean threshold?"));
    CHECK_THAT(e.what(),
               Contains("found the string 'tuned'; expected a number, or none (thresholds are tuned"));
    CHECK_THAT(e.what(), Contains("expected one of scores, u"));
    CHECK_THAT(e.what(), Contains("--set predict.min_labels=-1: found -1; expected an integer >= 0"));
    CHECK_THAT(e.what(), Contains("give spectral as the decoder itself"));
    CHECK_THAT(e.what(), Contains("did you mean rounding?"));
    CHECK_THAT(e.what(), Contains("no chosen rounding has an option 'moves'"));
    CHECK_THAT(e.what(), Contains("--set predict.threshold=inf: it is set twice, first by"));
    CHECK_THAT(e.what(), Contains("--set decoder.tol: expected SCOPE.OPTION=VALUE"));
  }
  model.thresholds = Eigen::VectorXd::Zero(1);
  CHECK_THROWS_WITH(override_it(model, set({"rounding.max_moves=3"})), Contains("no rounding runs"));
  PredictionOverrides both = set({"predict.threshold=1"});
  both.rounding = chain_of("sign", "here");
  CHECK_THROWS_WITH(override_it(model, both),
                    StartsWith("here: a rounding and predict.threshold exclude each other"));
  CHECK_THROWS_WITH(chain_of("sign+", "here"), StartsWith("here: ") && Contains("empty part"));
}

}  // namespace concord::prediction_test
