// SPDX-License-Identifier: MIT
// Each wrong config with the place and the words of its refusal.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"

namespace concord::config_refusals_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_config(text, "c.toml", "", overrides);
  } catch (const Error& error) {
    CHECK(error.kind() == Fault::input);
    return error.what();
  }
  return "accepted";
}

struct Refusal {
  std::string text;
  std::string place;  // LINE:COLUMN
  std::vector<std::string> words;
};

void check(const std::vector<Refusal>& table) {
  for (const Refusal& row : table) {
    CAPTURE(row.text);
    const std::string message = refusal(row.text);
    CHECK_THAT(message, StartsWith("c.toml:" + row.place + ": "));
    for (const std::string& word : row.words) CHECK_THAT(message, Contains(word));
    CHECK(std::count(message.begin(), message.end(), '\n') == 0);  // one fault, one sentence
  }
}

std::string in_train(const std::string& line) {
  return "[train]\n" + line + "\n";
}

}  // namespace

TEST_CASE("What is not TOML is refused", "[config]") {
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  check({
      {"[train]\nepochs = \n", "2:10", {"not TOML", "expected value"}},
      {"[train]\nepochs = 3\nepochs = 4\n", "3:10", {"cannot redefine"}},
      {"[train]\n[run]\n[train]\n", "3:1", {"cannot redefine existing table 'train'"}},
      {"[train\n", "1:7", {"expected ']'"}},
      {"[data]\ntrain = \"x\n", "2:11", {"not TOML"}},
      {"[data]\ntrain = \"\xff\"\n", "2:9", {"utf-8"}},
      {"[run]\nseed = 99999999999999999999\n", "2:28", {"64 bits"}},
      {"[train]\nepochs = tru\n", "2:13", {"'tru\\n'"}},
      {"x = " + std::string(100'000, '['), "1:261", {"nested value depth"}},
      {"\n" + deep + " = 1", "2:34", {"too many parts"}},
      {"[" + deep + "]", "1:35", {"too many parts"}},
      {"x = { '''a'b''' = 1, \"c\\\"#\" . " + deep + " = 1 }", "1:62", {"too many parts"}},
  });
  // letters beyond ASCII where none may be, and where they may
  check({
      {"[data]\ntrain = \xc3\xa9\n", "2:9", {"beyond ASCII"}},
      {"\xef\xbb\xbd[run]\n", "1:1", {"beyond ASCII"}},
      {"[data]\ntrain = \"\"\"a\\  \n \xc3\xa9\"\"\"\n", "3:2", {"beyond ASCII"}},
  });
  CHECK(refusal("\xef\xbb\xbf[data] # \xc3\xa9\ntrain = '\xc3\xa9'\nlabels = \"\"\"\xc3\xa9\\\n\"\"\"\n"
                "format = \"arff\\\\\" # \\\xc3\xa9")
            .starts_with("c.toml:5:10: data.format: found the string 'arff\\'"));
  CHECK(refusal("", {"data.train=\xc3\xa9" + std::string(40, '.')}) == "accepted");
  // dots that are not in keys
  const std::string dots(100, '.');
  CHECK_THAT(
      refusal("# " + dots + "\n[data]\ntrain = '" + dots + "'\nlabels = \"\"\"\n" + dots + "\\\"\"\"\"\n#"),
      Contains("accepted"));
}

TEST_CASE("Unknown sections and keys are refused", "[config]") {
  check({
      {"[run]\n\n[trian]\nepochs = 3\nbatch = 4\n", "3:2", {"no section 'trian'", "did you mean train?"}},
      {"[nonsense]", "1:2", {"run, data, preprocess, scores, train, select, predict"}},
      {"epochs = 3\n", "1:1", {"'epochs' is outside of any section", "did you mean train.epochs?"}},
      {"train = 3\n", "1:9", {"found 3", "[train]"}},
      {"[[train]]\nepochs = 3\n", "1:1", {"found a list", "[train]"}},
      {in_train("lamda_w = 1"), "2:1", {"[train] has no key 'lamda_w'", "did you mean lambda_w?", "epochs"}},
      {in_train("bias = 1"), "2:1", {"did you mean preprocess.bias?"}},
      {in_train("  \"a\\nb\" = 1"), "2:3", {"'a\\x0ab'"}},
  });
}

TEST_CASE("Wrong values are refused", "[config]") {
  check({
      {"[run]\nseed = -1", "2:8", {"run.seed: found -1; expected an integer >= 0"}},
      {"[run]\nseed = 1.0", "2:8", {"found 1.0"}},
      {"[run]\nthreads = 257", "2:11", {"found 257; expected an integer in 0..256"}},
      {"[run]\ncheckpoint = -0.5", "2:14", {"expected a finite number >= 0"}},
      {"[run]\nplugin_dirs = 'x'", "2:15", {"found the string 'x'; expected a list of paths"}},
      {"[run]\nplugin_dirs = ['x', 3]", "2:21", {"found 3; expected a path"}},
      {"[data]\ntrain = 3", "2:9", {"found 3; expected a path"}},
      {"[data]\ntrain = ''", "2:9", {"found the string ''; expected a path"}},
      {"[data]\ntrain = \"a\\u0000b\"", "2:9", {"'a\\x00b'"}},
      {"[data]\nformat = 'arf'", "2:10", {"expected one of detect, arff, libsvm", "did you mean arff?"}},
      {"[preprocess]\nscale = 'L1'", "2:9", {"found the string 'L1'", "none, l2, standardise, idf"}},
      {"[preprocess]\nbias = -1", "2:8", {"expected a finite number >= 0"}},
      {"[preprocess]\nbias = inf", "2:8", {"found inf"}},
      {"[preprocess]\nfourier = 0", "2:11", {"found 0; expected an integer in 1..1000000"}},
      {"[preprocess]\nfourier = 9\nfourier_width = 0", "3:17", {"expected a finite number > 0"}},
      {in_train("method = 'bfcw'"), "2:10", {"did you mean bcfw?"}},
      {in_train("prior = true"), "2:9", {"found true; expected one of any, attractive, repulsive, none"}},
      {in_train("diagonal = 1"), "2:12", {"found 1; expected true or false"}},
      {in_train("lambda_w = 0"), "2:12", {"train.lambda_w: found 0; expected a finite number > 0"}},
      {in_train("lambda_w = nan"), "2:12", {"found nan"}},
      {in_train("lambda_a = '0.1'"), "2:12", {"found the string '0.1'"}},
      {in_train("lambda_a = 1979-05-27"), "2:12", {"found a date or time"}},
      {in_train("lambda_w = [0.1, [0.2]]"), "2:18", {"found a list"}},
      {in_train("lambda_w = [0.1, 0]"), "2:18", {"found 0"}},
      {in_train("lambda_w = []"), "2:12", {"found an empty list"}},
      {in_train("lambda_w = { a = 1 }"), "2:12", {"found a table"}},
      {in_train("epochs = 0"), "2:10", {"expected an integer >= 1"}},
      {in_train("epochs = 3.0"), "2:10", {"found 3.0"}},
      {in_train("batch = -3"), "2:9", {"found -3"}},
      {in_train("method = 'ovr'\nhinge = 'squared'"), "3:9", {"one of hinge, squared-hinge"}},
      {"[select]\nfolds = 1", "2:9", {"found 1; expected an integer >= 2, or 0"}},
      {"[select]\nfolds = -2", "2:9", {"found -2"}},
      {"[select]\nfolds = [2, 3]", "2:9", {"a list is a grid, and [select] can have none"}},
      {"[select]\nholdout = 0.95", "2:11", {"[0, 0.9]"}},
      {"[select]\nrepeats = 0", "2:11", {"integer >= 1"}},
      {"[select]\nmetric = 3", "2:10", {"the name of a metric"}},
      {"[run]\nseed = []", "2:8", {"[run] can have none"}},
      {"[data]\ntrain = ['a', 'b']", "2:9", {"[data] can have none"}},
      {"[predict]\nthreshold = 'tune'",
       "2:13",
       {"a number, one of none, tuned, per-label, expected-f1", "did you mean tuned?"}},
      {"[predict]\nthreshold = 'fixed'", "2:13", {"found the string 'fixed'"}},
      {"[predict]\nthreshold = nan", "2:13", {"found nan"}},
      {"[predict]\nthreshold_on = 'score'", "2:16", {"did you mean scores?"}},
      {"[predict]\nmin_labels = -1", "2:14", {"integer >= 0"}},
  });
}

TEST_CASE("Wrong plugins are refused", "[config]") {
  check({
      {in_train("decoder = 3"), "2:11", {"found 3", "the name of a plugin, or a table"}},
      {in_train("decoder = ''"), "2:11", {"found the string ''"}},
      {in_train("decoder = { tol = 1 }"), "2:11", {"a table without a name"}},
      {in_train("decoder = { name = 3 }"), "2:20", {"train.decoder.name: found 3"}},
      {in_train("decoder = { name = ['a', 'b'] }"), "2:20", {"a list of names or of tables"}},
      {in_train("decoder = []"), "2:11", {"found an empty list"}},
      {in_train("decoder = [['a']]"), "2:12", {"found a list"}},
      {in_train("decoder = { name = 'a', w = [[[1]]] }"), "2:30", {"train.decoder.w: found a list"}},
      {in_train("decoder = { name = 'a', w = [['x']] }"), "2:30", {"list of numbers"}},
      {in_train("decoder = { name = 'a', w = 1979-05-27 }"), "2:29", {"found a date"}},
      {in_train("decoder = { name = 'a', \"b.c\" = 1, b.c = 2 }"), "2:38", {"'b.c' is given twice"}},
      {"[predict]\nrounding = 'a++b'", "2:12", {"'a++b' has an empty part"}},
      {"[predict]\nrounding = { name = 'gaussian+sign', draws = 5 }",
       "2:46",
       {"predict.rounding.draws: 'gaussian+sign' has 2 parts", "gaussian.draws"}},
      {"[predict]\nrounding = { name = 'gaussian+sign', gausian.draws = 5 }",
       "2:54",
       {"'gausian' is no part of 'gaussian+sign'; did you mean gaussian?"}},
  });
}

TEST_CASE("Keys that contradict each other are refused", "[config]") {
  check({
      {in_train("warm_start = true"), "2:14", {"only method subgradient", "train.method is bcfw"}},
      {in_train("method = 'ovr'\nwarm_start = true"), "3:14", {"train.method is ovr"}},
      {in_train("method = ['subgradient', 'bcfw']\nwarm_start = true"), "3:14", {"train.method is bcfw"}},
      {in_train("method = 'ovr'\ndecoder = 'modular'"), "3:11", {"one-versus-rest has no prior"}},
      {in_train("method = 'ovr'\nloss = 'hamming'"), "3:8", {"does not use loss"}},
      {in_train("method = 'ovr'\nprior = 'any'"), "3:9", {"does not use prior"}},
      {in_train("method = 'ovr'\ndiagonal = true"), "3:12", {"does not use diagonal"}},
      {in_train("method = 'ovr'\nlambda_a = [1, 2]"), "3:12", {"does not use lambda_a"}},
      {in_train("method = 'ovr'\nepochs = 3"), "3:10", {"does not use epochs"}},
      {in_train("method = 'ovr'\nbatch = 3"), "3:9", {"does not use batch"}},
      {in_train("hinge = 'hinge'"), "2:9", {"without warm_start does not use hinge"}},
      {"[select]\nlambda_per_label = true", "2:20", {"only method ovr"}},
      {"[select]\nholdout = 0.2\nfolds = 5", "2:11", {"choose one"}},
      {"[predict]\nthreshold = 0\nrounding = 'sign'", "3:12", {"nothing to round"}},
      {"[predict]\nthreshold = 'expected-f1'\nrounding = 'sign'", "3:12", {"nothing to round"}},
      {"[preprocess]\nfourier_width = 2", "2:17", {"give preprocess.fourier"}},
  });
  for (const char* text :
       {"[train]\nmethod = 'subgradient'\nwarm_start = [true, false]", "[train]\nwarm_start = false",
        "[train]\nmethod = 'subgradient'\nwarm_start = true\nhinge = 'hinge'",
        "[train]\nmethod = 'ovr'\nhinge = ['hinge', 'squared-hinge']\n[select]\nlambda_per_label = true",
        "[select]\nlambda_per_label = false", "[select]\nfolds = 0\nholdout = 0.3",
        "[select]\nfolds = 3\nholdout = 0", "[predict]\nthreshold_on = 'u'",
        "[predict]\nthreshold = 'none'\nrounding = 'sign'"}) {
    CAPTURE(text);
    CHECK(refusal(text) == "accepted");
  }
}

TEST_CASE("All errors of a config come at once", "[config]") {
  const std::string message = refusal(
      "[train]\nlambda_w = -1\nepohs = 3\nmethod = 'ovr'\ndecoder = { name = 'a', w = [[['x']], [['y']]] "
      "}\n[x]\n",
      {"train.lambda_a=zero", "select.fold=3", "nonsense"});
  CHECK(
      message ==
      "c.toml:3:1: [train] has no key 'epohs'; did you mean epochs? (its keys: method, decoder, loss, prior, "
      "diagonal, lambda_w, lambda_a, epochs, batch, tol, report, warm_start, hinge, known)\n"
      "c.toml:6:2: there is no section 'x' (the sections: run, data, preprocess, scores, train, select, "
      "predict)\n"
      "--set select.fold=3: [select] has no key 'fold'; did you mean folds? (its keys: folds, holdout, "
      "repeats, "
      "metric, lambda_per_label)\n"
      "--set nonsense: expected SECTION.KEY=VALUE, as in train.lambda_w=0.1\n"
      "c.toml:2:12: train.lambda_w: found -1; expected a finite number > 0\n"
      "c.toml:5:30: train.decoder.w: found a list; expected a number, a string, true or false, or a list of "
      "numbers\n"
      "c.toml:5:39: train.decoder.w: found a list; expected a number, a string, true or false, or a list of "
      "numbers\n"
      "--set train.lambda_a=zero: found the string 'zero'; expected a finite number > 0");
  // a wrong value elsewhere does not hide a contradiction, nor invent one
  CHECK_THAT(refusal("[train]\nlambda_w = 0\nwarm_start = true"),
             Contains("found 0") && Contains("only method"));
  CHECK_THAT(refusal("[train]\nmethod = 'x'\nwarm_start = true"),
             Contains("'x'") && !Contains("only method"));
  CHECK_THAT(refusal("[train]\nmetod = 'subgradient'\nwarm_start = true"), !Contains("only method"));
}

TEST_CASE("Grids have at most 10,000 cells", "[config]") {
  std::string hundred = "[";
  for (int i = 1; i <= 100; ++i) hundred += std::to_string(i) + ",";
  hundred += "]";
  const auto grid = [&](const std::string& keys) { return "[train]\n" + keys; };
  CHECK(refusal(grid("lambda_w = " + hundred + "\nlambda_a = " + hundred)) == "accepted");
  CHECK(refusal(grid("lambda_w = " + hundred + "\nlambda_a = " + hundred + "\nepochs = [1, 2]")) ==
        "c.toml: the grid train.lambda_w (100) x train.lambda_a (100) x train.epochs (2) has more than 10000 "
        "cells");
  const std::string options = fmt::format(
      "a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0}, "
      "i = {0}, j = {0}",
      hundred);  // 10^20, which is above 2^64
  CHECK_THAT(refusal(grid("decoder = { name = 'x', " + options + " }")),
             Contains("2:11") && Contains("10000"));
  CHECK_THAT(refusal(grid("decoder = [{ name = 'x', a = " + hundred + ", b = " + hundred + " }, 'y']")),
             Contains("2:11") && Contains("10000"));
}

TEST_CASE("Wrong --set are refused", "[config]") {
  const std::string text = "[train]\ndecoder = ['a', 'b']\n";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"train.epochs", "expected SECTION.KEY=VALUE"},
      {"epochs=3", "did you mean train.epochs?"},
      {"trian.epochs=3", "did you mean train?"},
      {"train.epohs=3", "did you mean epochs?"},
      {"train.epochs=", "the value is missing"},
      {"train.epochs=  ", "the value is missing"},
      {"train.epochs=0", "found 0; expected an integer >= 1"},
      {"train.epochs.x=1", "train.epochs is not a plugin"},
      {"train.decoder.t\xf5l=1", "'t\\xf5l' is not the name of an option"},
      {"train.decoder.=1", "not a plugin with options"},
      {"train.decoder.tol=1", "train.decoder is a grid of plugins"},
      {"predict.decoder.tol=1", "predict.decoder is not given"},
      {"train.epochs=[1, 2", "'[1, 2' is not a value: array"},
      {"train.epochs=\"3", "is not a value"},
      {"train.epochs=['a', \xc3\xa9]", "beyond ASCII"},
      {"train.epochs=1\ntrain.batch=2", "'1\\x0atrain.batch=2' has a control character"},
      {"select.metric=caf\xe9", "not UTF-8"},
      {"data.train=['a']", "[data] can have none"},
      {"train.warm_start=true", "only method subgradient"},
  };
  for (const auto& [override, words] : table) {
    CAPTURE(override);
    CHECK_THAT(refusal(text, {override}), StartsWith("--set " + override + ": ") && Contains(words));
  }
  CHECK(refusal("", {"train.epochs=1", "train.epochs=2"}) ==
        "--set train.epochs=2: it is set twice, first by --set train.epochs=1");
}

}  // namespace concord::config_refusals_test
