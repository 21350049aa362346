// SPDX-License-Identifier: MIT
#include "report/view.hpp"

#include <algorithm>

#include "report/parts.hpp"

namespace concord::report {
namespace {

/// Neighbours of one method become a group, as "Spectral: A <= 0, A >= 0, any A" in the paper.
std::vector<MethodColumn> columns_of(const std::vector<compare::MethodRecord>& methods) {
  std::vector<MethodColumn> columns;
  const auto method = [&](size_t m) { return methods[m].method; };
  for (size_t m = 0; m < methods.size(); ++m) {
    const std::string& name = methods[m].name;
    const bool grouped =
        (m > 0 && method(m - 1) == method(m)) || (m + 1 < methods.size() && method(m + 1) == method(m));
    const std::string group = grouped ? method(m) : "";
    const bool has_prefix = grouped && name.size() > group.size() + 1 && name.starts_with(group + " ");
    columns.push_back({name, group, has_prefix ? name.substr(group.size() + 1) : name});
  }
  return columns;
}

void flatten(const Json& value, const std::string& prefix, compare::NamedTexts& into) {
  if (!value.is_object()) {
    into.emplace_back(prefix, compare::plain(value));
    return;
  }
  for (const auto& [key, inner] : value.items())
    flatten(inner, prefix.empty() ? key : fmt::format("{}.{}", prefix, key), into);
}

}  // namespace

compare::NamedTexts flattened(const Json& settings) {
  compare::NamedTexts all;
  if (settings.is_object()) flatten(settings, "", all);
  return all;
}

std::string range_text(const Range& range, bool sign) {
  if (!range.known()) return "";
  const auto text = [&](double end) { return sign ? with_sign(end) : fixed(end); };
  return "[" + text(range.low) + ", " + text(range.high) + "]";
}

Verdict verdict_of(const PairedDifference& paired) {
  if (!paired.range.known()) return Verdict::neither;
  return paired.range.high < 0 ? Verdict::better : paired.range.low > 0 ? Verdict::worse : Verdict::neither;
}

const char* verdict_words(Verdict verdict) {
  return verdict == Verdict::better  ? "better"
         : verdict == Verdict::worse ? "worse"
                                     : "no significant difference";
}

std::string help_words(const PriorFigures& figures) {
  return figures.help == PriorFigures::Help::yes ? "yes"
         : figures.help == PriorFigures::Help::hurt
             ? "no, it hurt"
             : "cannot be told" + (figures.why.empty() ? "" : ", as " + figures.why);
}

std::string help_words(const PriorVerdict& verdict) {
  return verdict.measured ? help_words(static_cast<const PriorFigures&>(verdict)) : "not measured";
}

std::string failure_text(const compare::CellEnd& end) {
  return end.reason.empty() ? "no reason was given" : end.reason;
}

const compare::MetricValue* CellView::metric(const std::string& name) const {
  return over ? compare::metric_of(over->metrics, name) : result().metric(name);
}

ResultsView::ResultsView(const Results& all, size_t which)
    : results(all),
      outline(all.outline),
      metric(all.outline.metric),
      metric_is_loss(all.metric_is_loss),
      methods(columns_of(all.outline.methods)) {
  if (which < outline.baselines.size()) baseline = outline.baselines[which];
  fill();
  for (CellView& view : cells)
    for (const compare::Versus& versus : view.over ? view.over->versus : view.cell->versus)
      if (view.done() && versus.baseline == baseline && (view.over || !is_repeated()))
        view.versus = &versus.paired;
}

ResultsView::ResultsView(const Results& all, const Metric& other)
    : results(all),
      outline(all.outline),
      metric(other.name),
      metric_is_loss(other.is_loss),
      methods(columns_of(all.outline.methods)) {
  fill();
}

void ResultsView::fill() {
  for (const std::string& dataset : dataset_names())
    for (const compare::TrainedCell& cell : results.cells) {
      if (cell.name.row != dataset) continue;
      CellView& view = cells.emplace_back(CellView{&cell});
      index_.try_emplace({dataset, view.method()}, cells.size() - 1);
      if (view.done() && cell.over) view.over = &*cell.over;
      if (const compare::MetricValue* found = view.metric(metric)) {
        view.value = found->value;
        if (view.over || !is_repeated()) view.interval = found->interval;
      }
    }
}

std::vector<std::string> ResultsView::dataset_names() const {
  std::vector<std::string> names;
  for (const compare::DatasetRecord& dataset : outline.datasets) names.push_back(dataset.name);
  return names;
}

const CellView* ResultsView::find(const std::string& dataset, const std::string& method) const {
  const auto at = index_.find({dataset, method});
  return at == index_.end() ? nullptr : &cells[at->second];
}

const CellView* ResultsView::best(const std::string& dataset) const {
  const CellView* winner = nullptr;
  for (const CellView& cell : cells)
    if (cell.dataset() == dataset && std::isfinite(cell.value) &&
        (!winner || better(cell.value, winner->value)))
      winner = &cell;
  return winner;
}

bool ResultsView::marked(const CellView& cell) const {
  const CellView* winner = best(cell.dataset());
  return winner && std::isfinite(cell.value) && fixed(cell.value) == fixed(winner->value);
}

ResultsView::PriorCounts ResultsView::prior_counts(const std::string& dataset) const {
  PriorCounts counts;
  for (const CellView& cell : cells) {
    const std::optional<PriorVerdict>& verdict = cell.result().prior_helped;
    if (cell.dataset() != dataset || !verdict || !verdict->measured) continue;
    ++counts.measured;
    counts.helped += verdict->help == PriorVerdict::Help::yes;
    counts.hurt += verdict->help == PriorVerdict::Help::hurt;
  }
  return counts;
}

std::string ResultsView::trainings_text(const CellView& cell) const {
  const int64_t done = cell.over ? cell.over->trainings : 1;
  return done < outline.repeats ? fmt::format("{} of {}", done, outline.repeats) : "";
}

std::string ResultsView::reference_text(const std::string& method, const std::string& dataset) const {
  if (!outline.reference || metric != outline.metric) return "";
  for (const auto& known : outline.reference->values) {
    if (known.method != method || known.dataset != dataset || known.value.is_null()) continue;
    const std::string text = compare::plain(known.value);
    const size_t point = text.find('.');
    // 0.4 is 0.40 beside 0.39
    return known.value.is_number() && (point == std::string::npos || text.size() < point + 3)
               ? fixed(known.value.get<double>(), 2)
               : text;
  }
  return "";
}

std::vector<SolveView> solves_of(const Results& results, const std::string& problem_set) {
  const std::map<std::string, double> best = compare::best_values(results.solves, problem_set);
  std::vector<SolveView> solves;
  for (const compare::SolvedCell& cell : results.solves) {
    if (cell.name.row != problem_set) continue;
    SolveView& solve = solves.emplace_back(SolveView{&cell, {}, {}});
    for (const compare::SolverRecord& solver : results.outline.solvers)
      if (solver.name == cell.name.column) solve.solver = solver;
    for (const compare::ProblemResult& result : cell.result.results) {
      SolvedView& solved = solve.results.emplace_back(SolvedView{&result});
      solved.seconds = result.seconds;
      const auto at = best.find(result.problem);
      if (at == best.end()) continue;
      const double scale = std::max(1., std::abs(at->second));
      solved.best = at->second;
      solved.bound_excess = (result.bound - solved.best) / scale;
      solved.value_shortfall = (solved.best - result.value) / scale;
    }
  }
  return solves;
}

}  // namespace concord::report
