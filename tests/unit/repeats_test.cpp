// SPDX-License-Identifier: MIT
// Repeats of a comparison: their splits, their cells, and intervals over trainings.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <concord/kit/rng.hpp>

#include "compare/results.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"
#include "tests/report/page_checks.hpp"
#include "tests/report/sample_results.hpp"

namespace concord::repeats_test {

using namespace compare;
using compare::Cell;
using namespace test;

namespace {

const char* const kDatasets =
    "[dataset.a]\ntraining = \"train.csv\"\ntest = \"test.csv\"\nlabels = \"last:2\"\n"
    "[dataset.b]\ntraining = \"train.csv\"\ntest = \"test.csv\"\nlabels = \"last:2\"\n";
const char* const kMethods = "[method.m]\ntrain.lambda_w = [0.1, 1.0]\n[method.n]\ntrain.batch = 3\n";

/// Rows with a number of their own: 7 to train on, 4 to test.
std::filesystem::path data_folder() {
  const auto folder = std::filesystem::temp_directory_path() / "concord-repeats-test";
  std::filesystem::create_directories(folder);
  int row = 1;
  for (const auto& [name, count] : {std::pair("train.csv", 7), std::pair("test.csv", 4)}) {
    std::ofstream file(folder / name);
    file << "number,other,red,blue\n";
    for (int i = 0; i < count; ++i, ++row) file << row << ",0.5," << row % 2 << "," << row / 2 % 2 << "\n";
  }
  return folder;
}

ComparePlan parse(const std::string& text) {
  return parse_comparison(text, "test.toml", data_folder(), {});
}

}  // namespace

TEST_CASE("redrawn rows are a partition with the sizes of the split, and differ from repeat to repeat") {
  kit::Rng rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto count = static_cast<int64_t>(2 + rng.below(60));
    const auto first = static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(count - 1)));
    const auto repeat = static_cast<int64_t>(2 + rng.below(9));
    const auto [train, test] = redrawn_rows(first, count, repeat);
    CHECK(static_cast<int64_t>(train.size()) == first);
    CHECK(static_cast<int64_t>(test.size()) == count - first);
    CHECK((std::is_sorted(train.begin(), train.end()) && std::is_sorted(test.begin(), test.end())));
    std::set<int64_t> all(train.begin(), train.end());
    all.insert(test.begin(), test.end());
    CHECK((static_cast<int64_t>(all.size()) == count && *all.begin() == 0 && *all.rbegin() == count - 1));
    CHECK(redrawn_rows(first, count, repeat).first == train);
    if (first > 10 && count - first > 10) CHECK(redrawn_rows(first, count, repeat + 1).first != train);
  }
  // Every row is tested about as often as any other.
  std::vector<int> tested(20, 0);
  for (int64_t repeat = 2; repeat < 2002; ++repeat)
    for (const int64_t row : redrawn_rows(15, 20, repeat).second) ++tested[static_cast<size_t>(row)];
  for (const int count : tested) CHECK(count == Approx(500).margin(120));
}

TEST_CASE("the first repeat has the given split, the others its rows drawn anew with their labels") {
  const ComparePlan plan = parse("[compare]\nrepeats = 4\n" + std::string(kDatasets) + kMethods);
  std::set<std::string> splits;
  for (const Cell& cell : plan.cells) {
    const Split split = split_of(cell.name, cell.training());
    REQUIRE(split.train.instances() == 7);
    REQUIRE(split.test.instances() == 4);
    std::set<int> numbers;
    std::string text;
    for (const Dataset* part : {&split.train, &split.test})
      for (int64_t i = 0; i < part->instances(); ++i) {
        const int number =
            static_cast<int>(part->X.is_sparse() ? part->X.sparse().coeff(i, 0) : part->X.dense()(i, 0));
        numbers.insert(number);
        text += std::to_string(number) + " ";
        CHECK((part->Y(0, i) > 0) == (number % 2 == 1));
        CHECK((part->Y(1, i) > 0) == (number / 2 % 2 == 1));
      }
    CHECK(numbers.size() == 11);
    splits.insert(text);
    if (cell.name.repeat == 1) CHECK(text == "1 2 3 4 5 6 7 8 9 10 11 ");
  }
  CHECK(splits.size() == 4);  // the same for all methods
}

TEST_CASE("repeats come after all first cells, which are as they are without them") {
  const std::string rest = "reveal = [0, 0.5]\n" + std::string(kDatasets) + kMethods;
  const ComparePlan once = parse("[compare]\n" + rest), again = parse("[compare]\nrepeats = 3\n" + rest);
  REQUIRE(once.cells.size() == 4);
  REQUIRE(again.cells.size() == 12);
  CHECK(again.outline.repeats == 3);
  std::set<std::string> folders;
  for (size_t i = 0; i < 12; ++i) {
    const Cell& cell = again.cells[i];
    folders.insert(cell.name.folder().string());
    CHECK(cell.name.repeat == static_cast<int64_t>(i / 4) + 1);
    CHECK(cell.name.row == once.cells[i % 4].name.row);
    CHECK(cell.name.column == once.cells[i % 4].name.column);
    CHECK(cell.training().reveal.empty() == (i >= 4));
    CHECK(to_json(cell_from_json(to_json(cell))) == to_json(cell));
    if (i < 4) CHECK(to_json(cell) == to_json(once.cells[i]));
  }
  CHECK(folders.size() == 12);
  CHECK(folders.contains("cells/a/m"));
  CHECK(folders.contains("repeats/a/m/3"));
  CHECK(to_json(outline_from_json(to_json(again.outline))) == to_json(again.outline));
  CHECK_FALSE(to_json(once.outline).contains("repeats"));  // as version 0.1 told it
  CHECK_FALSE(to_json(parse("[compare]\nrepeats = 1\n" + rest).outline).contains("repeats"));
  for (const char* wrong : {"0", "-1", "1001", "2.5", "\"five\"", "[2]"})
    CHECK_THROWS_WITH(parse("[compare]\nrepeats = " + std::string(wrong) + "\n" + rest),
                      Catch::Contains("test.toml:2") && Catch::Contains("repeats"));
  CHECK_THROWS_WITH(
      parse("[compare]\nrepeats = 2\n" + std::string(kDatasets) + "[method.m]\nscores.given = 1\n"),
      Catch::Contains("scores.given") && Catch::Contains("made for the given split"));
}

TEST_CASE("the quantile of Student's t") {
  const std::pair<int64_t, double> published[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},
                                                  {5, 2.5706},  {9, 2.2622},  {10, 2.2281}, {30, 2.0423},
                                                  {99, 1.9842}, {999, 1.9623}};
  for (const auto& [degrees, value] : published) CHECK(t_975(degrees) == Approx(value).margin(1e-4));
  for (int64_t degrees = 1; degrees < 200; ++degrees) CHECK(t_975(degrees) > t_975(degrees + 1));
}

TEST_CASE("intervals over trainings: of independent ones they cover the mean in 95 of 100 cases") {
  kit::Rng rng(11);
  int covered = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const size_t n = 2 + rng.below(9);
    std::vector<double> values(n);
    for (double& value : values) value = 0.3 + 0.05 * rng.normal();
    const PairedDifference mean = over_trainings(values, 0);
    covered += mean.range.low <= 0.3 && 0.3 <= mean.range.high;
    // A shift moves them, a scale widens them, and overlap of the splits makes them wider.
    const PairedDifference overlapping = over_trainings(values, 0.5);
    CHECK(overlapping.difference == mean.difference);
    CHECK(overlapping.error == Approx(mean.error * std::sqrt(1 + 0.5 * static_cast<double>(n))));
    std::vector<double> moved = values;
    for (double& value : moved) value = 2 * value - 1;
    CHECK(over_trainings(moved, 0).range.low == Approx(2 * mean.range.low - 1));
    CHECK(over_trainings(moved, 0).error == Approx(2 * mean.error));
    CHECK(mean.instances == static_cast<int64_t>(n));
  }
  CHECK(covered / 4000. == Approx(0.95).margin(0.015));
  CHECK(over_trainings({0.5, 0.5, 0.5}, 0.3).range.low == Approx(0.5));
}

TEST_CASE("trainings are taken together by split, and those that failed are left out") {
  Results results;
  results.outline.repeats = 3;
  results.outline.metric = "micro-f1";
  results.outline.baselines = {"base"};
  results.metric_is_loss = false;
  const auto add = [&](const std::string& method, int64_t repeat, double value,
                       Status status = Status::done) {
    TrainedCell cell{CellName::of(CellKind::training, "d", method, repeat), {}, {}, {}};
    cell.end.status = status;
    cell.result.instances = 200, cell.result.test_instances = 100;
    if (status == Status::done) cell.result.metrics = {{"micro-f1", value, {}}};
    (repeat == 1 ? results.cells : results.repeats).push_back(cell);
  };
  add("base", 1, .5), add("base", 2, .6), add("base", 3, .4);
  add("good", 1, .6), add("good", 2, .7), add("good", 3, .55);
  add("shaky", 1, .4), add("shaky", 2, 0, Status::failed), add("shaky", 3, .3);
  add("once", 1, .9), add("once", 2, 0, Status::pending), add("once", 3, 0, Status::failed);
  take_together(results);
  REQUIRE(results.cells[1].over);
  CHECK(results.cells[1].over->trainings == 3);
  CHECK(results.cells[1].over->metrics[0].value == Approx(1.85 / 3));
  REQUIRE(results.cells[1].over->versus.size() == 1);
  const PairedDifference versus = results.cells[1].over->versus[0].paired;  // as a loss
  CHECK(versus.difference == Approx(-.35 / 3));
  CHECK(versus.error == Approx(std::sqrt((1. / 3 + .5) * (2. / 3 * .05 * .05 * .5))));
  CHECK(versus.range.high < 0);
  CHECK(results.cells[0].over->versus.empty());
  CHECK(results.cells[2].over->trainings == 2);
  CHECK(results.cells[2].over->versus[0].paired.instances == 2);
  CHECK(results.cells[2].over->versus[0].paired.difference == Approx(.1));
  CHECK_FALSE(results.cells[3].over);
  CHECK(results.count(Status::failed) == 2);
  const Json json = to_json(results);
  CHECK(json.at("repeats") == 3);
  CHECK(json.at("further_trainings").size() == 8);
  CHECK(to_json(results_from_json(json)) == json);
}

TEST_CASE("means over trainings take the place of single values, and say so") {
  const Json json = with_repeats(sample_results({2, 4, 3, 0, false, false}), 4);
  const Results results = results_from_json(json);
  REQUIRE(to_json(results) == json);
  const std::string page = report::report_html(results), tables = report::markdown_tables(results),
                    latex = report::latex_tables(results), csv = report::results_csv(results),
                    text = report::results_text(results);
  require_clean_page(page);
  for (const std::string* each : {&page, &tables, &latex, &text}) CHECK(contains(*each, "over trainings"));
  for (const std::string* each : {&tables, &latex, &text}) CHECK_FALSE(contains(*each, "bootstrap"));
  CHECK(contains(page, "<section id=\"trainings\">"));
  CHECK(count(csv, "\r\n") == 1 + 8 * 4);
  const std::string summary = report::trainings_csv(results);
  size_t rows = 1;
  for (const TrainedCell& cell : results.cells) {
    REQUIRE(cell.over);
    rows += cell.over->metrics.size();
    const MetricValue& mean = *metric_of(cell.over->metrics, "example-f1-loss");
    CHECK(contains(tables, report::fixed(mean.value)));
    CHECK(contains(tables, report::range_text(mean.interval)));
    CHECK(contains(text, fmt::format("{:.4f}", mean.value)));
    CHECK(contains(summary, fmt::format("{}", Json(mean.value).dump())));
    const bool whole = cell.over->trainings == 4;
    if (!whole) CHECK(contains(tables, fmt::format("({} of 4", cell.over->trainings)));
  }
  CHECK(count(summary, "\r\n") == rows);
}

}  // namespace concord::repeats_test
