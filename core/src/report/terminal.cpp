// SPDX-License-Identifier: MIT
// The results on a terminal, and the files beside them.
#include <algorithm>
#include <cmath>

#include "base/files.hpp"
#include "base/text.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace concord::report {
namespace {

using compare::Results;
using compare::SolvedCell;
using compare::TrainedCell;
using Strings = std::vector<std::string>;

std::string number_or(double number, const char* otherwise, fmt::format_string<double&> form) {
  return std::isfinite(number) ? fmt::format(form, number) : otherwise;
}

/// As text, so that all that read the same are best.
bool is_best(const ResultsView& view, const CellView& cell) {
  const auto value = [&](const CellView& one) {
    return (view.metric_is_loss ? 1 : -1) * std::stod(fmt::format("{:.4f}", one.value));
  };
  return std::none_of(view.cells.begin(), view.cells.end(), [&](const CellView& other) {
    return other.dataset() == cell.dataset() && other.done() && value(other) < value(cell);
  });
}

Strings row_of(const ResultsView& view, const CellView& cell) {
  if (!cell.done()) return {cell.dataset(), cell.method(), name_of(cell.end().status), "", "", "-"};
  std::string interval = fmt::format("{:.4f} .. {:.4f}", cell.interval.low, cell.interval.high);
  if (view.is_repeated() && !cell.interval.known()) interval = "-";
  if (const std::string missing = view.trainings_text(cell); !missing.empty())
    interval += ", " + missing + " trainings";
  return {cell.dataset(),
          cell.method(),
          fmt::format("{:.4f}", cell.value),
          is_best(view, cell) ? "*" : "",
          interval,
          number_or(cell.result().train_seconds, "-", "{:.1f}")};
}

Strings row_of(const SolvedCell& solve) {
  if (!solve.end.done())
    return {solve.name.row, solve.name.column, name_of(solve.end.status), "-", "-", "-", "-"};
  const compare::SolveSummary summary = solve.summary.value_or(compare::SolveSummary{});
  return {solve.name.row,
          solve.name.column,
          fmt::format("{} of {}", summary.solved, solve.result.results.size()),
          fmt::format("{}", summary.best),
          number_or(summary.bound_excess, "-", "{:.2e}"),
          number_or(summary.value_shortfall, "-", "{:.2e}"),
          number_or(summary.seconds, "-", "{:.2e}")};
}

}  // namespace

std::string results_text(const Results& results) {
  std::string text, failures;
  const auto note = [&](const compare::CellName& name, const compare::CellEnd& end) {
    if (end.status == compare::Status::failed) failures += fmt::format("  {}: {}\n", name.id, end.reason);
  };
  if (!results.cells.empty()) {
    const ResultsView view(results);
    std::vector<Strings> rows = {
        {"dataset", "method", results.outline.metric, "", "95 % interval", "seconds"}};
    for (const CellView& cell : view.cells) {
      rows.push_back(row_of(view, cell));
      note(cell.cell->name, cell.end());
    }
    for (const TrainedCell& repeat : results.repeats) note(repeat.name, repeat.end);
    text += table(rows, 2);
    if (view.is_repeated())
      text += fmt::format("means of {} trainings on the given split and on splits drawn anew; {}\n",
                          results.outline.repeats, kOverTrainings);
  }
  if (!results.solves.empty()) {
    std::vector<Strings> rows = {
        {"problems", "solver", "solved", "best", "bound excess", "value shortfall", "seconds"}};
    for (const SolvedCell& solve : results.solves) {
      rows.push_back(row_of(solve));
      note(solve.name, solve.end);
    }
    text += (text.empty() ? "" : "\n") + table(rows, 2);
  }
  return text + (failures.empty() ? "" : "\nfailed:\n" + failures);
}

std::string answer_text(const compare::Answer& answer) {
  if (const auto* trained = std::get_if<compare::TrainingResult>(&answer)) {
    std::string text;
    for (const compare::MetricValue& metric : trained->metrics)
      text += fmt::format("{:<19}{:>7.4f}\n", metric.name, metric.value);
    return text;
  }
  std::vector<Strings> rows = {{"problem", "status", "value", "bound"}};
  for (const compare::ProblemResult& r : std::get<compare::SolverResult>(answer).results)
    rows.push_back({r.problem, r.status, number_or_null(r.value).dump(), number_or_null(r.bound).dump()});
  return table(rows, 2);
}

void write_results(const std::filesystem::path& folder, const Results& results) {
  compare::write_json(folder / "results.json", to_json(results));
  write_file_atomically(folder / "results.csv", results_csv(results));
  if (!results.solves.empty()) write_file_atomically(folder / "solves.csv", solves_csv(results));
  if (std::any_of(results.cells.begin(), results.cells.end(),
                  [](const TrainedCell& cell) { return !cell.result.reveal.empty(); }))
    write_file_atomically(folder / "reveal.csv", reveal_csv(results));
  if (std::any_of(results.cells.begin(), results.cells.end(),
                  [](const TrainedCell& cell) { return cell.over.has_value(); }))
    write_file_atomically(folder / "trainings.csv", trainings_csv(results));
  write_file_atomically(folder / "tables.md", markdown_tables(results));
  write_file_atomically(folder / "tables.tex", latex_tables(results));
  write_file_atomically(folder / "report.html", report_html(results));
}

}  // namespace concord::report
