// SPDX-License-Identifier: MIT
// Comparisons: what a config expands to, and the paired bootstrap. Running them is in tests/cli.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <concord/kit/rng.hpp>

#include "base/files.hpp"
#include "compare/results.hpp"
#include "report/report.hpp"
#include "tests/report/sample_results.hpp"
#include "tests/unit/places.hpp"

namespace concord::compare_test {

using namespace compare;
using compare::Cell;

namespace {

const char* const kDatasets =
    "[dataset.a]\ntraining = \"x.arff\"\ntest = \"x.arff\"\n"
    "[dataset.b]\ntraining = \"x.arff\"\ntest = \"x.arff\"\ntrain.batch = 7\n";

ComparePlan parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto folder = std::filesystem::temp_directory_path() / "concord-compare-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "x.arff") << "@relation x\n";
  return parse_comparison(text, "test.toml", folder, overrides);
}

const Settings& settings_of(const ComparePlan& plan, const std::string& id) {
  for (const Cell& cell : plan.cells)
    if (cell.name.id == id) return cell.training().config.cells.front().settings;
  throw std::runtime_error("no cell " + id);
}

}  // namespace

TEST_CASE("layers of a comparison: the later one wins, key by key") {
  const ComparePlan all = parse(std::string("[train]\nbatch = 5\nlambda_w = 0.5\nepochs = 9\n") + kDatasets +
                                "[method.m]\ntrain.lambda_w = 0.25\n"
                                "dataset.a.train.epochs = 3\n"
                                "[method.n]\nlike = \"m\"\ntrain.batch = 2\n"
                                "[method.o]\nlike = \"m\"\ntrain.epochs = 4\n");
  CHECK(settings_of(all, "a/m").train.batch == 5);
  CHECK(settings_of(all, "b/m").train.batch == 7);
  CHECK(settings_of(all, "a/n").train.batch == 2);
  CHECK(settings_of(all, "b/n").train.batch == 2);
  CHECK(settings_of(all, "a/m").train.lambda_w == 0.25);
  CHECK(settings_of(all, "a/m").train.epochs == 3);
  CHECK(settings_of(all, "b/m").train.epochs == 9);
  CHECK(settings_of(all, "a/n").train.epochs == 3);  // inherited with the rest
  CHECK(settings_of(all, "a/o").train.epochs == 4);  // the method's own word is later than its model's
  const ComparePlan overridden =
      parse(std::string(kDatasets) + "[method.m]\ntrain.batch = 3\n", {"train.batch=1"});
  CHECK(settings_of(overridden, "b/m").train.batch == 1);
}

TEST_CASE("axes multiply to columns, and lists stay grids") {
  const ComparePlan all =
      parse(std::string(kDatasets) +
            "[method.m]\ntrain.lambda_w = [0.1, 1.0]\naxes.train.prior = [\"any\", \"none\"]\n"
            "axes.train.loss = [\"hamming\", \"f-beta\"]\n"
            "[method.n]\nlike = \"m\"\ntrain.prior = \"none\"\ndatasets = [\"b\"]\n");
  REQUIRE(all.outline.methods.size() == 6);
  CHECK(all.outline.methods[1].name == "m any f-beta");
  CHECK(all.outline.methods[2].axes[0] == std::pair<std::string, std::string>("train.prior", "none"));
  CHECK(all.outline.methods[4].name == "n hamming");
  CHECK(all.cells.size() == 2 * 4 + 2);
  for (const Cell& cell : all.cells) CHECK(cell.training().config.cells.size() == 2);
  CHECK(settings_of(all, "a/m-none-f-beta").train.prior == PriorSign::none);
}

TEST_CASE("what a cell's process is told gives the same settings") {
  const ComparePlan all =
      parse(std::string(kDatasets) +
            "[method.m]\ntrain.decoder = { name = \"./x/decoder-mine.so\", tol = [1e-3, 1e-4] }\n"
            "predict.rounding = \"sign+./r.so\"\n");
  const Json request = to_json(all.cells.front());
  const Json& config = request.at("config");
  const std::string decoder = config.at("train").at("decoder").at("name");
  CHECK(std::filesystem::path(decoder).is_absolute());
  CHECK(decoder.ends_with("concord-compare-test/x/decoder-mine.so"));
  CHECK(config.at("train").at("decoder").at("tol") == Json({1e-3, 1e-4}));
  const std::string rounding = config.at("predict").at("rounding");
  CHECK(rounding.starts_with("sign+/"));
  CHECK(to_json(cell_from_json(request)) == request);
}

TEST_CASE("a name of a plugin is handed on as it was written") {
  const ComparePlan all = parse(std::string(kDatasets) +
                                "[method.m]\ntrain.decoder = \"decoder/modular\"\npredict.rounding = "
                                "\"./c++/r.so+rounding/sign\"\n");
  const Json config = to_json(all.cells.front()).at("config");
  CHECK(config.at("train").at("decoder") == "decoder/modular");
  const std::string chain = config.at("predict").at("rounding");
  CHECK(chain.starts_with("/"));
  CHECK(chain.ends_with("concord-compare-test/c++/r.so+rounding/sign"));
}

TEST_CASE("shares to reveal reach every training cell, and are refused where they are none") {
  const std::string methods = std::string(kDatasets) + "[method.m]\ntrain.batch = 3\n";
  const ComparePlan all = parse("[compare]\nreveal = [0, 0.25, 0.5]\n" + methods);
  for (const Cell& cell : all.cells) {
    CHECK(cell.training().reveal == std::vector<double>{0, 0.25, 0.5});
    CHECK(to_json(cell_from_json(to_json(cell))) == to_json(cell));
  }
  CHECK_FALSE(to_json(parse(methods).cells.front()).contains("reveal"));  // as version 0.1 told it
  for (const char* wrong : {"0.5", "[]", "[1]", "[-0.1]", "[0.5, 0.5]", "[0.5, 0.1]", "[\"half\"]"})
    CHECK_THROWS_WITH(parse("[compare]\nreveal = " + std::string(wrong) + "\n" + methods),
                      Catch::Contains("test.toml:2") &&
                          Catch::Contains("from 0 to below 1, each larger than the one before"));
}

TEST_CASE("what a solver's process is told comes back as it was") {
  const ComparePlan all = parse(std::string(kDatasets) +
                                "[run]\nseed = 7\n[method.m]\ntrain.decoder = \"modular\"\n"
                                "[problems.drawn]\ncell = \"a/m\"\nrows = \"0-4\"\n"
                                "[problems.files]\nfiles = \"x.*\"\n"
                                "[solver.s]\ndecoder = { name = \"sdp-mixing\", tol = 1e-4 }\n"
                                "rounding = \"sign+local-search\"\n");
  REQUIRE(all.cells.size() == 4);
  for (const Cell& cell : all.cells) CHECK(to_json(cell_from_json(to_json(cell))) == to_json(cell));
  const SolverRequest request = cell_from_json(to_json(all.cells[2])).solver();
  CHECK(request.source.cell == "a/m");
  CHECK(request.source.rows == "0-4");
  CHECK(request.seed == 7);
  REQUIRE(request.rounding.size() == 2);
  CHECK(request.rounding[1].name == "local-search");
  CHECK(request.decoder.settings.front().value == "0.0001");
  CHECK(all.cells[2].needs() == "a/m");
  CHECK(all.cells[3].needs().empty());
}

TEST_CASE("results are read as they were written") {
  const Json once = to_json(results_from_json(test::sample_results()));
  CHECK(to_json(results_from_json(once)) == once);
  const Json given = test::sample_results();
  for (size_t c = 0; c < given.at("cells").size(); ++c)
    for (const auto& [key, value] : given["cells"][c].items()) {
      INFO(given["cells"][c].at("id") << " " << key);
      CHECK(once["cells"][c].at(key) == value);
    }
  for (size_t c = 0; c < given.at("solves").size(); ++c)
    for (const char* key : {"id", "problems", "solver", "status", "reason", "key"})
      CHECK(once["solves"][c].at(key) == given["solves"][c].at(key));
}

TEST_CASE("a folder of version 0.1 gives the files that version 0.1 wrote") {
  const std::filesystem::path old = places::tests() + "/report/version-0.1";
  const auto place = std::filesystem::temp_directory_path() / "concord-compare-test" / "merged";
  std::filesystem::remove_all(place);
  const CompareFolder folder(place);
  PlanRecord plan = merge_plans(folder, {old});
  write_plan(folder, plan);
  CHECK(read_whole_file(place / "plan.json") == read_whole_file(old / "plan.json"));
  Results results = gather_results(folder, plan);
  const Json before = *read_json(old / "results.json");
  results.created = before.at("created");
  results.host = host_from_json(before.at("host"));
  report::write_results(place, results);
  for (const char* name : {"results.json", "results.csv", "solves.csv", "tables.md", "tables.tex"}) {
    INFO(name);
    CHECK(read_whole_file(place / name) == read_whole_file(old / name));
  }
  for (const PlanRecord::KeyedCell& cell : plan.cells) {
    INFO(cell.name.id);
    const CellRecord record = read_cell_record(folder.of_cell(cell.name));
    CHECK(to_json(record) == *read_json(old / cell.name.folder() / "cell.json"));
    const auto result = read_result(folder.of_cell(cell.name), cell.name.kind);
    REQUIRE(result);
    CHECK(to_json(*result) == *read_json(old / cell.name.folder() / "result.json"));
  }
}

TEST_CASE("the paired bootstrap covers the mean difference as often as it says") {
  kit::Rng rng(5);
  int covered = 0;
  constexpr int kTrials = 400, kInstances = 80;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> losses, baseline;
    for (int i = 0; i < kInstances; ++i) {
      baseline.push_back(rng.uniform());
      losses.push_back(baseline.back() + 0.1 + 0.3 * rng.normal());  // a mean difference of 0.1
    }
    const PairedDifference found = paired_difference(losses, baseline, static_cast<uint64_t>(trial));
    covered += found.range.low <= 0.1 && found.range.high >= 0.1;
    CHECK(found.range.low <= found.difference);
    CHECK(found.range.high >= found.difference);
    CHECK(found.error == Approx(0.3 / std::sqrt(kInstances)).epsilon(0.35));
  }
  CHECK(covered > 0.90 * kTrials);
  CHECK(covered < 0.985 * kTrials);
}

TEST_CASE("what is said to all methods is left out where one-versus-rest has no use for it") {
  const std::string both = std::string(kDatasets) +
                           "[method.ovr]\ntrain.method = \"ovr\"\n"
                           "[method.m]\ntrain.decoder = \"spectral\"\n";
  const ComparePlan all =
      parse("[train]\nbatch = 3\nlambda_w = 0.5\n" + both, {"train.epochs=3", "train.loss=f-beta"});
  const Settings fresh;
  CHECK(settings_of(all, "a/m").train.epochs == 3);
  CHECK(settings_of(all, "a/m").train.batch == 3);
  CHECK(settings_of(all, "a/ovr").train.method == Method::ovr);
  CHECK(settings_of(all, "a/ovr").train.lambda_w == 0.5);
  CHECK(settings_of(all, "b/ovr").train.batch == fresh.train.batch);
  CHECK(settings_of(all, "b/ovr").train.epochs == fresh.train.epochs);

  // What nobody uses, and what the method says itself, is a mistake.
  const std::string alone = std::string(kDatasets) + "[method.ovr]\ntrain.method = \"ovr\"\n";
  CHECK_THROWS_WITH(parse(alone, {"train.epochs=3"}),
                    Catch::Contains("train.epochs=3") && Catch::Contains("all methods are one-versus-rest"));
  CHECK_THROWS_WITH(parse(both + "[method.n]\nlike = \"ovr\"\ntrain.epochs = 4\n"),
                    Catch::Contains("method ovr does not use epochs"));
}

}  // namespace concord::compare_test
