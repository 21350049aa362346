// SPDX-License-Identifier: MIT
// Writes what `concord compare` would write beside its results: of the sample, of a large one, or of a given file.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "report/report.hpp"
#include "tests/report/sample_results.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: report-page DIR sample|large|ranks|repeats|RESULTS.json\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::string what = argv[2];
  nlohmann::ordered_json results;
  if (what == "sample") {
    results = concord::test::sample_results();
  } else if (what == "large") {
    results = concord::test::sample_results({4, 50, 100, 200, true, true});
  } else if (what == "repeats") {
    results = concord::test::with_repeats(concord::test::sample_results({3, 9, 40, 0, false, true}), 5);
  } else if (what == "ranks") {
    results = concord::test::sample_results({6, 7, 40, 0, false, false});
  } else {
    std::ifstream file(what);
    results = nlohmann::ordered_json::parse(file);
  }
  const concord::compare::Results read = concord::compare::results_from_json(results);
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    fmt::print("{} {}\n", (folder / name).string(), text.size());
    if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}", (folder / name).string()));
  };
  write("report.html", concord::report::report_html(read));
  write("tables.md", concord::report::markdown_tables(read));
  write("tables.tex", concord::report::latex_tables(read));
  write("results.csv", concord::report::results_csv(read));
  write("solves.csv", concord::report::solves_csv(read));
}
