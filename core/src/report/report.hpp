// SPDX-License-Identifier: MIT
#pragma once
// What is written of a comparison, each a function of its results alone.
#include <filesystem>
#include <string>
#include <vector>

#include "compare/results.hpp"

namespace concord::report {

/// One HTML page with everything inside: tables, figures as static SVG, a script that sorts and shows what is
/// under the pointer. Its policy forbids every request and every other script.
std::string report_html(const compare::Results& results);

/// RFC 4180, every method cell a row: all metrics with their intervals, what was selected, times, provenance.
std::string results_csv(const compare::Results& results);
/// RFC 4180, a row for every cell and metric over its trainings; a head alone if nothing is repeated.
std::string trainings_csv(const compare::Results& results);
/// RFC 4180, a row for every problem and solver.
std::string solves_csv(const compare::Results& results);
/// RFC 4180, a row for every cell and share of labels that were revealed.
std::string reveal_csv(const compare::Results& results);
/// No times or dates: two runs of a comparison give the same text.
std::string markdown_tables(const compare::Results& results);
/// The tables of markdown_tables for booktabs, as tabular environments with their notes.
std::string latex_tables(const compare::Results& results);

/// Writes results.json and all of the above to the folder; solves.csv, reveal.csv and trainings.csv only if they have rows.
void write_results(const std::filesystem::path& folder, const compare::Results& results);

/// For a terminal: the metric of every cell, the solvers, and why cells failed.
std::string results_text(const compare::Results& results);
/// One answer for a terminal.
std::string answer_text(const compare::Answer& answer);
}  // namespace concord::report
