// SPDX-License-Identifier: MIT
// predict, evaluate and data problems as a user runs them, against the same computed in memory.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "commands.hpp"
#include "model_fixture.hpp"

namespace cli::predict_test {
namespace {

Ran predict(const ModelFixture& f, const std::string& data, std::vector<std::string> more = {},
            const RunOptions& options = {}) {
  more.insert(more.begin(), {"predict", "--model", f.model, "--data", data});
  return concord(more, options);
}

std::vector<std::string> evaluate_words(const ModelFixture& f, const std::string& data,
                                        std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"evaluate", "--model", f.model, "--data", data});
  return more;
}

Ran evaluate(const ModelFixture& f, const std::string& data, std::vector<std::string> more = {}) {
  return concord(evaluate_words(f, data, std::move(more)));
}

json evaluate_json(const ModelFixture& f, const std::string& data, std::vector<std::string> more = {}) {
  return json_of(evaluate_words(f, data, std::move(more)));
}

}  // namespace

TEST_CASE("predict: files, standard input, every form, any number of threads") {
  const ModelFixture f(scratch());
  const std::string labels = f.predicted("labels", "csv");
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
  CHECK(predict(f, f.unlabelled).out == labels);

  // Dense as in memory: the sums of sparse rows may differ in the last bit.
  for (const std::string output : {"labels", "scores", "ranked"})
    for (const std::string form : {"csv", "libsvm"}) {
      INFO(output << " as " << form);
      CHECK((predict(f, f.arff, {"--output", output, "--as", form}).out == f.predicted(output, form)));
    }

  const std::string out = scratch() + "/out.csv";
  const Ran to_file = predict(f, f.libsvm, {"--out", out});
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  CHECK(bytes_of(out) == labels);
}

TEST_CASE("predict: another decoder, rounding, threshold") {
  const ModelFixture f(scratch());
  CHECK(predict(f, f.libsvm, {"--decoder", "exhaustive"}).out == f.predicted("labels", "csv", "exhaustive"));
  const Ran all = predict(f, f.libsvm, {"--set", "predict.threshold=-1000", "--as", "libsvm"});
  CHECK(all.out.starts_with("0,1,2,3,4\n0,1,2,3,4\n"));
  const Ran least = predict(f, f.libsvm,
                            {"--set", "predict.threshold=1000", "--set", "predict.min_labels=2", "--output",
                             "labels", "--as", "libsvm"});
  std::istringstream lines(least.out);
  int64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    REQUIRE(std::count(line.begin(), line.end(), ',') == 1);
  CHECK(count == ModelFixture::instances);
  CHECK(predict(f, f.libsvm, {"--rounding", "sign"}).exit_code == 0);
  CHECK_THAT(predict(f, f.libsvm, {"--decoder", "modular"}).err, Contains("needs A = 0"));
}

TEST_CASE("predict: what is wrong is said, all of it, before any work") {
  const ModelFixture f(scratch());
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
  CHECK(no_model.exit_code == 4);
  CHECK_THAT(no_model.err, Contains("no.model"));
  const Ran foreign = concord({"predict", "--model", f.libsvm, "--data", f.libsvm});
  CHECK(foreign.exit_code == 2);
  CHECK(predict(f, f.libsvm, {"--decoder", "spectal"}).exit_code == 3);

  // A line that is wrong ends it, and a file that was to be written is not there.
  const std::string broken = scratch_file("broken.svm", f.libsvm_text + "0 1:x\n");
  const Ran stopped = predict(f, broken, {"--out", out});
  CHECK(stopped.exit_code == 2);
  CHECK_THAT(stopped.err, Contains("broken.svm:151:"));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("evaluate --predicted: labels in a file have the metrics of the model that predicted them") {
  const ModelFixture f(scratch());
  const std::string file = scratch_file("predicted.csv", f.predicted("labels", "csv"));
  const std::string loss = "{ name = \"loss/weighted-hamming\", positive_weight = 3 }";
  const json by_model = evaluate_json(f, f.arff, {"--seed", "3", "--metric", loss});
  const json by_file =
      json_of({"evaluate", "--predicted", file, "--data", f.arff, "--seed", "3", "--metric", loss});
  CHECK(by_file.contains("loss/weighted-hamming positive_weight=3"));
  for (const auto& [name, value] : by_file["intervals"].items()) {
    CHECK(by_file[name] == by_model[name]);
    CHECK(value == by_model["intervals"][name]);
  }
  CHECK(by_file["intervals"].size() > 9);
  CHECK(by_file["labels-predicted"] == by_model["labels-predicted"]);
  CHECK(by_file["predicted"] == file);
  const Ran shown = concord({"evaluate", "--predicted", file, "--data", f.arff});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, Contains("example-f1-loss") && !Contains("ranking-loss  "));
  // What is no prediction for these data.
  const std::string all = f.predicted("labels", "csv");
  const auto refuse = [&](const std::string& text, const std::string& sentence) {
    refused({"evaluate", "--predicted", scratch_file("wrong.csv", text), "--data", f.arff}, sentence);
  };
  refuse(all.substr(0, all.rfind('\n', all.size() - 2) + 1), "there are predicted labels of");
  refuse(all + "0,0,0,0,0\n", "there are predicted labels of more than");
  refuse("beach\n1\n", "there is no prediction for the label 'sea, calm'");
  refuse("beach,see\n1,0\n", "wrong.csv:1:7: the data have no label 'see'");
  refused({"evaluate", "--predicted", file, "--data", f.arff, "--model", f.model},
          "--model: has no use with --predicted");
  refused({"evaluate", "--predicted", file, "--data", f.arff, "--reveal", "0.5"},
          "--reveal: has no use with --predicted");
}

TEST_CASE("explain: the prediction, its parts, and what is wrong with the row") {
  const ModelFixture f(scratch());
  const std::vector<std::string> words = {"explain", "--model",   f.model,     "--data",
                                          f.arff,    "--decoder", "exhaustive"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  for (const int64_t row : {0, 70, 149}) {
    const json why = json_of(with({"--row", std::to_string(row)}));
    const std::vector<int> labels = f.predicted_labels(row, "exhaustive");
    for (size_t v = 0; v < labels.size(); ++v) {
      CHECK(why["explained"][v]["predicted"] == (labels[v] > 0));
      CHECK(why["explained"][v]["score"].get<double>() == Approx(f.scores(row)[v]));
    }
    CHECK(why["bound"].get<double>() == Approx(why["objective"].get<double>()));
    CHECK(why["runner_up"]["difference"].get<double>() >= 0);
    CHECK(why["runner_up"]["measure"] == "objective");
  }
  const Ran told = concord(with({"--row", "70", "--top", "2"}));
  CHECK(told.exit_code == 0);
  for (const char* part : {"instance 70 of ", "score", "prior", "objective", "runner-up", " others "})
    CHECK_THAT(told.out, Contains(part));
  refused(with({"--row", "150"}), "has 150 instances, counted from 0");
  refused(with({"--row", "-1"}), "--row -1: instances are counted from 0");
  refused(with({"--row", "1", "--top", "0"}), "--top 0: must be at least 1");
  refused(words, "--row N says which instance");
}

TEST_CASE("predict: a lie of a decoder is found") {
  const ModelFixture f(scratch(), ModelFixture::Prior::none);
  const Ran ran = predict(f, f.libsvm, {"--decoder", fake("wrong-value")});
  CHECK(ran.exit_code == 5);
  CHECK_THAT(ran.err, Contains("decoder/wrong-value"));
}

TEST_CASE("evaluate: the metrics of the predictions, with intervals") {
  const ModelFixture f(scratch());
  for (const std::string& file : {f.libsvm, f.arff}) {
    const json r = evaluate_json(f, file, {"--bootstrap", "200"});
    for (const auto& [name, value] : f.metrics()) {
      INFO(name);
      CHECK(r[name].get<double>() == Approx(value).epsilon(1e-12));
      CHECK(r["intervals"][name][0].get<double>() <= value);
      CHECK(r["intervals"][name][1].get<double>() >= value);
    }
    CHECK(r["instances"] == ModelFixture::instances);
    CHECK(r["model"] == f.model);
    CHECK_THAT(r["convention"].get<std::string>(), Contains("both empty"));
    CHECK(r["plugins"][0]["plugin"] == "decoder/spectral");
  }
  const json a = evaluate_json(f, f.arff, {"--seed", "7"}), b = evaluate_json(f, f.arff, {"--seed", "7"});
  CHECK(a == b);
  CHECK(evaluate_json(f, f.arff, {"--seed", "8"})["intervals"] != a["intervals"]);
  CHECK(evaluate_json(f, f.arff, {"--bootstrap", "0"})["intervals"].empty());
  CHECK(evaluate_json(f, f.arff, {"--labels", f.xml, "--threads", "4", "--seed", "7"}) == a);

  const Ran table = evaluate(f, f.arff);
  CHECK(table.exit_code == 0);
  for (const auto& metric : f.metrics()) CHECK_THAT(table.out, Contains(metric.first));
  CHECK_THAT(table.out, Contains("95 % interval") && Contains("0/0") && Contains("150 instances"));

  CHECK(evaluate(f, f.arff, {"--bootstrap", "-1"}).exit_code == 2);
  CHECK(evaluate(f, scratch() + "/none.svm").exit_code == 4);
}

TEST_CASE("evaluate: a loss plugin is a metric as any other") {
  const std::string other = scratch() + "/without-prior";
  fs::create_directories(other);
  const ModelFixture f(scratch()), without(other, ModelFixture::Prior::none);
  const std::string weighted = "{ name = \"loss/weighted-hamming\", positive_weight = 1 }";
  const json r = evaluate_json(
      f, f.arff,
      {"--metric", "loss/f-beta", "--metric", weighted, "--metric", "micro-f1", "--metric", "loss/f-beta"});
  const auto equal = [&](const std::string& loss, const std::string& metric) {
    CHECK(r[loss].get<double>() == Approx(r[metric].get<double>()).epsilon(1e-12));
    for (const int side : {0, 1})
      CHECK(r["intervals"][loss][side].get<double>() ==
            Approx(r["intervals"][metric][side].get<double>()).epsilon(1e-12));
  };
  equal("loss/f-beta", "example-f1-loss");
  equal("loss/weighted-hamming positive_weight=1", "hamming-loss");
  CHECK(r["plugins"].back()["plugin"] == "loss/weighted-hamming");

  const json against = evaluate_json(
      f, f.arff,
      {"--against", without.model, "--metric", "loss/f-beta", "--metric", "example-f1"})["against"];
  const json &loss = against["metrics"]["loss/f-beta"], &gain = against["metrics"]["example-f1"];
  CHECK(loss["value"].get<double>() == Approx(against["example-f1-loss"].get<double>()));
  CHECK(loss["difference"].get<double>() == Approx(against["difference"].get<double>()));
  CHECK(loss["difference"] != 0);
  CHECK(loss["error"].get<double>() == Approx(against["error"].get<double>()));
  CHECK(gain["value"].get<double>() == Approx(1 - loss["value"].get<double>()));
  CHECK(gain["difference"].get<double>() == Approx(-loss["difference"].get<double>()));

  CHECK_THAT(evaluate(f, f.arff, {"--metric", "loss/hamming"}).out, Contains("loss/hamming "));
  CHECK_THAT(evaluate(f, f.arff, {"--metric", "loss/hamming", "--reveal", "0,0.5"}).out,
             Contains("loss/hamming"));
  const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
    const Ran ran = evaluate(f, f.arff, words);
    INFO(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(sentence));
  };
  refused({"--metric", "loss/hamning"},
          "--metric loss/hamning: there is no loss 'hamning'; did you mean hamming?");
  refused({"--metric", "micro-f1", "--against", without.model}, "micro-f1 is no mean over instances");
}

TEST_CASE("data problems: what predict solves, in files that decode reads") {
  using Prior = ModelFixture::Prior;
  for (const Prior prior : {Prior::none, Prior::weak, Prior::with_diagonal}) {
    const ModelFixture f(scratch(), prior);
    const std::string folder = scratch() + "/problems-" + std::to_string(static_cast<int>(prior));
    const auto problems = [&](const std::string& rows) {
      return concord(
          {"data", "problems", "--model", f.model, "--data", f.arff, "--rows", rows, "--out", folder});
    };
    const Ran ran = problems("0,70-72,149");
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    for (const int64_t row : {0, 70, 71, 72, 149}) {
      const std::string file = folder + "/row-" + std::to_string(row) + ".json";
      CHECK(json::parse(bytes_of(file))["b"].get<std::vector<double>>() == f.scores(row));
      const Ran decoded = concord({"decode", "--problem", file, "--decoder", "exhaustive", "--json"});
      REQUIRE(decoded.exit_code == 0);
      CHECK(json::parse(decoded.out)["labels"].get<std::vector<int>>() ==
            f.predicted_labels(row, "exhaustive"));
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 5);
    const Ran beyond = problems("150");
    CHECK(beyond.exit_code == 2);
    CHECK_THAT(beyond.err, Contains("there is no row 150"));
  }
}

}  // namespace cli::predict_test
