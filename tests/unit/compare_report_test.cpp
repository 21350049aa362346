// SPDX-License-Identifier: MIT
// What is written of a comparison: CSV, Markdown, LaTeX and HTML, with names that try to break out of them.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"
#include "tests/report/page_checks.hpp"
#include "tests/report/sample_results.hpp"

namespace concord::compare_report_test {

using namespace std::string_literals;
using Json = nlohmann::ordered_json;
using namespace test;

namespace {

std::string report_html(const Json& json) {
  return report::report_html(compare::results_from_json(json));
}
std::string results_csv(const Json& json) {
  return report::results_csv(compare::results_from_json(json));
}
std::string solves_csv(const Json& json) {
  return report::solves_csv(compare::results_from_json(json));
}
std::string markdown_tables(const Json& json) {
  return report::markdown_tables(compare::results_from_json(json));
}
std::string latex_tables(const Json& json) {
  return report::latex_tables(compare::results_from_json(json));
}

const SampleShape small{2, 4, 3, 4, false, false};

const Strings nasty = {"<script>alert(1)</script>",
                       "\"><img src=x onerror=alert(1)>",
                       "' onmouseover='alert(1)",
                       "]]></style></title></svg><script>",
                       "<!--",
                       "--> & &amp; &#60;",
                       "nul\0byte"s,
                       "bell\a and escape\x1b[31m",
                       "not utf-8: \xff\xfe\xc3( \xed\xa0\x80 \xf5\x80\x80\x80 \xc0\xaf",
                       "\xe2\x80\xae right to left",
                       "a,b;\"c\"\r\nd\ne",
                       "100% of $x_i^2$ & {y} ~ #1 \\\\ \\end{tabular} [2pt] *",
                       "| pipe | `code` **bold** [link](http://example.org) ~~x~~",
                       "=1+1",
                       std::string(300, 'x'),
                       "größer als 日本語"};

/// The metric of a cell, changed.
void set_value(Json& cell, const Json& value) {
  cell["metrics"]["example-f1-loss"] = value;
  cell["intervals"]["example-f1-loss"] = Json::array({value, value});
}

/// Every name in the results is one of these: a name is changed everywhere, so that cells still find theirs.
Json renamed(Json results, const std::function<std::string(const std::string&)>& rename) {
  const auto change = [&](Json& object, const char* key) {
    if (object[key].is_string()) object[key] = rename(object[key].get<std::string>());
  };
  change(results, "title");
  change(results, "metric");
  for (Json& baseline : results["baselines"]) baseline = rename(baseline.get<std::string>());
  change(results, "convention");
  for (const char* key : {"version", "processor", "system"}) change(results["host"], key);
  for (const char* key : {"file", "text"}) change(results["config"], key);
  for (const char* list : {"datasets", "methods", "problem_sets", "solvers"})
    for (Json& item : results[list]) change(item, "name");
  for (Json& method : results["methods"]) change(method, "method");
  change(results["reference"], "name");
  Json values;
  for (auto& [method, by_dataset] : results["reference"]["values"].items())
    for (auto& [dataset, value] : by_dataset.items()) values[rename(method)][rename(dataset)] = value;
  results["reference"]["values"] = values;
  for (Json& cell : results["cells"]) {
    for (const char* key : {"id", "dataset", "method", "reason", "key", "started"}) change(cell, key);
    if (!cell.contains("metrics")) continue;
    for (const char* key : {"metrics", "intervals", "selected", "versus"}) {
      Json changed = Json::object();
      for (auto& [name, value] : cell[key].items()) changed[rename(name)] = value;
      cell[key] = changed;
    }
    for (Json& plugin : cell["plugins"]) change(plugin, "version");
    cell["config"]["train"]["loss"] = rename("loss");
    if (cell["prior"].is_null()) continue;
    for (const char* key : {"rule", "decoder"}) change(cell["examples"], key);
    for (Json& example : cell["examples"]["examples"])
      for (Json& label : example["labels"]) {
        change(label, "label");
        for (const char* list : {"score_from", "prior_from"})
          for (Json& part : label[list]) change(part, "name");
      }
    for (Json& name : cell["prior"]["names"]) name = rename(name.get<std::string>());
    for (Json& pair : cell["prior"]["strongest"]) {
      change(pair, "a");
      change(pair, "b");
    }
  }
  for (Json& solve : results["solves"]) {
    for (const char* key : {"id", "problems", "solver", "reason"}) change(solve, key);
    if (solve.contains("results"))
      for (Json& result : solve["results"]) {
        change(result, "problem");
        result["message"] = rename("message");
      }
  }
  return results;
}

}  // namespace

TEST_CASE("names cannot break out of any format") {
  SampleShape shape = small;
  shape.flawed = true;
  const Json plain = sample_results(shape);
  Json failing = plain;
  failing["cells"][1] = {{"id", "x"},          {"dataset", "yeast"},  {"method", "modular"},
                         {"status", "failed"}, {"reason", "crashed"}, {"key", "k"}};
  kit::Rng rng(3);
  const std::string alphabet =
      "<>&\"'/=\n\r\t,;|\\{}[]()$%#_^~*`!-\0\x1f\x7f\x80\xc3\xff ab"s;  // with its zero byte
  for (size_t round = 0; round < nasty.size() + 24; ++round) {
    const auto rename = [&](const std::string& name) {
      if (round < nasty.size()) return name + nasty[round];
      kit::Rng own(kit::derive(round, std::hash<std::string>{}(name)));
      std::string text;
      for (size_t i = 0; i < 12; ++i) text += alphabet[own.below(alphabet.size())];
      return text;
    };
    const Json results = renamed(failing, rename);
    INFO("round " << round);
    require_clean_page(report_html(results));
    require_sound_latex(latex_tables(results));
    require_sound_markdown(markdown_tables(results));
    const Json several = with_repeats(results, 3);
    require_clean_page(report_html(several));
    require_sound_latex(latex_tables(several));
    require_sound_markdown(markdown_tables(several));
    const auto trainings = parse_csv(report::trainings_csv(compare::results_from_json(several)));
    const auto cells = parse_csv(results_csv(results)), solves = parse_csv(solves_csv(results));
    REQUIRE(cells.size() == 1 + results["cells"].size());
    for (const auto* table : {&cells, &solves, &trainings})
      for (const Strings& record : *table) REQUIRE(record.size() == table->front().size());
    for (size_t c = 0; c < results["cells"].size(); ++c) {
      const std::string name = clean(results["cells"][c]["dataset"].get<std::string>());
      const bool formula = name.find_first_of("=+-@\t") == 0;  // an apostrophe makes text of it
      REQUIRE(cells[c + 1][1] == (formula ? "'" + name : name));
    }
  }
}

TEST_CASE("the best of a row is marked, with all that read the same") {
  Json results = sample_results(small);
  set_value(results["cells"][0], .4);
  set_value(results["cells"][1], .3501);
  set_value(results["cells"][2], .3504);
  set_value(results["cells"][3], .3506);
  const std::string text = markdown_tables(results);
  REQUIRE(count(text, "**0.350** ★") == 2);
  REQUIRE(contains(text, "| 0.351 "));
  REQUIRE(count(latex_tables(results), "\\textbf{0.350}$^{\\star}$") == 2);
  REQUIRE(count(report_html(results), "<b>0.350</b>") == 2);

  results["metric_is_loss"] = false;  // now the largest
  REQUIRE(contains(markdown_tables(results), "**0.400** ★"));
  REQUIRE(count(markdown_tables(results), "**0.350** ★") == 0);
}

TEST_CASE("cells without a value") {
  Json results = sample_results(small);
  const auto unfinished = [&](size_t c, const char* status, const Json& reason) {
    const Json& cell = results["cells"][c];
    results["cells"][c] = {{"id", cell["id"]}, {"dataset", cell["dataset"]}, {"method", cell["method"]},
                           {"status", status}, {"reason", reason},           {"key", ""}};
  };
  unfinished(1, "failed", "crashed with SIGSEGV");
  unfinished(2, "pending", nullptr);
  set_value(results["cells"][3], nullptr);
  set_value(results["cells"][0], std::nan(""));
  Json& prior = results["cells"].back()["prior"];
  prior["matrix"][1][0] = std::nan("");
  prior["strongest"][0]["value"] = INFINITY;
  prior["strongest"][1]["value"] = nullptr;
  const std::string text = markdown_tables(results), page = report_html(results);
  REQUIRE(contains(text, "failed (1)"));
  REQUIRE(contains(text, "(1) crashed with SIGSEGV"));
  REQUIRE(contains(text, "| n/a (ref. 0.39) | failed (1) | – (ref. 0.40) | n/a (ref. 0.40) |"));
  REQUIRE(contains(page, R"(<abbr title="crashed with SIGSEGV">failed</abbr>)"));
  REQUIRE_FALSE(std::regex_search(page, std::regex("\\bnan\\b")));
  REQUIRE(contains(latex_tables(results), "failed$^{1}$"));
  const auto cells = parse_csv(results_csv(results));
  REQUIRE(cells[2][3] == "failed");
  REQUIRE(cells[2][4] == "crashed with SIGSEGV");
  REQUIRE(cells[1][5].empty());

  SECTION("none has one") {
    for (size_t c = 0; c < results["cells"].size(); ++c) unfinished(c, "pending", nullptr);
    require_clean_page(report_html(results));
    REQUIRE(count(report_html(results), "★") == 0);
  }
}

TEST_CASE("every number has its place") {
  Json results = sample_results(small);
  Json& cell = results["cells"][2];
  const auto cells = parse_csv(results_csv(results));
  const auto field = [&](const char* name) {
    const auto at = std::find(cells[0].begin(), cells[0].end(), name);
    REQUIRE(at != cells[0].end());
    return cells[3][static_cast<size_t>(at - cells[0].begin())];
  };
  REQUIRE(std::stod(field("example-f1-loss")) == cell["metrics"]["example-f1-loss"]);
  REQUIRE(std::stod(field("example-f1-loss-low")) == cell["intervals"]["example-f1-loss"][0]);
  REQUIRE(std::stod(field("micro-f1")) == cell["metrics"]["micro-f1"]);
  REQUIRE(std::stod(field("difference-to-ovr-high")) == cell["versus"]["ovr"]["high"]);
  REQUIRE(std::stod(field("train-seconds")) == cell["seconds"]["train"]);
  REQUIRE(field("prior-helped") == "cannot be told");
  REQUIRE(Json::parse(field("config")) == cell["config"]);
  REQUIRE(Json::parse(field("plugins")) == cell["plugins"]);
  REQUIRE(field("processor") == cell["host"]["processor"]);

  const auto solves = parse_csv(solves_csv(results));
  REQUIRE(solves.size() == 1 + 2 * (4 * small.problems + 1));  // five solvers on two sets; one of them failed
}

TEST_CASE("the curve over known labels: a row for each cell and share, and a mark in the picture") {
  Json results = sample_results(small);
  const Json& cell = results["cells"][2];
  const auto rows = parse_csv(report::reveal_csv(compare::results_from_json(results)));
  REQUIRE(rows.size() == 1 + 10 * results["cells"].size());
  REQUIRE(rows[0] == Strings{"id", "dataset", "method", "metric", "known", "value", "low", "high"});
  const Strings& row = rows[1 + 2 * 10 + 3];
  REQUIRE(row[2] == cell["method"]);
  REQUIRE(std::stod(row[4]) == cell["reveal"][3]["share"]);
  REQUIRE(std::stod(row[5]) == cell["reveal"][3]["value"]);
  REQUIRE(std::stod(row[6]) == cell["reveal"][3]["interval"][0]);
  REQUIRE(std::stod(row[7]) == cell["reveal"][3]["interval"][1]);
  REQUIRE(count(report_html(results), "class=\"band ") == results["cells"].size());

  // A value or an interval that is missing leaves a gap, not a NaN.
  results["cells"][0]["reveal"][4]["value"] = nullptr;
  results["cells"][1]["reveal"][4]["interval"] = nullptr;
  const std::string page = report_html(results);
  require_clean_page(page);
  REQUIRE_FALSE(std::regex_search(page, std::regex("\\bnan\\b")));
  REQUIRE(compare::results_from_json(results).cells[2].result.reveal.size() == 10);
}

TEST_CASE("a ranking's best is the least or the most, as the metric has it") {
  Json results = sample_results(small);
  for (size_t c = 0; c < results["cells"].size(); ++c) {
    results["cells"][c]["metrics"]["ranking-loss"] = .25 + .125 * static_cast<double>(c % 4);
    results["cells"][c]["metrics"]["ndcg-at-3"] = .25 + .125 * static_cast<double>(c % 4);
  }
  const std::string page = report_html(results);
  const std::string section = page.substr(page.find("<section id=\"ranking\">"));
  REQUIRE(count(section, "<b>0.250</b>") == 2);  // on both datasets
  REQUIRE(count(section, "<b>0.625</b>") == 2);
}

TEST_CASE("verdicts on differences") {
  Json results = sample_results(small);
  const auto with = [&](double low, double high) {
    results["cells"][1]["versus"]["ovr"] = {
        {"difference", (low + high) / 2}, {"error", .01}, {"low", low}, {"high", high}, {"instances", 9}};
    return report_html(results);
  };
  const std::regex row(R"re(<tr><th scope="row">yeast</th><td class="name">modular</td>[^\n]*)re");
  const auto verdict = [&](const std::string& page) {
    std::smatch match;
    REQUIRE(std::regex_search(page, match, row));
    return match.str();
  };
  REQUIRE(contains(verdict(with(-.03, -.01)), R"(<td class="better">better</td>)"));
  REQUIRE(contains(verdict(with(.01, .03)), R"(<td class="worse">worse</td>)"));
  REQUIRE(contains(verdict(with(-.03, .01)), "no significant difference"));
  REQUIRE(contains(verdict(with(-.03, 0)), "no significant difference"));
}

TEST_CASE("what is not there has no section") {
  const auto sections = [](const Json& results) {
    std::set<std::string> ids;
    const std::string page = report_html(results);
    const std::regex id("<section id=\"(\\w+)\">");
    for (std::sregex_iterator at(page.begin(), page.end(), id); at != std::sregex_iterator(); ++at) {
      ids.insert((*at)[1]);
      REQUIRE(contains(page, "<a href=\"#" + (*at)[1].str() + "\">"));
    }
    require_clean_page(page);
    return ids;
  };
  using Ids = std::set<std::string>;
  Json results = sample_results(small);
  REQUIRE(sections(results) == Ids{"glance", "results", "cells", "baseline", "help", "known", "ranking",
                                   "pareto", "convergence", "solvers", "prior", "examples", "provenance"});
  REQUIRE(sections(with_repeats(results, 2)).contains("trainings"));
  Json no_solvers = results;
  for (const char* list : {"problem_sets", "solvers", "solves"}) no_solvers[list] = Json::array();
  REQUIRE(sections(no_solvers).count("solvers") == 0);
  Json plain = no_solvers;
  plain["baselines"] = Json::array();
  plain["reference"] = nullptr;
  for (Json& cell : plain["cells"]) {
    cell["versus"] = cell["prior_helped"] = cell["prior"] = nullptr;
    cell["convergence"] = Json::array();
    for (const char* key : {"reveal", "examples"}) cell.erase(key);
    cell.erase("reliability");
    Json& metrics = cell["metrics"];
    metrics = {{"example-f1-loss", metrics["example-f1-loss"]}};
  }
  REQUIRE(sections(plain) == Ids{"glance", "results", "cells", "pareto", "provenance"});
  Json only_solvers = results;
  for (const char* list : {"cells", "datasets", "methods"}) only_solvers[list] = Json::array();
  only_solvers["baselines"] = Json::array();
  only_solvers["reference"] = nullptr;
  REQUIRE(sections(only_solvers) == Ids{"solvers", "provenance"});
  REQUIRE(count(markdown_tables(only_solvers), "\n## ") == 2);
  for (const char* list : {"problem_sets", "solvers", "solves"}) only_solvers[list] = Json::array();
  REQUIRE(sections(only_solvers) == Ids{"provenance"});
  REQUIRE(parse_csv(results_csv(only_solvers)).size() == 1);
  require_sound_latex(latex_tables(only_solvers));
}

TEST_CASE("a bound below a value that was found is called out") {
  Json results = sample_results(small);
  REQUIRE_FALSE(contains(report_html(results), "It is no bound"));
  results["solves"][1]["results"][0]["bound"] = 1;
  REQUIRE(contains(report_html(results), "sdp: the bound lies below a value that was found, in 1 problem"));
}

TEST_CASE("200 cells with priors of 159 labels stay below 3 MB") {
  REQUIRE(report_html(sample_results({4, 50, 100, 200, true, true})).size() < 3'000'000);
  REQUIRE(report_html(sample_results({200, 1, 100, 200, true, true})).size() < 3'000'000);
}

TEST_CASE("the same results, the same files; other times, the same tables") {
  const Json results = sample_results(small);
  REQUIRE(report_html(results) == report_html(sample_results(small)));
  REQUIRE(results_csv(results) == results_csv(sample_results(small)));
  Json later = results;
  later["created"] = "2027-01-01T00:00:00Z";
  later["host"]["processor"] = "another";
  for (Json& cell : later["cells"]) {
    cell["seconds"]["train"] = 1234.5;
    cell["peak_mib"] = 9999;
    cell["started"] = "2027-01-01T00:00:00Z";
  }
  for (Json& solve : later["solves"])
    if (solve.contains("results"))
      for (Json& result : solve["results"]) result["seconds"] = 99;
  REQUIRE(markdown_tables(later) == markdown_tables(results));
  REQUIRE(latex_tables(later) == latex_tables(results));
  REQUIRE(report_html(later) != report_html(results));
}

TEST_CASE("results that are none are refused") {
  const auto refusal = [](const Json& results) {
    try {
      report_html(results);
    } catch (const Error& e) {
      REQUIRE(e.kind() == Fault::input);
      return std::string(e.what());
    }
    FAIL("accepted");
    return std::string();
  };
  Json results = sample_results(small);
  results["version"] = 2;
  REQUIRE(contains(refusal(results), "version '2'"));
  results = sample_results(small);
  results["cells"][0]["status"] = "odd";
  REQUIRE(contains(refusal(results), "status 'odd'"));
  results.erase("cells");
  REQUIRE(contains(refusal(results), "'cells'"));
  REQUIRE(contains(refusal(Json::array()), "not a concord-comparison"));
}

}  // namespace concord::compare_report_test
