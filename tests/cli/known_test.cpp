// SPDX-License-Identifier: MIT
// Known labels as a user gives them: a file, '?' in the data, or revealed by a seed; probabilities and suggestions.
#include <sstream>

#include "commands.hpp"

namespace cli::known_test {
namespace {

/// Planted data, a model with a joint, one without a prior, some by maximum margin, and one-versus-rest.
struct Models {
  std::string folder = scratch() + "/known";
  std::string data = folder + "/p-test.arff";

  Models() {
    if (fs::exists(folder)) return;
    fs::create_directories(folder);
    run({"data", "generate", "--instances", "200", "--features", "4", "--labels", "4", "--test-instances",
         "30", "--out", folder + "/p"});
    const std::string config = scratch_file(
        "known.toml", "[data]\ntrain = '" + folder + "/p-train.arff'\n[predict]\nthreshold = 'tuned'\n");
    const std::vector<std::string> likelihood = {"--set", "train.method=likelihood", "--set",
                                                 "train.known=0.5"};
    run(train(config, "likely", likelihood));
    run(train(config, "independent", {"--set", "train.method=likelihood", "--set", "train.prior=none"}));
    run(train(config, "margin", {"--set", "train.epochs=3"}));
    run(train(config, "calibrated", {"--set", "train.epochs=3", "--set", "predict.threshold=expected-f1"}));
    run(train(config, "rounded", {"--set", "train.epochs=3", "--set", "predict.threshold=none"}));
    run(train(config, "rest", {"--set", "train.method=ovr"}));
    run(train(config, "blind",
              {"--set", "train.epochs=3", "--set", "predict.threshold=0", "--set", "select.holdout=0"}));
  }

  std::string model(const std::string& name) const { return folder + "/" + name + ".model"; }
  std::vector<std::string> predict(const std::string& name, std::vector<std::string> more) const {
    more.insert(more.begin(), {"predict", "--model", model(name), "--data", data});
    return more;
  }
  std::vector<std::string> evaluate(const std::string& name, std::vector<std::string> more) const {
    more.insert(more.begin(), {"evaluate", "--model", model(name), "--data", data});
    return more;
  }

 private:
  static void run(const std::vector<std::string>& words) {
    const Ran ran = concord(words);
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
  }
  std::vector<std::string> train(const std::string& config, const std::string& name,
                                 std::vector<std::string> more) const {
    more.insert(more.begin(), {"train", config, "--model", model(name), "--quiet"});
    return more;
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string repeated(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("predict: known labels of a file stay, with every kind of model and output") {
  const Models m;
  const std::string known = scratch_file("known.csv", "beach,sea\n" + repeated("1,0", 30));
  for (const char* name : {"likely", "independent", "margin"}) {
    const Ran ran = concord(m.predict(name, {"--known", known}));
    INFO(name << ran.err);
    REQUIRE(ran.exit_code == 0);
    const auto lines = lines_of(ran.out);
    CHECK(lines.size() == 31);
    for (size_t i = 1; i < lines.size(); ++i) CHECK_THAT(lines[i], StartsWith("1,0,"));
    CHECK(concord(m.predict(name, {"--known", known, "--threads", "3"})).out == ran.out);
  }
  CHECK_THAT(lines_of(concord(m.predict("likely", {"--known", known, "--output", "probabilities"})).out)[1],
             StartsWith("1,0,0."));
  CHECK_THAT(lines_of(concord(m.predict("likely", {"--known", known, "--output", "scores"})).out)[1],
             StartsWith("inf,-inf,"));
  const auto suggested = lines_of(concord(m.predict("likely", {"--known", known, "--suggest", "3"})).out);
  CHECK(suggested[0] == "label1,probability1,label2,probability2,label3,probability3");
  CHECK_THAT(suggested[1], Contains("mountain,0.") && Contains("snow,0.") && Catch::EndsWith(",,"));
  CHECK_THAT(suggested[1], !Contains("beach") && !Contains("sea"));
}

TEST_CASE("predict: instances whose labels are in part '?'") {
  const Models m;
  std::string text = bytes_of(m.data);
  const size_t row = text.find("@data") + 6, end = text.find('\n', row);
  const std::string line = text.substr(row, end - row);
  const size_t labels = line.size() - 7;  // four labels and three commas at the end
  text.replace(row, line.size(), line.substr(0, labels) + "?,1,?,0");
  const std::string partly = scratch_file("partly.arff", text);
  const Ran ran =
      concord({"predict", "--model", m.model("likely"), "--data", partly, "--output", "probabilities"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const auto lines = lines_of(ran.out),
             free = lines_of(concord(m.predict("likely", {"--output", "probabilities"})).out);
  CHECK(lines[1] != free[1]);
  CHECK_THAT(lines[1], Contains(",1,0.") && Catch::EndsWith(",0"));
  CHECK(lines[2] == free[2]);  // its labels are all there, and nobody looks
  refused({"evaluate", "--model", m.model("likely"), "--data", partly, "--labels", m.folder + "/p.xml"},
          "missing");
}

TEST_CASE("known labels that are wrong are refused with line and label") {
  const Models m;
  const auto file = [&](const std::string& text) { return scratch_file("wrong.csv", text); };
  refused(m.predict("likely", {"--known", file("beech\n")}),
          "wrong.csv:1:1: the model has no label 'beech'; did you mean beach?");
  refused(m.predict("likely", {"--known", scratch() + "/none.csv"}), "none.csv", 4);
  refused(m.predict("likely", {"--suggest", "0"}), "--suggest 0");
  refused(m.predict("likely", {"--suggest", "2", "--as", "libsvm"}), "leave out --as");
  const Ran short_file = concord(m.predict("likely", {"--known", file("beach\n1\n")}));
  CHECK(short_file.exit_code == 2);
  CHECK_THAT(short_file.err, Contains("known labels of 1 instances, and the data have more"));
  const Ran no_probabilities = concord(m.predict("blind", {"--suggest", "1"}));
  CHECK(no_probabilities.exit_code == 2);
  CHECK_THAT(no_probabilities.err, Contains("the scores of method bcfw") && Contains("likelihood"));
  // What the data say otherwise: one of these two contradicts the first instance.
  const auto contradiction = [&](const char* label) {
    return concord(
        m.evaluate("likely", {"--known", file("sea\n" + std::string(label) + "\n" + repeated("?", 29))}));
  };
  const Ran yes = contradiction("1"), no = contradiction("0");
  CHECK(yes.exit_code + no.exit_code == 2);
  CHECK_THAT(yes.err + no.err, Contains("wrong.csv:2: the label 'sea' is ") && Contains("in the data"));
  refused(m.predict("margin", {"--set", "predict.threshold_on=marginals"}),
          "only scores of method likelihood are log-odds");
  CHECK_THAT(concord(m.evaluate("likely", {})).out, Contains(" on log-odds"));
  refused(m.evaluate("likely", {"--reveal", "1.5"}), "'1.5' is no share");
  refused(m.evaluate("likely", {"--reveal", "0.5", "--known", file("sea\n")}), "give one of them");
  refused(m.evaluate("likely", {"--reveal", "0,0.5", "--against", m.model("independent")}), "one share");
}

TEST_CASE("predict: the calibration of validation gives probabilities, also of labels that are left") {
  const Models m;
  const std::string known = scratch_file("known.csv", "beach,sea\n" + repeated("1,0", 30));
  const Ran free = concord(m.predict("calibrated", {"--output", "probabilities"}));
  INFO(free.err);
  REQUIRE(free.exit_code == 0);
  const auto given =
      lines_of(concord(m.predict("calibrated", {"--known", known, "--output", "probabilities"})).out);
  for (size_t i = 1; i < given.size(); ++i) CHECK_THAT(given[i], StartsWith("1,0,0."));
  CHECK(given != lines_of(free.out));
  CHECK_THAT(concord(m.predict("calibrated", {"--known", known, "--suggest", "1"})).out,
             Contains("probability1"));
  CHECK(json_of(m.evaluate("calibrated", {"--reveal", "0.5"})).contains("calibration-error"));
}

TEST_CASE("predict: every rule has probabilities, where something was held out to calibrate them") {
  const Models m;
  const std::string known = scratch_file("known.csv", "beach,sea\n" + repeated("1,0", 30));
  // One calibration of the same fit: what the rule is makes no difference.
  const std::string calibrated = concord(m.predict("calibrated", {"--output", "probabilities"})).out;
  for (const char* name : {"margin", "rounded", "rest"}) {
    const Ran free = concord(m.predict(name, {"--output", "probabilities"}));
    INFO(name << free.err);
    REQUIRE(free.exit_code == 0);
    CHECK((free.out == calibrated) == (std::string(name) != "rest"));
    const auto given =
        lines_of(concord(m.predict(name, {"--known", known, "--output", "probabilities"})).out);
    for (size_t i = 1; i < given.size(); ++i) CHECK_THAT(given[i], StartsWith("1,0,0."));
    CHECK(json_of(m.evaluate(name, {})).contains("calibration-error"));
  }
  // Another rule at prediction leaves the calibration as it is.
  CHECK(concord(m.predict("calibrated", {"--output", "probabilities", "--rounding", "sign"})).out ==
        calibrated);
  const Ran none = concord(m.predict("blind", {"--output", "probabilities"}));
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("has no probabilities") && Contains("select.holdout"));
}

TEST_CASE("evaluate: probabilities are measured where a model has them, of the unknown labels alone") {
  const Models m;
  const json whole = json_of(m.evaluate("likely", {})),
             half = json_of(m.evaluate("likely", {"--reveal", "0.5"}));
  const auto counted = [](const json& scores) {
    int64_t count = 0;
    for (const json& bin : scores["reliability"]) count += bin["count"].get<int64_t>();
    return count;
  };
  CHECK(counted(whole) == 120);  // 30 rows of 4 labels
  CHECK(counted(half) == 60);
  CHECK(whole["intervals"]["brier-score"][0].get<double>() < whole["brier-score"].get<double>());
  CHECK_FALSE(whole["intervals"].contains("calibration-error"));
  // The Brier score out of the probabilities that predict prints.
  const auto lines = lines_of(concord(m.predict("likely", {"--output", "probabilities"})).out);
  REQUIRE(concord({"data", "convert", m.data, scratch() + "/truth.svm"}).exit_code == 0);
  const auto rows = lines_of(bytes_of(scratch() + "/truth.svm"));
  REQUIRE(rows.size() + 1 == lines.size());
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string labels = "," + rows[i].substr(0, rows[i].find(' ')) + ",";
    std::istringstream cells(lines[i + 1]);
    std::string cell;
    for (int v = 0; std::getline(cells, cell, ','); ++v) {
      const double y = labels.find("," + std::to_string(v) + ",") == std::string::npos ? 0 : 1;
      sum += (std::stod(cell) - y) * (std::stod(cell) - y);
    }
  }
  CHECK(whole["brier-score"].get<double>() == Approx(sum / (30 * 4)).epsilon(1e-9));
  CHECK_FALSE(json_of(m.evaluate("blind", {})).contains("brier-score"));
  CHECK_THAT(concord(m.evaluate("likely", {})).out, Contains("calibration-error") && Contains("lrap"));
}

TEST_CASE("evaluate: the unknown part, a curve over what is revealed, and another model beside") {
  const Models m;
  const json half = json_of(m.evaluate("likely", {"--reveal", "0.5", "--against", m.model("independent")}));
  CHECK(half["against"]["difference"].get<double>() ==
        Approx(half["example-f1-loss"].get<double>() - half["against"]["example-f1-loss"].get<double>()));
  CHECK(json_of(m.evaluate("likely", {"--reveal", "0.5"}))["example-f1-loss"] == half["example-f1-loss"]);
  CHECK(json_of(m.evaluate("likely", {"--reveal", "0.5", "--seed", "9"}))["hamming-loss"] !=
        half["hamming-loss"]);
  const json curve = json_of(m.evaluate("likely", {"--reveal", "0,0.5,0.75", "--bootstrap", "20"}));
  REQUIRE(curve["reveal"].size() == 3);
  CHECK(curve["reveal"][1]["example-f1-loss"] == half["example-f1-loss"]);
  CHECK(curve["reveal"][0]["example-f1-loss"] == json_of(m.evaluate("likely", {}))["example-f1-loss"]);
  CHECK_THAT(concord(m.evaluate("likely", {"--reveal", "0,0.5"})).out,
             StartsWith("known") && Contains(" 50 %"));
  CHECK(curve["reveal"][2].contains("brier-score"));
  const json itself = json_of(m.evaluate("likely", {"--against", m.model("likely")}));
  CHECK(itself["against"]["difference"] == 0);
}

}  // namespace cli::known_test
