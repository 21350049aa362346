// SPDX-License-Identifier: MIT
// predict, evaluate and data problems as a user runs them, against the same computed in memory.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../unit/model_support.hpp"
#include "../unit/support.hpp"
#include "files.hpp"
#include "model/metrics.hpp"
#include "model/prediction.hpp"
#include "run_command.hpp"

using namespace concord;
using namespace concord::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr int64_t kInstances = 150, kFeatures = 4, kLabels = 5;

/// A model in a file, and data for it: multiples of 1/8, so that every format holds them exactly.
struct Fixture {
  Model model;
  Dataset data;
  std::string model_file, libsvm, arff;

  explicit Fixture(Coupling coupling = Coupling::weak) {
    kit::Rng rng(61);
    model = random_model(rng, kFeatures, kLabels, coupling);
    model.label_names = {"beach", "sea, calm", "boat", "indoor", "kitchen"};
    model_file = scratch() + "/test.model";
    save_model(model, model_file);

    RowMatrix X(kInstances, kFeatures);
    for (auto& x : X.reshaped()) x = static_cast<double>(rng.below(33)) / 8 - 2;
    data.X = Features(X);
    data.Y.resize(kLabels, kInstances);
    for (auto& y : data.Y.reshaped()) y = rng.below(3) == 0 ? 1 : -1;
    libsvm = scratch_file("data.svm", libsvm_text());
    arff = scratch_file("data.arff", arff_text(true));
    scratch_file("data.xml", xml_text());
  }

  std::string libsvm_text() const {
    std::string text;
    for (int64_t i = 0; i < kInstances; ++i) {
      const char* separator = "";
      for (int64_t v = 0; v < kLabels; ++v)
        if (data.Y(v, i) > 0) {
          text += fmt::format("{}{}", separator, v);
          separator = ",";
        }
      for (int64_t j = 0; j < kFeatures; ++j) text += fmt::format(" {}:{}", j + 1, data.X.dense()(i, j));
      text += "\n";
    }
    return text;
  }
  std::string arff_text(bool with_labels) const {
    std::string text = "@relation test\n";
    for (const auto& name : model.feature_names) text += fmt::format("@attribute {} numeric\n", name);
    if (with_labels)
      for (const auto& name : model.label_names) text += fmt::format("@attribute '{}' {{0,1}}\n", name);
    text += "@data\n";
    for (int64_t i = 0; i < kInstances; ++i) {
      for (int64_t j = 0; j < kFeatures; ++j)
        text += fmt::format("{}{}", j == 0 ? "" : ",", data.X.dense()(i, j));
      for (int64_t v = 0; with_labels && v < kLabels; ++v) text += data.Y(v, i) > 0 ? ",1" : ",0";
      text += "\n";
    }
    return text;
  }
  std::string xml_text() const {
    std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<labels>\n";
    for (const auto& name : model.label_names) text += fmt::format("<label name=\"{}\"></label>\n", name);
    return text + "</labels>\n";
  }

  /// What the files hold, predicted in memory.
  Prediction expected(const std::string& decoder = "spectral") const {
    Model used = model;
    used.settings.predict.decoder = PluginChoice{decoder, {}, "test"};
    ErrorList errors;
    const PredictPlan plan = plan_prediction(builtin(), used.settings, errors);
    errors.throw_if_any();
    return ModelPredictor(used, plan, used.settings.run.seed, {}, 1).predict(data.X, 0);
  }
  std::string expected_text(PredictionOutput output, PredictionForm form) const {
    const PredictionText text(output, form, model.label_names);
    return text.header() + text.lines(expected());
  }
};

Ran predict(const Fixture& f, const std::string& data, std::vector<std::string> more = {},
            const RunOptions& options = {}) {
  more.insert(more.begin(), {"predict", "--model", f.model_file, "--data", data});
  return concord(more, options);
}

Ran evaluate(const Fixture& f, const std::string& data, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"evaluate", "--model", f.model_file, "--data", data});
  return concord(more);
}

json evaluate_json(const Fixture& f, const std::string& data, std::vector<std::string> more = {}) {
  more.emplace_back("--json");
  const Ran ran = evaluate(f, data, more);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  return json::parse(ran.out);
}

}  // namespace

TEST_CASE("predict: files, standard input, every form, any number of threads") {
  const Fixture f;
  const std::string labels = f.expected_text(PredictionOutput::labels, PredictionForm::csv);
  CHECK(labels.starts_with("beach,\"sea, calm\",boat,indoor,kitchen\n"));
  for (const std::string& file : {f.libsvm, f.arff}) {
    const Ran ran = predict(f, file);
    INFO(file << ": " << ran.err);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out == labels);
    RunOptions piped;
    piped.in_file = file;
    CHECK(predict(f, "-", {}, piped).out == labels);
    CHECK(predict(f, file, {"--threads", "4"}).out == labels);
    CHECK(predict(f, file, {"--threads", "1", "--format", file == f.arff ? "arff" : "libsvm"}).out == labels);
  }
  // Labels need not be there.
  CHECK(predict(f, scratch_file("unlabelled.arff", f.arff_text(false))).out == labels);

  for (const auto& [name, output] :
       {std::pair("labels", PredictionOutput::labels), std::pair("scores", PredictionOutput::scores),
        std::pair("ranked", PredictionOutput::ranked)})
    for (const auto& [form_name, form] :
         {std::pair("csv", PredictionForm::csv), std::pair("libsvm", PredictionForm::libsvm)})
      CHECK(predict(f, f.libsvm, {"--output", name, "--as", form_name}).out == f.expected_text(output, form));

  const std::string out = scratch() + "/out.csv";
  const Ran to_file = predict(f, f.libsvm, {"--out", out});
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  CHECK(read_whole_file(out) == labels);
}

TEST_CASE("predict: another decoder, rounding, threshold") {
  const Fixture f;
  const PredictionText text(PredictionOutput::labels, PredictionForm::csv, f.model.label_names);
  CHECK(predict(f, f.libsvm, {"--decoder", "exhaustive"}).out ==
        text.header() + text.lines(f.expected("exhaustive")));
  const Ran all = predict(f, f.libsvm, {"--set", "predict.threshold=-1000", "--as", "libsvm"});
  CHECK(all.out.starts_with("0,1,2,3,4\n0,1,2,3,4\n"));
  const Ran least = predict(f, f.libsvm,
                            {"--set", "predict.threshold=1000", "--set", "predict.min_labels=2", "--output",
                             "labels", "--as", "libsvm"});
  std::istringstream lines(least.out);
  int64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    REQUIRE(std::count(line.begin(), line.end(), ',') == 1);
  CHECK(count == kInstances);
  CHECK(predict(f, f.libsvm, {"--rounding", "sign"}).exit_code == 0);
  CHECK_THAT(predict(f, f.libsvm, {"--decoder", "modular"}).err, Contains("needs A = 0"));
}

TEST_CASE("predict: what is wrong is said, all of it, before any work") {
  const Fixture f;
  const std::string out = scratch() + "/never.csv";
  const Ran many = predict(f, scratch() + "/none.arff",
                           {"--output", "lables", "--as", "json", "--set", "predict.treshold=1", "--decoder",
                            "spectal", "--threads", "x", "--seed", "-1", "--out", out});
  CHECK(many.exit_code == 2);
  CHECK(many.out.empty());
  for (const char* part : {"did you mean labels?", "expected one of csv, libsvm", "did you mean threshold?",
                           "did you mean spectral?", "--threads x", "--seed -1", "none.arff"})
    CHECK_THAT(many.err, Contains(part));
  CHECK_FALSE(std::filesystem::exists(out));

  CHECK(concord({"predict", "--data", f.libsvm}).exit_code == 2);
  const Ran no_model = concord({"predict", "--model", scratch() + "/no.model", "--data", f.libsvm});
  CHECK(no_model.exit_code == 2);
  CHECK_THAT(no_model.err, Contains("no.model"));
  const Ran foreign = concord({"predict", "--model", f.libsvm, "--data", f.libsvm});
  CHECK(foreign.exit_code == 2);
  CHECK(predict(f, f.libsvm, {"--decoder", "spectal"}).exit_code == 3);

  // A line that is wrong ends it, and a file that was to be written is not there.
  const std::string broken = scratch_file("broken.svm", f.libsvm_text() + "0 1:x\n");
  const Ran stopped = predict(f, broken, {"--out", out});
  CHECK(stopped.exit_code == 2);
  CHECK_THAT(stopped.err, Contains("broken.svm:151:"));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("predict: a lie of a decoder is found") {
  const Fixture f(Coupling::none);
  const Ran ran = predict(f, f.libsvm, {"--decoder", std::string(CONCORD_FAKES) + "/decoder-wrong-value.so"});
  CHECK(ran.exit_code == 5);
  CHECK_THAT(ran.err, Contains("decoder/wrong-value"));
}

TEST_CASE("evaluate: the metrics of the predictions, with intervals") {
  const Fixture f;
  const LabelCounts counts(f.expected().labels, f.data.Y);
  for (const std::string& file : {f.libsvm, f.arff}) {
    const json r = evaluate_json(f, file, {"--bootstrap", "200"});
    for (const Metric& metric : metrics()) {
      INFO(metric.name);
      CHECK(r[metric.name].get<double>() == metric.value(counts));
      CHECK(r["intervals"][metric.name][0].get<double>() <= r[metric.name].get<double>());
      CHECK(r["intervals"][metric.name][1].get<double>() >= r[metric.name].get<double>());
    }
    CHECK(r["instances"] == kInstances);
    CHECK(r["model"] == f.model_file);
    CHECK_THAT(r["convention"].get<std::string>(), Contains("both empty"));
    CHECK(r["plugins"][0]["plugin"] == "decoder/spectral");
  }
  const json a = evaluate_json(f, f.arff, {"--seed", "7"}), b = evaluate_json(f, f.arff, {"--seed", "7"});
  CHECK(a == b);
  CHECK(evaluate_json(f, f.arff, {"--seed", "8"})["intervals"] != a["intervals"]);
  CHECK(evaluate_json(f, f.arff, {"--bootstrap", "0"})["intervals"].empty());
  CHECK(evaluate_json(f, f.arff, {"--labels", scratch() + "/data.xml", "--threads", "4", "--seed", "7"}) ==
        a);

  const Ran table = evaluate(f, f.arff);
  CHECK(table.exit_code == 0);
  for (const Metric& metric : metrics()) CHECK_THAT(table.out, Contains(metric.name));
  CHECK_THAT(table.out, Contains("95 % interval") && Contains("0/0") && Contains("150 instances"));

  CHECK(evaluate(f, f.arff, {"--bootstrap", "-1"}).exit_code == 2);
  CHECK(evaluate(f, scratch() + "/none.svm").exit_code == 2);
}

TEST_CASE("data problems: what predict solves, in files that decode reads") {
  for (const Coupling coupling : {Coupling::none, Coupling::weak, Coupling::with_diagonal}) {
    const Fixture f(coupling);
    const std::string folder = fmt::format("{}/problems-{}", scratch(), static_cast<int>(coupling));
    const Ran ran = concord({"data", "problems", "--model", f.model_file, "--data", f.arff, "--rows",
                             "0,70-72,149", "--out", folder});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    const LabelMatrix labels = f.expected("exhaustive").labels;
    const Eigen::MatrixXd scores = label_scores(f.model.W, f.model.preprocess.apply(f.data.X));
    for (const int64_t row : {0, 70, 71, 72, 149}) {
      const std::string file = fmt::format("{}/row-{}.json", folder, row);
      const json problem = json::parse(read_whole_file(file));
      for (int64_t v = 0; v < kLabels; ++v)
        CHECK(problem["b"][static_cast<size_t>(v)].get<double>() == scores(v, row));
      const Ran decoded = concord({"decode", "--problem", file, "--decoder", "exhaustive", "--json"});
      REQUIRE(decoded.exit_code == 0);
      const json r = json::parse(decoded.out);
      for (int64_t v = 0; v < kLabels; ++v)
        CHECK(r["labels"][static_cast<size_t>(v)] == static_cast<int>(labels(v, row)));
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 5);
    const Ran beyond = concord(
        {"data", "problems", "--model", f.model_file, "--data", f.arff, "--rows", "150", "--out", folder});
    CHECK(beyond.exit_code == 2);
    CHECK_THAT(beyond.err, Contains("there is no row 150"));
  }
}
