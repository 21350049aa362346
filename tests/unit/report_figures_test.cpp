// SPDX-License-Identifier: MIT
// What tables and figures of a report are made of: text, axes, and the order of labels.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include <concord/kit/rng.hpp>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report_figures_test {

TEST_CASE("text is cleaned once and for all") {
  kit::Rng rng(4);
  for (int round = 0; round < 2000; ++round) {  // cleaning a clean text changes nothing
    std::string text;
    for (size_t i = 0; i < 20; ++i) text += static_cast<char>(rng.below(256));
    REQUIRE(clean(clean(text)) == clean(text));
  }
  REQUIRE(clean("plain\tand\n日本") == "plain\tand\n日本");
  REQUIRE(clean("\xff") == "\xef\xbf\xbd");
  REQUIRE(clean("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  REQUIRE(clean("\xe2\x80\xaex") == "\xef\xbf\xbdx");                        // turns the direction
  REQUIRE(report::with_sign(-.0004) == "0.000");
  REQUIRE(report::with_sign(-.0006) == "-0.001");
  REQUIRE(report::with_sign(.0006) == "+0.001");
  REQUIRE(shortened("日本語", 3) == "日本語");
  REQUIRE(shortened("日本語の", 3) == "日本…");
}

TEST_CASE("axes cover their data with few ticks") {
  kit::Rng rng(5);
  for (int round = 0; round < 2000; ++round) {
    const double size = std::pow(10, 12 * rng.uniform() - 6);
    const double low = size * rng.normal(), high = round % 10 == 0 ? low : low + size * rng.uniform();
    const auto linear = svg::Scale::linear(low, high, 40, 400);
    REQUIRE(linear.ticks().size() >= 2);
    REQUIRE(linear.ticks().size() <= 8);
    REQUIRE(linear.ticks().front().at <= low + 1e-9 * size);
    REQUIRE(linear.ticks().back().at >= high - 1e-9 * size);
    const double start = std::exp(10 * rng.normal());
    const double end = round % 10 == 0 ? start : start * std::exp(5 * std::abs(rng.normal()));
    const auto log = svg::Scale::logarithmic(start, end, 40, 400);
    INFO(start << " " << end);
    REQUIRE_FALSE(log.ticks().empty());
    REQUIRE(log.ticks().size() <= 8);
    for (const auto* scale : {&linear, &log}) {
      std::set<std::string> texts;
      for (size_t t = 0; t < scale->ticks().size(); ++t) {
        texts.insert(scale->ticks()[t].text);
        REQUIRE((*scale)(scale->ticks()[t].at) >= 40 - 1e-6);
        REQUIRE((*scale)(scale->ticks()[t].at) <= 400 + 1e-6);
        if (t > 0) REQUIRE((*scale)(scale->ticks()[t].at) > (*scale)(scale->ticks()[t - 1].at));
      }
      REQUIRE(texts.size() == scale->ticks().size());
    }
    REQUIRE(linear(low) < linear(high) + 1e-9);
    for (const double at : {linear(low), linear(high), log(start), log(end)}) {
      REQUIRE(at >= 40 - 1e-6);
      REQUIRE(at <= 400 + 1e-6);
    }
    REQUIRE(log(start) <= log(end));
  }
  REQUIRE(svg::Scale::linear(.347, .386, 0, 1).ticks()[1].text == "0.35");
  REQUIRE(svg::power_of_ten(-6) == "10⁻⁶");
}

TEST_CASE("labels that attract become neighbours") {
  kit::Rng rng(9);
  const auto cost = [](const Eigen::MatrixXd& W, const std::vector<size_t>& position) {
    double sum = 0;
    for (int64_t i = 0; i < W.rows(); ++i)
      for (int64_t j = 0; j < i; ++j)
        sum += W(i, j) * std::abs(static_cast<double>(position[static_cast<size_t>(i)]) -
                                  static_cast<double>(position[static_cast<size_t>(j)]));
    return sum;
  };
  for (int64_t n = 0; n < 25; ++n) {
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) W(i, j) = W(j, i) = rng.normal();
    std::vector<size_t> given(static_cast<size_t>(n));
    for (size_t i = 0; i < given.size(); ++i) given[i] = i;
    const auto position = report::arrange(W);
    REQUIRE(std::is_permutation(position.begin(), position.end(), given.begin()));
    REQUIRE(cost(W, position) <= cost(W, given));
    for (size_t i = 0; i < given.size(); ++i)  // no swap is better
      for (size_t j = 0; j < i; ++j) {
        auto swapped = position;
        std::swap(swapped[i], swapped[j]);
        REQUIRE(cost(W, swapped) >= cost(W, position) - 1e-6);
      }
  }
}

TEST_CASE("mean ranks, their critical difference, and which methods it leaves together") {
  compare::Results results;
  results.outline.metric = "example-f1-loss";
  // Ranks of a, b, c: 1, 2, 3 five times; then a tie of a and b.
  const std::vector<std::vector<double>> losses = {{.1, .2, .3}, {.2, .3, .9}, {.1, .5, .6},
                                                   {.3, .4, .5}, {0, .1, .2},  {.2, .2, .4}};
  for (size_t d = 0; d < losses.size(); ++d) {
    results.outline.datasets.emplace_back().name = fmt::format("d{}", d);
    for (size_t m = 0; m < 3; ++m) {
      compare::TrainedCell& cell = results.cells.emplace_back();
      cell.name = {compare::CellKind::training, fmt::format("d{}", d), std::string(1, "abc"[m]), ""};
      cell.end.status = compare::Status::done;
      cell.result.metrics.push_back({"example-f1-loss", losses[d][m], {}});
    }
  }
  for (const char* name : {"a", "b", "c"}) results.outline.methods.emplace_back().name = name;
  using Catch::Matchers::Contains;
  const std::string text = report::ranks_section(report::ResultsView(results));
  CHECK_THAT(text, Contains("over 6 datasets") && Contains("critical difference 1.35"));  // 2.343 sqrt(12/36)
  CHECK_THAT(text, Contains("a (1.08)") && Contains("b (1.92)") && Contains("c (3.00)"));
  size_t bars = 0;  // a with b, and b with c
  for (size_t at = text.find("\"alike\""); at != std::string::npos; at = text.find("\"alike\"", at + 1))
    ++bars;
  CHECK(bars == 2);

  results.cells[17].result.metrics.clear();  // five datasets are enough, and no place for what has no value
  CHECK_THAT(report::ranks_section(report::ResultsView(results)), Contains("over 5 datasets"));
  results.cells[0].end.status = compare::Status::failed;
  results.cells[0].result.metrics.clear();
  CHECK(report::ranks_section(report::ResultsView(results)).empty());
}

}  // namespace concord::report_figures_test
