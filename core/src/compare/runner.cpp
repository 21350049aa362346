// SPDX-License-Identifier: MIT
#include "compare/runner.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <unistd.h>

#include "base/error.hpp"
#include "compare/cell.hpp"
#include "process/child.hpp"

namespace concord {
namespace {

constexpr useconds_t kPollMicroseconds = 20'000;

Json limits_json(const ProcessLimits& limits) {
  return {{"seconds", limits.seconds}, {"mebibytes", limits.mebibytes}};
}

class Runner {
 public:
  Runner(const CompareFolder& folder, const Comparison& comparison, const std::vector<ResolvedCell>& resolved,
         const CompareRun& run)
      : folder_(folder), comparison_(comparison), resolved_(resolved), run_(run) {}

  void run() {
    for (size_t i = 0; i < comparison_.cells.size(); ++i)
      if (is_in_shard(comparison_, i, run_) &&
          !is_finished(folder_, comparison_.cells[i], resolved_[i], comparison_.limits, run_.retry))
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
    const std::string& needs = comparison_.cells[index].needs;
    const auto is_needed = [&](size_t other) {
      return comparison_.cells[other].is_training() && comparison_.cells[other].id == needs;
    };
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
    const CompareCell& cell = comparison_.cells[index];
    const std::filesystem::path place = folder_of(cell);
    const auto before = read_json(place / "cell.json");
    // A checkpoint is worth keeping only if it leads to the same result.
    if (!before || before->value("key", "") != resolved_[index].key) std::filesystem::remove_all(place);
    std::filesystem::create_directories(place);
    for (const char* name : {"result.json", "answer.json"}) std::filesystem::remove(place / name);
    Json record = {{"key", resolved_[index].key}, {"limits", limits_json(comparison_.limits)}};
    if (!cell.needs.empty()) record["model_of"] = cell.needs;
    if (!run_.plugin_dirs.empty()) {
      record["plugin_dirs"] = Json::array();
      for (const auto& directory : run_.plugin_dirs)
        record["plugin_dirs"].push_back(std::filesystem::absolute(directory).string());
    }
    record["request"] = cell.request;
    write_json(place / "cell.json", record);
    if (!resolved_[index].failure.empty()) {
      finish(index, {false, resolved_[index].failure, 0, 0});
      return;
    }
    std::vector<std::string> words = {
        run_.program.string(),       "compare", "--cell", place.string(), "--answer", "--threads",
        std::to_string(run_.threads)};
    running_.push_back({index, std::make_unique<Process>(words, place / "log.txt", comparison_.limits)});
    tell("start", index, {});
  }

  void finish(size_t index, const ProcessEnd& end) {
    const std::filesystem::path place = folder_of(comparison_.cells[index]);
    const auto answer = read_json(place / "answer.json");
    Json result = {{"status", end.ok && answer ? "done" : "failed"},
                   {"reason", end.ok && answer ? Json(nullptr)
                              : end.ok         ? Json("ended without an answer")
                                               : Json(end.reason)},
                   {"key", resolved_[index].key},
                   {"limits", limits_json(comparison_.limits)},
                   {"process_seconds", end.seconds},
                   {"peak_mib", end.peak_mebibytes}};
    if (end.ok && answer) result.update(*answer);
    write_json(place / "result.json", result);
    std::filesystem::remove(place / "answer.json");
    ++done_;
    tell("end", index, result);
  }

  std::filesystem::path folder_of(const CompareCell& cell) const {
    return folder_.of_cell(cell.request.at("kind"), cell.id);
  }

  void tell(const char* what, size_t index, const Json& result) const {
    if (!run_.event) return;
    Json event = {{"event", what}, {"id", comparison_.cells[index].id}, {"done", done_}, {"of", count_}};
    Json running = Json::array();
    for (const Running& one : running_)
      if (one.cell != index || std::string(what) == "start")
        running.push_back(comparison_.cells[one.cell].id);
    event["running"] = running;
    if (!result.is_null()) event["result"] = result;
    run_.event(event);
  }

  const CompareFolder& folder_;
  const Comparison& comparison_;
  const std::vector<ResolvedCell>& resolved_;
  const CompareRun& run_;
  std::deque<size_t> waiting_;
  std::list<Running> running_;
  size_t count_ = 0, done_ = 0;
};

}  // namespace

bool is_in_shard(const Comparison& comparison, size_t cell, const CompareRun& run) {
  // A solver's cell goes where its model is.
  const std::string& needs = comparison.cells[cell].needs;
  if (!needs.empty())
    for (size_t i = 0; i < comparison.cells.size(); ++i)
      if (comparison.cells[i].is_training() && comparison.cells[i].id == needs) cell = i;
  return static_cast<int>(cell % static_cast<size_t>(run.shards)) == run.shard;
}

bool is_finished(const CompareFolder& folder, const CompareCell& cell, const ResolvedCell& resolved,
                 const ProcessLimits& limits, bool retry) {
  const auto result = read_json(folder.of_cell(cell.request.at("kind"), cell.id) / "result.json");
  if (!result || result->value("key", "") != resolved.key) return false;
  if (result->value("status", "") == "done") return true;
  return !retry && result->value("limits", Json()) == limits_json(limits);
}

void run_cells(const CompareFolder& folder, const Comparison& comparison,
               const std::vector<ResolvedCell>& resolved, const CompareRun& run) {
  Runner(folder, comparison, resolved, run).run();
}

}  // namespace concord
