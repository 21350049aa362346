// SPDX-License-Identifier: MIT
#include "report/tables.hpp"

#include <algorithm>
#include <cmath>

#include "report/parts.hpp"

namespace concord::report {
namespace {

const char* const nothing = "–";

std::vector<Column> method_columns(const ResultsView& view) {
  std::vector<Column> columns;
  for (const MethodColumn& method : view.methods)
    columns.push_back({method.name, method.group, method.within});
  return columns;
}

/// What is there to say of a cell without a value; nothing if it has one.
std::optional<Entry> absent(const CellView* cell) {
  Entry entry;
  entry.text = nothing;
  if (!cell || cell->end().status == Status::pending) return entry;
  if (cell->done()) return std::nullopt;
  entry.text = "failed";
  entry.why = failure_text(cell->end());
  return entry;
}

Entry metric_entry(const ResultsView& view, const std::string& dataset, const std::string& method) {
  const CellView* cell = view.find(dataset, method);
  const std::string known = view.reference_text(method, dataset);
  Entry entry;
  if (const auto missing = absent(cell))
    entry = *missing;
  else
    entry = {fixed(cell->value), range_text(cell->interval), "", "", view.marked(*cell)};
  if (cell != nullptr && cell->done()) entry.remark = view.trainings_text(*cell);
  if (!known.empty()) entry.remark += (entry.remark.empty() ? "ref. " : ", ref. ") + known;
  return entry;
}

Entry difference_entry(const CellView* cell) {
  if (const auto missing = absent(cell)) return *missing;
  if (!cell->versus) return {nothing, "", "", "", false};
  const Verdict verdict = verdict_of(*cell->versus);
  return {with_sign(cell->versus->difference), range_text(cell->versus->range, true),
          verdict == Verdict::neither ? "n.s." : verdict_words(verdict), "", false};
}

Entry plain_entry(std::string text) {
  return {std::move(text), "", "", "", false};
}

Entry help_entry(const CellView* cell) {
  if (const auto missing = absent(cell)) return *missing;
  if (!cell->result().prior_helped) return plain_entry(nothing);
  const PriorVerdict& verdict = *cell->result().prior_helped;
  if (!verdict.measured) return plain_entry("not measured");
  return {with_sign(verdict.difference, 4), "± " + fixed(verdict.error, 4),
          verdict.help == PriorVerdict::Help::yes    ? "helped"
          : verdict.help == PriorVerdict::Help::hurt ? "hurt"
                                                     : "cannot be told",
          "", false};
}

std::string measure_text(double value) {
  return std::isfinite(value) ? brief(value) : nothing;
}

}  // namespace

size_t Footnotes::number(const std::string& text) {
  const auto at = std::find(texts_.begin(), texts_.end(), text);
  const auto number = static_cast<size_t>(at - texts_.begin()) + 1;
  if (at == texts_.end()) texts_.push_back(text);
  return number;
}

Table metric_table(const ResultsView& view) {
  Table table{
      view.metric,
      fmt::format("{}; {} is better. Bold with a star: the best of the row as printed. {}.{}", view.metric,
                  view.metric_is_loss ? "smaller" : "larger",
                  view.is_repeated()
                      ? fmt::format("Means over {} trainings, or over as many as is said. In brackets: {}",
                                    view.outline.repeats, kOverTrainings)
                      : "In brackets: 95 % bootstrap intervals over test instances",
                  view.metric != view.outline.metric || !view.outline.reference ||
                          view.outline.reference->name.empty()
                      ? ""
                      : " ref.: " + view.outline.reference->name + "."),
      "dataset",
      method_columns(view),
      {}};
  for (const std::string& dataset : view.dataset_names()) {
    Row row{dataset, {}};
    for (const MethodColumn& method : view.methods)
      row.entries.push_back(metric_entry(view, dataset, method.name));
    table.rows.push_back(row);
  }
  return table;
}

Table difference_table(const ResultsView& view) {
  Table table{"Difference to " + view.baseline,
              fmt::format("Paired difference of {} to {} on the same {}, as a loss: negative is better. In "
                          "brackets: {}, each by itself (not corrected for their number). "
                          "n.s.: no significant difference, the interval contains 0.",
                          view.metric, view.baseline, view.is_repeated() ? "splits" : "test instances",
                          view.is_repeated() ? kOverTrainings : "95 % paired bootstrap intervals"),
              "dataset",
              {},
              {}};
  for (const MethodColumn& method : view.methods)
    if (method.name != view.baseline) table.columns.push_back({method.name, method.group, method.within});
  for (const std::string& dataset : view.dataset_names()) {
    Row row{dataset, {}};
    for (const MethodColumn& method : view.methods)
      if (method.name != view.baseline)
        row.entries.push_back(difference_entry(view.find(dataset, method.name)));
    table.rows.push_back(row);
  }
  return table;
}

Table prior_table(const ResultsView& view) {
  Table table{
      "Did the prior help?",
      "Each method against the same with A = 0, on validation data; + or - one standard error of the paired "
      "difference. \"yes\" and \"no, it hurt\" mean more than two of them.",
      "cell",
      {{"with A"}, {"A = 0"}, {"difference"}, {"did it help?", "", "", true}},
      {}};
  for (const CellView& cell : view.cells) {
    if (!cell.result().prior_helped) continue;
    const PriorVerdict& verdict = *cell.result().prior_helped;
    const std::string name = cell.dataset() + ", " + cell.method();
    if (!verdict.measured) {
      table.rows.push_back({name, std::vector<Entry>(3, plain_entry(nothing))});
      table.rows.back().entries.push_back(plain_entry(help_words(verdict)));
      continue;
    }
    const auto add = [&](const std::string& when, const PriorFigures& figures) {
      table.rows.push_back({name + when,
                            {plain_entry(fixed(figures.with, 4)), plain_entry(fixed(figures.without, 4)),
                             plain_entry(with_sign(figures.difference, 4) + " ± " + fixed(figures.error, 4)),
                             plain_entry(help_words(figures))}});
    };
    add(verdict.known > 0 ? fmt::format(", {:.3g} % of the labels known", 100 * verdict.known) : "", verdict);
    if (verdict.otherwise)
      add(verdict.known > 0 ? ", nothing known" : ", half of the labels known", *verdict.otherwise);
  }
  return table;
}

Table help_table(const ResultsView& view) {
  Table table{"Did the prior help?", "", "dataset", {}, {}};
  std::vector<std::string> methods;
  for (const MethodColumn& method : view.methods)
    if (std::any_of(view.cells.begin(), view.cells.end(), [&](const CellView& cell) {
          return cell.method() == method.name && cell.result().prior_helped.has_value();
        })) {
      table.columns.push_back({method.name, method.group, method.within});
      methods.push_back(method.name);
    }
  for (const std::string& dataset : view.dataset_names()) {
    Row row{dataset, {}};
    for (const std::string& method : methods) row.entries.push_back(help_entry(view.find(dataset, method)));
    table.rows.push_back(row);
  }
  return table;
}

Table dataset_table(const ResultsView& view) {
  Table table{
      "Datasets", "", "dataset", {{"training instances"}, {"test instances"}, {"features"}, {"labels"}}, {}};
  for (const compare::DatasetRecord& dataset : view.outline.datasets) {
    Row row{dataset.name, {}};
    for (const auto& count : {dataset.instances, dataset.test_instances, dataset.features, dataset.labels})
      row.entries.push_back(plain_entry(count ? fmt::format("{}", *count) : nothing));
    table.rows.push_back(row);
  }
  return table;
}

Table solver_table(const ResultsView& view, const std::string& problem_set) {
  Table table{
      "Solvers on " + problem_set,
      "Means over the problems. Bound excess: (bound - best) / max(1, |best|); value shortfall: (best - "
      "value) / max(1, |best|); best: the largest value that any of the solvers found.",
      "solver",
      {{"decoder", "", "", true},
       {"rounding", "", "", true},
       {"bound excess"},
       {"value shortfall"},
       {"gap"},
       {"proven optimal"},
       {"best found"}},
      {}};
  for (const SolveView& solve : solves_of(view.results, problem_set)) {
    Row row{solve.cell->name.column, {}};
    for (const std::string& plugin : {solve.solver.decoder, solve.solver.rounding})
      row.entries.push_back(plain_entry(plugin.empty() ? nothing : plugin));
    const std::optional<compare::SolveSummary>& summary = solve.cell->summary;
    const compare::SolveSummary known = summary.value_or(compare::SolveSummary{});
    for (const double measure : {known.bound_excess, known.value_shortfall, known.gap})
      row.entries.push_back(plain_entry(measure_text(measure)));
    for (const int64_t count : {known.optimal, known.best})
      row.entries.push_back(
          plain_entry(summary ? fmt::format("{} / {}", count, solve.results.size()) : nothing));
    if (solve.cell->end.status == Status::failed)
      row.entries[2] = {"failed", "", "", failure_text(solve.cell->end), false};
    table.rows.push_back(row);
  }
  return table;
}

std::vector<Table> all_tables(const ResultsView& view) {
  std::vector<Table> tables;
  if (!view.cells.empty()) {
    tables.push_back(metric_table(view));
    for (size_t b = 0; b < view.outline.baselines.size(); ++b)
      if (const ResultsView to(view.results, b); std::any_of(
              to.cells.begin(), to.cells.end(), [](const CellView& cell) { return cell.versus != nullptr; }))
        tables.push_back(difference_table(to));
    if (Table prior = prior_table(view); !prior.rows.empty()) tables.push_back(std::move(prior));
    tables.push_back(dataset_table(view));
  }
  for (const compare::ProblemSetRecord& set : view.outline.problem_sets)
    if (Table solvers = solver_table(view, set.name); !solvers.rows.empty())
      tables.push_back(std::move(solvers));
  return tables;
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "n/a";
}

std::string with_sign(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  const std::string text = fmt::format("{:+.{}f}", value, decimals);
  // What rounds to zero has no sign.
  return text.find_first_of("123456789") == std::string::npos ? fixed(0, decimals) : text;
}

std::string brief(double value) {
  if (!std::isfinite(value)) return "n/a";
  return std::abs(value) >= 1000 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                          : fmt::format("{:.3g}", value);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds < 1e-3) return brief(seconds * 1e6) + " µs";
  if (seconds < 1) return brief(seconds * 1e3) + " ms";
  if (seconds < 99.5) return brief(seconds) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 6000) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string typographic(std::string number) {
  for (size_t at = 0; (at = number.find('-', at)) != std::string::npos; at += 3) number.replace(at, 1, "−");
  return number;
}

}  // namespace concord::report
