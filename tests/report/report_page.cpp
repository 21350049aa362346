// SPDX-License-Identifier: MIT
// Writes what `concord compare` would write beside its results: of the sample, of a large one, or of a given file.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "report/report.hpp"
#include "report/tables.hpp"
#include "tests/report/sample_results.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: report-page DIR sample|large|RESULTS.json\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::string what = argv[2];
  nlohmann::ordered_json results;
  if (what == "sample") {
    results = concord::test::sample_results();
  } else if (what == "large") {
    results = concord::test::sample_results({4, 50, 100, 200, true, true});
  } else {
    std::ifstream file(what);
    results = nlohmann::ordered_json::parse(file);
  }
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    fmt::print("{} {}\n", (folder / name).string(), text.size());
    if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}", (folder / name).string()));
  };
  write("report.html", concord::report_html(results));
  write("tables.md", concord::markdown_tables(results));
  write("tables.tex", concord::latex_tables(results));
  write("results.csv", concord::results_csv(results));
  write("solves.csv", concord::solves_csv(results));
}
