// SPDX-License-Identifier: MIT
#include "compare_text.hpp"

#include <cmath>
#include <unistd.h>

#include "base/text.hpp"
#include "progress.hpp"
#include "report/report.hpp"

namespace concord {
namespace {

std::string result_text(const compare::CellResult& result, const std::string& metric) {
  if (!result.end.done()) return "failed: " + result.end.reason;
  if (const auto* trained = std::get_if<compare::TrainingResult>(&result.answer))
    return fmt::format("{} {:.4f}", metric, trained->metric(metric)->value);
  return fmt::format("{} problems", std::get<compare::SolverResult>(result.answer).results.size());
}

}  // namespace

CompareProgress::CompareProgress(bool quiet, std::string metric)
    : quiet_(quiet), terminal_(::isatty(2) == 1), metric_(std::move(metric)) {}

CompareProgress::~CompareProgress() {
  if (terminal_ && !quiet_) std::fputs("\r\033[K", stderr);
}

void CompareProgress::operator()(const compare::CellEvent& event) {
  if (quiet_) return;
  std::string text = terminal_ ? "\r\033[K" : "";
  if (event.result != nullptr)
    text +=
        fmt::format("[{}/{}] {}  {}  {}\n", event.done, event.count, event.cell.id,
                    result_text(*event.result, metric_), duration_text(event.result->end.process_seconds));
  if (terminal_) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const auto done = static_cast<double>(event.done), left = static_cast<double>(event.count) - done;
    text += fmt::format("{} of {} cells{}; running {}", event.done, event.count,
                        event.done == 0 ? "" : fmt::format(", {} left", duration_text(seconds / done * left)),
                        fmt::join(event.running, ", "));
  }
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string dry_run_text(const compare::ComparePlan& plan, const std::vector<compare::ResolvedCell>& resolved,
                         const compare::CompareFolder* folder, const compare::CompareRun& run) {
  std::vector<std::vector<std::string>> rows = {{"cell", "fits", "estimate", "state"}};
  double total = 0;
  int64_t left = 0;
  for (size_t i = 0; i < resolved.size(); ++i) {
    if (!is_in_shard(plan, i, run)) continue;
    const compare::Cell& cell = plan.cells[i];
    const bool finished =
        folder != nullptr && is_finished(*folder, cell, resolved[i], plan.limits, run.retry);
    const double seconds = resolved[i].estimate;
    if (!finished && resolved[i].failure.empty()) {
      ++left;
      total += std::isfinite(seconds) ? seconds : 0;
    }
    rows.push_back({cell.name.id, cell.is_training() ? std::to_string(resolved[i].fits) : "-",
                    std::isfinite(seconds) && seconds > 0 ? duration_text(seconds) : "-",
                    finished                       ? "finished"
                    : !resolved[i].failure.empty() ? "cannot run: " + resolved[i].failure
                                                   : "to do"});
  }
  return table(rows, 3) +
         fmt::format(
             "\n{} cells to do, about {} in {} at a time (extrapolated from one epoch on a few "
             "instances of each cell)\n",
             left, duration_text(total / run.jobs), run.jobs);
}

}  // namespace concord
