// SPDX-License-Identifier: MIT
#pragma once
// The files that `concord compare` writes beside its results, each a function of the results alone. Fault::input
// if those are not what `concord compare` writes.
#include <nlohmann/json.hpp>
#include <string>

namespace concord {

/// RFC 4180, every method cell a row: all metrics with their intervals, what was selected, times, provenance.
std::string results_csv(const nlohmann::ordered_json& results);
/// RFC 4180, a row for every problem and solver.
std::string solves_csv(const nlohmann::ordered_json& results);
/// No times or dates: two runs of a comparison give the same text.
std::string markdown_tables(const nlohmann::ordered_json& results);
/// The same tables for booktabs, as tabular environments with their notes.
std::string latex_tables(const nlohmann::ordered_json& results);

}  // namespace concord
