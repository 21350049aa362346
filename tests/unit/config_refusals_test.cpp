// SPDX-License-Identifier: MIT
// Each wrong config with the place and the words of its refusal.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "refusals.hpp"

namespace concord::config_refusals_test {

using namespace concord::test;
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

void check(const std::string& table, const std::vector<Refusal>& more = {}) {
  for (const Refusal& row : refusals(table, more)) {
    const std::string message = refusal(row.text);
    check_message(row, "c.toml", message);
    CHECK(std::count(message.begin(), message.end(), '\n') == 0);  // one fault, one sentence
  }
}

}  // namespace

TEST_CASE("What is not TOML is refused", "[config]") {
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  check("config-toml.txt",
        {{"x = " + std::string(100'000, '['), "1:261", {"nested value depth"}},
         {"\n" + deep + " = 1", "2:34", {"too many parts"}},
         {"[" + deep + "]", "1:35", {"too many parts"}},
         {"x = { '''a'b''' = 1, \"c\\\"#\" . " + deep + " = 1 }", "1:62", {"too many parts"}}});
  // letters beyond ASCII where they may be
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
  check("config-keys.txt");
}

TEST_CASE("Wrong values are refused", "[config]") {
  check("config-values.txt");
}

TEST_CASE("Wrong plugins are refused", "[config]") {
  check("config-plugins.txt");
}

TEST_CASE("Keys that contradict each other are refused", "[config]") {
  check("config-rules.txt");
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
