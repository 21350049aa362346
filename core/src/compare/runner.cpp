// SPDX-License-Identifier: MIT
#include "compare/runner.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <unistd.h>

#include "base/error.hpp"
#include "compare/run_cell.hpp"
#include "process/child.hpp"

namespace concord::compare {
namespace {

constexpr useconds_t kPollMicroseconds = 20'000;

class Runner {
 public:
  Runner(const CompareFolder& folder, const ComparePlan& plan, const std::vector<ResolvedCell>& resolved,
         const CompareRun& run)
      : folder_(folder), plan_(plan), resolved_(resolved), run_(run) {}

  void run() {
    for (size_t i = 0; i < plan_.cells.size(); ++i)
      if (is_in_shard(plan_, i, run_) &&
          !is_finished(folder_, plan_.cells[i], resolved_[i], plan_.limits, run_.retry))
        waiting_.push_back(i);
    count_ = waiting_.size();
    while (!waiting_.empty() || !running_.empty()) {
      start_cells();
      if (run_.control.stop_requested()) {
        running_.clear();  // which kills them
        fail(Fault::interrupted, "interrupted: {} of {} cells are left; the same command continues",
             count_ - done_, count_);
      }
      std::erase_if(running_, [&](Running& one) {
        const auto end = one.process->poll();
        if (end) finish(one.cell, *end);
        return end.has_value();
      });
      ::usleep(kPollMicroseconds);
    }
  }

 private:
  struct Running {
    size_t cell;
    std::unique_ptr<Process> process;
  };

  /// A solver's cell waits for the model it needs.
  bool is_ready(size_t index) const {
    const std::string needs = plan_.cells[index].needs();
    const auto is_needed = [&](size_t other) { return &plan_.cells[other] == plan_.training_cell(needs); };
    return needs.empty() || (std::none_of(waiting_.begin(), waiting_.end(), is_needed) &&
                             std::none_of(running_.begin(), running_.end(),
                                          [&](const Running& one) { return is_needed(one.cell); }));
  }

  void start_cells() {
    while (static_cast<int>(running_.size()) < run_.jobs && !run_.control.stop_requested()) {
      const auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](size_t i) { return is_ready(i); });
      if (next == waiting_.end()) return;
      const size_t index = *next;
      waiting_.erase(next);
      start(index);
    }
  }

  void start(size_t index) {
    const Cell& cell = plan_.cells[index];
    const std::filesystem::path place = folder_.of_cell(cell.name);
    const auto before = read_json(place / "cell.json");
    // A checkpoint is worth keeping only if it leads to the same result.
    if (!before || text_at(*before, "key") != resolved_[index].key) std::filesystem::remove_all(place);
    std::filesystem::create_directories(place);
    for (const char* name : {"result.json", "answer.json"}) std::filesystem::remove(place / name);
    CellRecord record{resolved_[index].key, plan_.limits, {}, cell};
    for (const auto& directory : run_.plugin_dirs)
      record.plugin_dirs.push_back(std::filesystem::absolute(directory));
    write_json(place / "cell.json", to_json(record));
    if (!resolved_[index].failure.empty()) {
      finish(index, {false, resolved_[index].failure, 0, 0});
      return;
    }
    running_.push_back(
        {index, std::make_unique<Process>(run_.command(place), place / "log.txt", plan_.limits)});
    tell(index, nullptr);
  }

  void finish(size_t index, const ProcessEnd& end) {
    const CellName& name = plan_.cells[index].name;
    const std::filesystem::path place = folder_.of_cell(name);
    std::optional<Answer> answer = take_answer(place, name.kind);
    CellResult result{{Status::failed, end.ok ? "ended without an answer" : end.reason, resolved_[index].key,
                       plan_.limits, end.seconds, end.peak_mebibytes},
                      {}};
    if (end.ok && answer) {
      result.end.status = Status::done;
      result.end.reason.clear();
      result.answer = std::move(*answer);
    }
    write_json(place / "result.json", to_json(result));
    ++done_;
    tell(index, &result);
  }

  void tell(size_t index, const CellResult* result) const {
    if (!run_.event) return;
    CellEvent event{plan_.cells[index].name, result, done_, count_, {}};
    for (const Running& one : running_)
      if (one.cell != index || result == nullptr) event.running.push_back(plan_.cells[one.cell].name.id);
    run_.event(event);
  }

  const CompareFolder& folder_;
  const ComparePlan& plan_;
  const std::vector<ResolvedCell>& resolved_;
  const CompareRun& run_;
  std::deque<size_t> waiting_;
  std::list<Running> running_;
  size_t count_ = 0, done_ = 0;
};

}  // namespace

PlanRecord record_of(const ComparePlan& plan, const std::vector<ResolvedCell>& resolved) {
  PlanRecord record{plan.outline, {}};
  for (size_t i = 0; i < plan.cells.size(); ++i)
    record.cells.push_back({plan.cells[i].name, resolved[i].key});
  return record;
}

bool is_in_shard(const ComparePlan& plan, size_t cell, const CompareRun& run) {
  // A solver's cell goes where its model is.
  if (const Cell* model = plan.training_cell(plan.cells[cell].needs()))
    cell = static_cast<size_t>(model - plan.cells.data());
  return static_cast<int>(cell % static_cast<size_t>(run.shards)) == run.shard;
}

bool is_finished(const CompareFolder& folder, const Cell& cell, const ResolvedCell& resolved,
                 const ProcessLimits& limits, bool retry) {
  const auto result = read_result(folder.of_cell(cell.name), cell.name.kind);
  if (!result || result->end.key != resolved.key) return false;
  if (result->end.done()) return true;
  const std::optional<ProcessLimits>& before = result->end.limits;
  return !retry && before && before->seconds == limits.seconds && before->mebibytes == limits.mebibytes;
}

void run_cells(const CompareFolder& folder, const ComparePlan& plan,
               const std::vector<ResolvedCell>& resolved, const CompareRun& run) {
  Runner(folder, plan, resolved, run).run();
}

}  // namespace concord::compare
