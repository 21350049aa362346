// SPDX-License-Identifier: MIT
// Defaults that depend on other keys, and rules that exclude each other.
#include <catch2/catch.hpp>

#include "config/config.hpp"

namespace concord::config_defaults_test {
namespace {

std::vector<GridPoint> cells(const std::string& text) {
  return parse_config(text, "c.toml", ".", {}).cells;
}

std::vector<double> biases(const std::string& text) {
  std::vector<double> all;
  for (const GridPoint& cell : cells(text)) all.push_back(cell.settings.preprocess.bias);
  return all;
}

}  // namespace

TEST_CASE("one-versus-rest chooses its bias, unless the config states it or holds nothing out", "[config]") {
  const std::string rest = "[train]\nmethod = 'ovr'\n";
  CHECK(biases(rest) == std::vector<double>{1, 10, 30});
  CHECK(cells(rest)[1].chosen == std::vector<std::pair<std::string, std::string>>{{"preprocess.bias", "10"}});
  CHECK(biases(rest + "lambda_w = [0.1, 1]\n") == std::vector<double>{1, 10, 30, 1, 10, 30});
  CHECK(biases(rest + "[select]\nfolds = 3\n").size() == 3);
  CHECK(biases(rest + "[select]\nholdout = 0\n") == std::vector<double>{1});
  CHECK(biases(rest + "[preprocess]\nbias = 1.0\n") == std::vector<double>{1});
  CHECK(biases(rest + "[preprocess]\nbias = [2, 3]\n") == std::vector<double>{2, 3});
  CHECK(biases("") == std::vector<double>{1});
  CHECK(biases("[train]\nmethod = ['bcfw', 'ovr']\n") == std::vector<double>{1, 1, 10, 30});
}

TEST_CASE("where labels will be known, likelihood is the default method", "[config]") {
  CHECK(cells("[train]\nknown = 0.5\n")[0].settings.train.method == Method::likelihood);
  CHECK(cells("[train]\nknown = 0\n")[0].settings.train.method == Method::bcfw);
  CHECK(cells("[train]\nknown = 0.5\nmethod = 'bcfw'\n")[0].settings.train.method == Method::bcfw);
  CHECK_THROWS_WITH(cells("[train]\nknown = 0.5\nepochs = 3\n"), Catch::Contains("likelihood"));
}

TEST_CASE("direct-f1 excludes what it does not look at", "[config][direct]") {
  const std::string train = "[train]\nmethod = 'likelihood'\nprior = 'none'\n";
  const std::string direct = "[predict]\nthreshold = 'direct-f1'\n", kernel = "[scores]\nlaplace_width = 1\n";
  CHECK(cells(train + kernel + direct)[0].settings.predict.threshold == ThresholdKind::direct_f1);
  CHECK_THROWS_WITH(cells(train + direct), Catch::Contains("give scores.rbf_width or scores.laplace_width"));
  for (const char* base : {"ovr_lambda = 0.1\n", "file = 'a.npy'\n", "given = 1\n"})
    CHECK_THROWS_WITH(cells(train + kernel + base + direct), Catch::Contains("no other base"));
  for (const char* other :
       {"method = 'likelihood'\n", "prior = 'none'\n", "method = 'likelihood'\nprior = 'any'\n"})
    CHECK_THROWS_WITH(cells("[train]\n" + std::string(other) + kernel + direct),
                      Catch::Contains("looks neither at W nor at A"));
  CHECK_THROWS_WITH(cells(train + "known = 0.5\n" + kernel + direct), Catch::Contains("has no joint"));
}

}  // namespace concord::config_defaults_test
