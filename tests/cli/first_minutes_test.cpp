// SPDX-License-Identifier: MIT
// What a new user does: a table of their own, a model without a config, predictions.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "commands.hpp"
#include "model_fixture.hpp"

namespace cli::first_minutes_test {
namespace {

/// Numbers, text and missing cells; the labels follow from the town and the age.
std::string visits(const std::string& name, int rows, bool labels = true) {
  std::string text = labels ? "id,age,town,tag_sea,tag_snow\n" : "town,age,id\n";
  const char* const towns[] = {"Oslo", "Rome", "Nice"};
  for (int i = 0; i < rows; ++i) {
    const int town = (i * 7) % 3, age = 20 + (i * 13) % 50;
    const std::string years = i % 11 == 5 ? "" : std::to_string(1000 * age);
    if (labels)
      text += "v" + std::to_string(i) + "," + years + "," + towns[town] +
              (town == 0 && age < 50 ? ",0" : ",1") + (town == 0 ? ",1\n" : ",0\n");
    else
      text += std::string(towns[town]) + "," + years + ",v" + std::to_string(i) + "\n";
  }
  return scratch_file(name, text);
}

/// Data as planted_data() has, with twelve labels.
std::string twelve_labels() {
  const std::string prefix = scratch() + "/twelve";
  concord({"data", "generate", "--instances", "50", "--features", "6", "--labels", "12", "--test-instances",
           "10", "--out", prefix});
  return prefix;
}

/// A line of bash; its exit code is not looked at.
Ran shell(const std::string& line) {
  const std::string script = scratch_file("line.sh", line + "\n"), out = scratch() + "/shell-out",
                    err = scratch() + "/shell-err";
  const int status = std::system(("bash " + script + " > " + out + " 2> " + err).c_str());
  return {status, bytes_of(out), bytes_of(err)};
}

}  // namespace

TEST_CASE(
    "A table of mixed columns: a model without a config, predictions, and the same model by its config") {
  const std::string data = visits("visits.csv", 120), model = scratch() + "/visits.model";
  const Ran trained =
      concord({"train", data, "--labels", "tag_*", "--ignore", "id", "--model", model, "--budget", "20s"});
  INFO(trained.err);
  REQUIRE(trained.exit_code == 0);
  for (const char* line : {"data        120 rows", "scale       standardise", "method      ", "choice      ",
                           "rule        ", "prior       none", "config      "})
    CHECK_THAT(trained.err, Contains(line));
  const std::string again = scratch() + "/again.model";
  CHECK(concord({"train", model + ".toml", "--model", again, "--quiet", "--threads", "1"}).exit_code == 0);
  CHECK(bytes_of(again) == bytes_of(model));

  // Columns in another order, without labels, with missing cells.
  const std::string fresh = visits("fresh.csv", 30, false);
  const Ran predicted = concord({"predict", "--model", model, "--data", fresh});
  INFO(predicted.err);
  CHECK(predicted.exit_code == 0);
  CHECK_THAT(predicted.out, StartsWith("tag_sea,tag_snow\n"));
  CHECK(std::count(predicted.out.begin(), predicted.out.end(), '\n') == 31);
  const json losses = json_of({"evaluate", "--model", model, "--data", data});
  CHECK(losses.at("hamming-loss").get<double>() < 0.1);
  // Only the names of the labels that are on, and the best one.
  const Ran sparse = concord({"predict", "--model", model, "--data", fresh, "--as", "sparse"});
  CHECK_THAT(sparse.out, StartsWith("tag_s"));
  CHECK(sparse.out.find('0') == std::string::npos);
  const Ran best =
      concord({"predict", "--model", model, "--data", fresh, "--output", "ranked", "--top", "1"});
  CHECK_THAT(best.out, StartsWith("1\ntag_s"));
  refused({"predict", "--model", model, "--data", fresh, "--top", "1"}, "--output ranked");
}

TEST_CASE("What a model without a config is refused for") {
  const std::string data = visits("visits.csv", 120), model = scratch() + "/x.model";
  refused({"train", data, "--model", model}, "which of the 5 columns are labels is not said");
  refused({"train", data, "--model", model, "--labels", "tag_*"}, "column 'id' is text");
  refused({"train", data, "--model", model, "--labels", "tag_*", "--ignore", "id", "--budget", "soon"},
          "such as 90s, 5m or 1h");
  refused({"train", data, "--model", model, "--labels", "tag_*", "--set", "train.epochs=3"}, "is data");
  const std::string config =
      scratch_file("c.toml", "[data]\ntrain = \"visits.csv\"\nlabels = \"tag_*\"\nignore = \"id\"\n");
  refused({"train", config, "--model", model, "--labels", "a"}, "data.labels");
  // A config that says nothing about missing values.
  refused({"train", config, "--model", model, "--quiet"}, "preprocess.missing");
  const Ran ran = concord({"train", config, "--model", model, "--quiet", "--set", "preprocess.missing=mean",
                           "--set", "train.epochs=2", "--set", "predict.min_labels=1"});
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  // The scale that a config leaves open follows from the data, and a config that states it gives the same model.
  const Ran open = concord({"train", config, "--model", model, "--restart", "--set",
                            "preprocess.missing=mean", "--set", "train.epochs=2"});
  CHECK_THAT(open.err, Contains("preprocess.scale = \"standardise\": deviations of the columns differ"));
  const std::string bytes = bytes_of(model);
  concord({"train", config, "--model", model, "--restart", "--quiet", "--set", "preprocess.missing=mean",
           "--set", "train.epochs=2", "--set", "preprocess.scale=standardise"});
  CHECK(bytes_of(model) == bytes);
  const json record =
      json_of({"train", config, "--model", model, "--restart", "--quiet", "--set", "preprocess.missing=mean",
               "--set", "preprocess.scale=none", "--set", "train.epochs=2"});
  CHECK_THAT(record.at("warnings").dump(), Contains("nothing scales them"));
}

TEST_CASE("NumPy and XC files train, and other columns than the model's are named") {
  const std::string data = planted_data("columns", 120, 30);
  for (const char* kind : {".npz", ".npy", ".xc", ".tsv"}) {
    const std::string file = scratch() + "/columns" + kind, model = scratch() + "/columns.model";
    REQUIRE(concord({"data", "convert", data + "-train.arff", file}).exit_code == 0);
    std::vector<std::string> words = {"train", file, "--model", model, "--budget", "10s", "--quiet"};
    if (std::string(kind) == ".tsv") words.insert(words.end(), {"--labels", "last:6"});
    const Ran ran = concord(words);
    INFO(kind << ": " << ran.err);
    REQUIRE(ran.exit_code == 0);
    CHECK(concord({"predict", "--model", model, "--data", file}).exit_code == 0);
  }
  const std::string model = scratch() + "/arff.model";
  REQUIRE(
      concord({"train", data + "-train.arff", "--model", model, "--budget", "10s", "--quiet"}).exit_code ==
      0);
  const std::string other = twelve_labels();
  refused({"evaluate", "--model", model, "--data", other + "-test.arff"},
          "the model has 6 labels, the file 12");
}

TEST_CASE("A reader that leaves early is no error, and an integral u does not rank by ties") {
  const ModelFixture f(scratch(), ModelFixture::Prior::weak);
  const std::string predict = places::program() + " predict --model " + f.model;
  const Ran ran =
      shell(predict + " --data " + f.libsvm + " --output ranked | head -n 1; echo ${PIPESTATUS[0]}");
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, Catch::EndsWith("\n0\n"));
  const Ran many = shell("for i in $(seq 200); do cat " + f.libsvm + "; done | " + predict +
                         " --data - | head -n 1; echo ${PIPESTATUS[1]}");
  CHECK(many.err.empty());
  CHECK_THAT(many.out, Catch::EndsWith("\n0\n"));

  const Ran scores = concord(
      {"predict", "--model", f.model, "--data", f.libsvm, "--decoder", "exact", "--output", "scores"});
  REQUIRE(scores.exit_code == 0);
  CHECK_THAT(scores.err, Contains("ranked by their score plus what the prior adds"));
  std::istringstream lines(scores.out);
  std::string line;
  std::getline(lines, line);
  int integral = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    while (std::getline(cells, cell, ',')) integral += cell == "1" || cell == "-1" ? 1 : 0;
  }
  CHECK(integral == 0);
}

}  // namespace cli::first_minutes_test
