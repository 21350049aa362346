// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/tables.hpp"
#include "report/tables_solves.hpp"
#include "report/tables_text.hpp"
#include "report/tables_view.hpp"

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
  CsvRecord& json(const Json& value) { return text(value.is_null() ? "" : plain(value)); }
  std::string line() const { return fmt::format("{}\r\n", fmt::join(fields_, ",")); }

 private:
  std::vector<std::string> fields_;
};

/// Of all cells, in the order in which they first appear.
std::vector<std::string> metric_names(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Cell& cell : comparison.cells)
    for (const auto& entry : flattened(json_at(*cell.json, "metrics")))
      if (std::find(names.begin(), names.end(), entry.first) == names.end()) names.push_back(entry.first);
  return names;
}

void cell_record(CsvRecord& record, const Cell& cell, const std::vector<std::string>& metrics,
                 const std::vector<std::string>& baselines) {
  const Json& json = *cell.json;
  record.text(cell.id).text(cell.dataset).text(cell.method);
  record.json(json_at(json, "status")).text(cell.reason);
  for (const std::string& metric : metrics) {
    const Json& interval = json_at(json_at(json, "intervals"), metric);
    record.number(number_at(json_at(json, "metrics"), metric));
    for (const size_t end : {0, 1}) record.json(interval.is_array() ? interval.at(end) : Json());
  }
  record.json(json_at(json, "labels_predicted")).json(json_at(json, "labels_true"));
  record.text(settings_text(json_at(json, "selected"), "; "));
  for (const char* key : {"metric", "value", "error"}) record.json(json_at(json_at(json, "validation"), key));
  record.text(cell.prior_verdict ? help_words(*cell.prior_verdict) : "");
  for (const char* key : {"with", "without", "difference", "error"})
    record.json(json_at(json_at(json, "prior_helped"), key));
  for (const char* key : {"objective", "gap", "estimate"}) record.json(json_at(json, key));
  record.number(cell.train_seconds).number(cell.test_seconds).number(cell.peak_mib);
  for (const char* key : {"seed", "started", "key"}) record.json(json_at(json, key));
  for (const char* key : {"version", "build_tag", "processor", "system"})
    record.json(json_at(json_at(json, "host"), key));
  record.json(json_at(json, "plugins")).json(json_at(json, "config"));
  for (const std::string& baseline : baselines)
    for (const char* key : {"difference", "error", "low", "high"})
      record.json(json_at(json_at(json_at(json, "versus"), baseline), key));
}

std::string cells_csv(const Comparison& comparison) {
  const auto metrics = metric_names(comparison);
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
  for (const std::string& baseline : comparison.baselines)
    for (const char* what : {"", "-error", "-low", "-high"}) head.text("difference-to-" + baseline + what);
  std::string text = head.line();
  for (const Cell& cell : comparison.cells) {
    CsvRecord record;
    cell_record(record, cell, metrics, comparison.baselines);
    text += record.line();
  }
  return text;
}

std::string answers_csv(const Comparison& comparison) {
  CsvRecord head;
  for (const char* name : {"id", "problems", "solver", "decoder", "rounding", "solve-status", "reason",
                           "peak-mib", "key", "problem", "status", "bound", "value", "gap", "best-value",
                           "bound-excess", "value-shortfall", "seconds", "message"})
    head.text(name);
  std::string text = head.line();
  for (const Json& set : comparison.json.at("problem_sets")) {
    const SolveSet solves(comparison.json, set.at("name").get<std::string>());
    for (const Solve& solve : solves.solves) {
      CsvRecord common;
      for (const char* key : {"id", "problems", "solver"}) common.json(json_at(*solve.json, key));
      for (const char* key : {"decoder", "rounding"}) common.json(json_at(*solve.solver, key));
      for (const char* key : {"status", "reason", "peak_mib", "key"}) common.json(json_at(*solve.json, key));
      if (solve.results.empty()) {
        for (size_t field = 0; field < 10; ++field) common.text("");
        text += common.line();
      }
      for (const Solved& solved : solve.results) {
        CsvRecord record = common;
        for (const char* key : {"problem", "status", "bound", "value", "gap"})
          record.json(json_at(*solved.json, key));
        record.number(solved.best).number(solved.bound_excess).number(solved.value_shortfall);
        record.number(solved.seconds).json(json_at(*solved.json, "message"));
        text += record.line();
      }
    }
  }
  return text;
}

}  // namespace
}  // namespace concord::report

namespace concord {

std::string results_csv(const nlohmann::ordered_json& results) {
  return report::present(results, report::cells_csv);
}

std::string solves_csv(const nlohmann::ordered_json& results) {
  return report::present(results, report::answers_csv);
}

}  // namespace concord
