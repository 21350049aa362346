// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/parts.hpp"
#include "report/report.hpp"
#include "report/view.hpp"

namespace concord::report {
namespace {

/// One record; numbers in full, nothing where there is none.
class CsvRecord {
 public:
  CsvRecord& text(std::string_view field) {
    fields_.push_back(csv(field));
    return *this;
  }
  CsvRecord& number(double field) { return text(std::isfinite(field) ? fmt::format("{}", field) : ""); }
  /// As results.json writes it.
  CsvRecord& json_number(double field) {
    return text(std::isfinite(field) ? compare::plain(Json(field)) : "");
  }
  std::string line() const { return fmt::format("{}\r\n", fmt::join(fields_, ",")); }

 private:
  std::vector<std::string> fields_;
};

/// Of all cells, in the order in which they first appear.
std::vector<std::string> metric_names(const ResultsView& view) {
  std::vector<std::string> names;
  for (const CellView& cell : view.cells)
    for (const compare::MetricValue& metric : cell.result().metrics)
      if (std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
  return names;
}

/// A cell without an answer has no numbers, but its key.
CsvRecord cell_record(const compare::TrainedCell& cell, const std::vector<std::string>& metrics,
                      const std::vector<std::string>& baselines) {
  const compare::TrainingResult& result = cell.result;
  const auto if_done = [&](const std::string& text) { return cell.end.done() ? text : ""; };
  CsvRecord record;
  record.text(cell.name.id).text(cell.name.row).text(cell.name.column);
  record.text(name_of(cell.end.status)).text(cell.end.reason);
  for (const std::string& name : metrics) {
    const compare::MetricValue* found = result.metric(name);
    const compare::MetricValue metric = found ? *found : compare::MetricValue{};
    record.number(metric.value).json_number(metric.interval.low).json_number(metric.interval.high);
  }
  record.json_number(result.labels_predicted).json_number(result.labels_true);
  std::vector<std::string> selected;
  for (const auto& [key, value] : result.selected) selected.push_back(fmt::format("{} = {}", key, value));
  record.text(fmt::format("{}", fmt::join(selected, "; ")));
  const compare::Validation validation = result.validation.value_or(compare::Validation{});
  record.text(validation.metric).json_number(validation.value).json_number(validation.error);
  const PriorVerdict verdict = result.prior_helped.value_or(PriorVerdict{});
  record.text(result.prior_helped ? help_words(verdict) : "");
  record.json_number(verdict.with).json_number(verdict.without);
  record.json_number(verdict.difference).json_number(verdict.error);
  record.json_number(result.objective).json_number(result.gap);
  record.text(if_done(result.gap_is_estimate ? "true" : "false"));
  record.number(result.train_seconds).number(result.test_seconds);
  record.number(cell.end.done() ? cell.end.peak_mib : unknown);
  record.text(if_done(fmt::format("{}", result.seed))).text(result.started).text(cell.end.key);
  const Provenance& host = result.host;
  record.text(host.version).text(host.build_tag).text(host.processor).text(host.system);
  record.text(if_done(compare::plain(compare::plugins_json(result.plugins))));
  record.text(if_done(compare::plain(result.config)));
  for (const std::string& baseline : baselines) {
    PairedDifference paired;
    for (const compare::Versus& versus : cell.versus)
      if (versus.baseline == baseline) paired = versus.paired;
    record.json_number(paired.difference).json_number(paired.error);
    record.json_number(paired.range.low).json_number(paired.range.high);
  }
  return record;
}

}  // namespace

std::string results_csv(const Results& results) {
  const ResultsView view(results);
  const auto metrics = metric_names(view);
  CsvRecord head;
  for (const char* name : {"id", "dataset", "method", "status", "reason"}) head.text(name);
  for (const std::string& metric : metrics) head.text(metric).text(metric + "-low").text(metric + "-high");
  for (const char* name : {"labels-predicted",
                           "labels-true",
                           "selected",
                           "validation-metric",
                           "validation",
                           "validation-error",
                           "prior-helped",
                           "prior-with",
                           "prior-without",
                           "prior-difference",
                           "prior-difference-error",
                           "objective",
                           "gap",
                           "gap-is-estimate",
                           "train-seconds",
                           "test-seconds",
                           "peak-mib",
                           "seed",
                           "started",
                           "key",
                           "version",
                           "build-tag",
                           "processor",
                           "system",
                           "plugins",
                           "config"})
    head.text(name);
  for (const std::string& baseline : view.outline.baselines)
    for (const char* what : {"", "-error", "-low", "-high"}) head.text("difference-to-" + baseline + what);
  const bool repeated = view.is_repeated();
  if (repeated) head.text("repeat");
  std::string text = head.line();
  const auto add = [&](const compare::TrainedCell& cell) {
    CsvRecord record = cell_record(cell, metrics, view.outline.baselines);
    if (repeated) record.text(fmt::format("{}", cell.name.repeat));
    text += record.line();
  };
  for (const CellView& cell : view.cells) add(*cell.cell);
  for (const compare::TrainedCell& cell : results.repeats) add(cell);
  return text;
}

std::string trainings_csv(const Results& results) {
  CsvRecord head;
  for (const char* name : {"id", "dataset", "method", "metric", "trainings", "mean", "low", "high"})
    head.text(name);
  for (const std::string& baseline : results.outline.baselines)
    for (const char* what : {"", "-error", "-low", "-high"}) head.text("difference-to-" + baseline + what);
  std::string text = head.line();
  for (const compare::TrainedCell& cell : results.cells) {
    if (!cell.over) continue;
    for (const compare::MetricValue& metric : cell.over->metrics) {
      CsvRecord record;
      record.text(cell.name.id).text(cell.name.row).text(cell.name.column).text(metric.name);
      record.text(fmt::format("{}", cell.over->trainings)).json_number(metric.value);
      record.json_number(metric.interval.low).json_number(metric.interval.high);
      for (const std::string& baseline : results.outline.baselines) {
        PairedDifference paired;
        for (const compare::Versus& versus : cell.over->versus)
          if (versus.baseline == baseline && metric.name == results.outline.metric) paired = versus.paired;
        record.json_number(paired.difference).json_number(paired.error);
        record.json_number(paired.range.low).json_number(paired.range.high);
      }
      text += record.line();
    }
  }
  return text;
}

std::string reveal_csv(const Results& results) {
  CsvRecord head;
  for (const char* name : {"id", "dataset", "method", "metric", "known", "value", "low", "high"})
    head.text(name);
  std::string text = head.line();
  for (const compare::TrainedCell& cell : results.cells)
    for (const compare::RevealPoint& point : cell.result.reveal) {
      CsvRecord record;
      record.text(cell.name.id).text(cell.name.row).text(cell.name.column).text(results.outline.metric);
      record.number(point.share).number(point.value);
      record.number(point.interval.low).number(point.interval.high);
      text += record.line();
    }
  return text;
}

std::string solves_csv(const Results& results) {
  CsvRecord head;
  for (const char* name : {"id", "problems", "solver", "decoder", "rounding", "solve-status", "reason",
                           "peak-mib", "key", "problem", "status", "bound", "value", "gap", "best-value",
                           "bound-excess", "value-shortfall", "seconds", "message"})
    head.text(name);
  std::string text = head.line();
  for (const compare::ProblemSetRecord& set : results.outline.problem_sets)
    for (const SolveView& solve : solves_of(results, set.name)) {
      const auto& [name, end, answer, summary] = *solve.cell;
      CsvRecord common;
      common.text(name.id)
          .text(name.row)
          .text(name.column)
          .text(solve.solver.decoder)
          .text(solve.solver.rounding);
      common.text(name_of(end.status)).text(end.reason).json_number(end.peak_mib).text(end.key);
      if (solve.results.empty()) {
        for (size_t field = 0; field < 10; ++field) common.text("");
        text += common.line();
      }
      for (const SolvedView& solved : solve.results) {
        const compare::ProblemResult& result = *solved.result;
        CsvRecord record = common;
        record.text(result.problem).text(result.status);
        record.json_number(result.bound).json_number(result.value).json_number(result.gap);
        record.number(solved.best).number(solved.bound_excess).number(solved.value_shortfall);
        record.number(solved.seconds).text(result.message);
        text += record.line();
      }
    }
  return text;
}

}  // namespace concord::report
