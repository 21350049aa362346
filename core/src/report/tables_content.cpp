// SPDX-License-Identifier: MIT
#include "report/tables_content.hpp"

#include <algorithm>

#include "report/tables_text.hpp"

namespace concord::report {
namespace {

const char* const nothing = "–";

std::vector<Column> method_columns(const Comparison& comparison) {
  std::vector<Column> columns;
  for (const MethodColumn& method : comparison.methods)
    columns.push_back({method.name, method.group, method.within});
  return columns;
}

/// What is there to say of a cell without a value; nothing if it has one.
std::optional<Entry> absent(const Cell* cell) {
  Entry entry;
  entry.text = nothing;
  if (!cell || cell->status == Status::pending) return entry;
  if (cell->done()) return std::nullopt;
  entry.text = "failed";
  entry.why = cell->reason.empty() ? "no reason was given" : cell->reason;
  return entry;
}

Entry metric_entry(const Comparison& comparison, const std::string& dataset, const std::string& method) {
  const Cell* cell = comparison.find(dataset, method);
  const std::string known = comparison.reference_text(method, dataset);
  Entry entry;
  if (const auto missing = absent(cell))
    entry = *missing;
  else
    entry = {fixed(cell->value), range_text(cell->interval), "", "", comparison.marked(*cell)};
  if (!known.empty()) entry.remark = "ref. " + known;
  return entry;
}

Entry difference_entry(const Cell* cell) {
  if (const auto missing = absent(cell)) return *missing;
  if (!cell->versus) return {nothing, "", "", "", false};
  const Versus::Verdict verdict = cell->versus->verdict();
  return {with_sign(cell->versus->difference), range_text(cell->versus->range, true),
          verdict == Versus::Verdict::neither ? "n.s." : verdict_words(verdict), "", false};
}

Entry plain_entry(std::string text) {
  return {std::move(text), "", "", "", false};
}

Entry help_entry(const Cell* cell) {
  if (const auto missing = absent(cell)) return *missing;
  if (!cell->prior_verdict) return plain_entry(nothing);
  const PriorVerdict& verdict = *cell->prior_verdict;
  if (!verdict.measured) return plain_entry("not measured");
  return {with_sign(verdict.difference, 4), "± " + fixed(verdict.error, 4),
          verdict.help == PriorVerdict::Help::yes    ? "helped"
          : verdict.help == PriorVerdict::Help::hurt ? "hurt"
                                                     : "not measurably",
          "", false};
}

/// "37 / 50"
std::string share_text(const Json& object, const char* key, size_t of) {
  const double count = number_at(object, key);
  return std::isfinite(count) ? fmt::format("{:.0f} / {}", count, of) : nothing;
}

std::string count_text(const Json& object, const char* key) {
  const double count = number_at(object, key);
  return std::isfinite(count) ? fmt::format("{:.0f}", count) : nothing;
}

std::string measure_text(const Json& object, const char* key) {
  const double value = number_at(object, key);
  return std::isfinite(value) ? brief(value) : nothing;
}

}  // namespace

size_t Footnotes::number(const std::string& text) {
  const auto at = std::find(texts_.begin(), texts_.end(), text);
  const auto number = static_cast<size_t>(at - texts_.begin()) + 1;
  if (at == texts_.end()) texts_.push_back(text);
  return number;
}

Table metric_table(const Comparison& comparison) {
  Table table{
      comparison.metric,
      fmt::format("{}; {} is better. Bold with a star: the best of the row as printed. In brackets: 95 % "
                  "bootstrap intervals over test instances.{}",
                  comparison.metric, comparison.is_loss ? "smaller" : "larger",
                  comparison.reference.empty() ? "" : " ref.: " + comparison.reference + "."),
      "dataset",
      method_columns(comparison),
      {}};
  for (const std::string& dataset : comparison.datasets) {
    Row row{dataset, {}};
    for (const MethodColumn& method : comparison.methods)
      row.entries.push_back(metric_entry(comparison, dataset, method.name));
    table.rows.push_back(row);
  }
  return table;
}

Table difference_table(const Comparison& comparison) {
  Table table{
      "Difference to " + comparison.baseline,
      fmt::format(
          "Paired difference of {} to {} on the same test instances, as a loss: negative is better. In "
          "brackets: 95 % paired bootstrap intervals, each by itself (not corrected for their number). "
          "n.s.: no significant difference, the interval contains 0.",
          comparison.metric, comparison.baseline),
      "dataset",
      {},
      {}};
  for (const MethodColumn& method : comparison.methods)
    if (method.name != comparison.baseline)
      table.columns.push_back({method.name, method.group, method.within});
  for (const std::string& dataset : comparison.datasets) {
    Row row{dataset, {}};
    for (const MethodColumn& method : comparison.methods)
      if (method.name != comparison.baseline)
        row.entries.push_back(difference_entry(comparison.find(dataset, method.name)));
    table.rows.push_back(row);
  }
  return table;
}

Table prior_table(const Comparison& comparison) {
  Table table{
      "Did the prior help?",
      "Each method against the same with A = 0, on validation data; + or - one standard error of the paired "
      "difference. \"yes\" and \"no, it hurt\" mean more than two of them.",
      "cell",
      {{"with A"}, {"A = 0"}, {"difference"}, {"did it help?", "", "", true}},
      {}};
  for (const Cell& cell : comparison.cells) {
    if (!cell.prior_verdict) continue;
    const PriorVerdict& verdict = *cell.prior_verdict;
    Row row{cell.dataset + ", " + cell.method, {}};
    if (verdict.measured)
      row.entries = {plain_entry(fixed(verdict.with, 4)), plain_entry(fixed(verdict.without, 4)),
                     plain_entry(with_sign(verdict.difference, 4) + " ± " + fixed(verdict.error, 4))};
    else
      row.entries.assign(3, plain_entry(nothing));
    row.entries.push_back(plain_entry(help_words(verdict)));
    table.rows.push_back(row);
  }
  return table;
}

Table help_table(const Comparison& comparison) {
  Table table{"Did the prior help?", "", "dataset", {}, {}};
  std::vector<std::string> methods;
  for (const MethodColumn& method : comparison.methods)
    if (std::any_of(comparison.cells.begin(), comparison.cells.end(), [&](const Cell& cell) {
          return cell.method == method.name && cell.prior_verdict.has_value();
        })) {
      table.columns.push_back({method.name, method.group, method.within});
      methods.push_back(method.name);
    }
  for (const std::string& dataset : comparison.datasets) {
    Row row{dataset, {}};
    for (const std::string& method : methods)
      row.entries.push_back(help_entry(comparison.find(dataset, method)));
    table.rows.push_back(row);
  }
  return table;
}

Table dataset_table(const Comparison& comparison) {
  Table table{
      "Datasets", "", "dataset", {{"training instances"}, {"test instances"}, {"features"}, {"labels"}}, {}};
  for (const Json& dataset : comparison.json.at("datasets")) {
    Row row{dataset.at("name").get<std::string>(), {}};
    for (const char* key : {"instances", "test_instances", "features", "labels"})
      row.entries.push_back(plain_entry(count_text(dataset, key)));
    table.rows.push_back(row);
  }
  return table;
}

Table solver_table(const Comparison& comparison, const std::string& problem_set) {
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
  for (const Json& solve : comparison.json.at("solves")) {
    if (text_at(solve, "problems") != problem_set) continue;
    Row row{solve.at("solver").get<std::string>(), {}};
    for (const char* key : {"decoder", "rounding"}) {
      std::string text = nothing;
      for (const Json& solver : comparison.json.at("solvers"))
        if (text_at(solver, "name") == row.name && !text_at(solver, key).empty()) text = text_at(solver, key);
      row.entries.push_back(plain_entry(text));
    }
    const std::string status = solve.at("status").get<std::string>();
    const Json& summary = json_at(solve, "summary");
    for (const char* key : {"bound_excess", "value_shortfall", "gap"})
      row.entries.push_back(plain_entry(measure_text(summary, key)));
    for (const char* key : {"optimal", "best"})
      row.entries.push_back(plain_entry(share_text(summary, key, json_at(solve, "results").size())));
    if (status == "failed")
      row.entries[2] = {"failed", "", "",
                        text_at(solve, "reason").empty() ? "no reason was given" : text_at(solve, "reason"),
                        false};
    table.rows.push_back(row);
  }
  return table;
}

std::vector<Table> all_tables(const Comparison& comparison) {
  std::vector<Table> tables;
  if (!comparison.cells.empty()) {
    tables.push_back(metric_table(comparison));
    for (size_t b = 0; b < comparison.baselines.size(); ++b)
      if (const Comparison to(comparison.json, b); std::any_of(
              to.cells.begin(), to.cells.end(), [](const Cell& cell) { return cell.versus.has_value(); }))
        tables.push_back(difference_table(to));
    if (Table prior = prior_table(comparison); !prior.rows.empty()) tables.push_back(std::move(prior));
    tables.push_back(dataset_table(comparison));
  }
  for (const Json& set : comparison.json.at("problem_sets"))
    if (Table solvers = solver_table(comparison, set.at("name").get<std::string>()); !solvers.rows.empty())
      tables.push_back(std::move(solvers));
  return tables;
}

}  // namespace concord::report
