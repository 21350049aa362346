// SPDX-License-Identifier: MIT
#include "train/selection.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/files.hpp"
#include "process/state.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;
using Found = std::function<void(const std::vector<size_t>&)>;

/// The groups of the shard that lack a result. Groups are numbered with those that have one, so that a run that continues has
/// the same shards.
std::vector<FitGroup> untried(const std::vector<CellPlan>& cells, const CellResults& results,
                              const Shard& shard) {
  const std::vector<FitGroup> all = group_cells(cells);
  std::vector<FitGroup> groups;
  for (size_t g = 0; g < all.size(); ++g)
    if (shard.takes(g) &&
        std::any_of(all[g].cells.begin(), all[g].cells.end(), [&](size_t c) { return !results[c]; }))
      groups.push_back(all[g]);
  return groups;
}

class Tried {
 public:
  Tried(const SelectionRun& run, const char* stage, const std::vector<CellPlan>& cells, CellResults& results,
        const Found& found)
      : run_(run), stage_(stage), cells_(cells), results_(results), found_(found) {}

  void try_all(const std::vector<FitGroup>& groups) {
    fits_ = groups.size() * run_.splits.size();
    const auto ranks = static_cast<size_t>(run_.ranks.count());
    const size_t round = run_.ranks.is_alone() ? groups.size() : ranks * groups_at_a_time();
    for (size_t first = 0; first < groups.size() && !stopped_; first += round) {
      std::vector<FitGroup> own;
      const size_t end = std::min(first + round, groups.size());
      for (size_t g = first; g < end; ++g)
        if (run_.ranks.takes(static_cast<int64_t>(g))) own.push_back(groups[g]);
      try_here(own);
      finished_ = end * run_.splits.size();
      share(own);
    }
  }

 private:
  /// What keeps the threads of a rank busy. All ranks must have the same number, and have perhaps not the same processors.
  size_t groups_at_a_time() const {
    const auto threads =
        static_cast<size_t>(std::stoi(run_.ranks.of_first(std::to_string(run_.pool.threads()))));
    return (threads + run_.splits.size() - 1) / run_.splits.size();
  }

  /// Splits of all groups run side by side; a group is summed up by whoever finishes its last split.
  void try_here(const std::vector<FitGroup>& groups) {
    const size_t splits = run_.splits.size(), jobs = groups.size() * splits;
    std::vector<std::vector<SplitOutcome>> outcomes(groups.size(), std::vector<SplitOutcome>(splits));
    std::vector<size_t> left(groups.size(), splits);
    std::mutex mutex;
    run_.pool.run(static_cast<int64_t>(jobs), [&](int64_t index) {
      if (run_.control.stop_requested()) return;
      const size_t g = static_cast<size_t>(index) / splits, s = static_cast<size_t>(index) % splits;
      ThreadPool own(1);  // one thread for each split; a single one may have them all
      SplitOutcome outcome = try_split(cells_, groups[g], run_.train, run_.splits[s], run_.has_verdict,
                                       run_.seed, jobs == 1 ? run_.pool : own, run_.control);
      if (!outcome.complete) return;
      bool last = false;
      {
        const std::lock_guard lock(mutex);
        outcomes[g][s] = std::move(outcome);
        last = --left[g] == 0;
        ++finished_;
        tell();
      }
      if (!last) return;
      auto summed = summarise(cells_, groups[g], outcomes[g], run_.train, run_.splits);
      outcomes[g].clear();  // they are large
      const std::lock_guard lock(mutex);
      for (size_t j = 0; j < summed.size(); ++j) results_[groups[g].cells[j]] = std::move(summed[j]);
      found_(groups[g].cells);
    });
  }

  void tell() const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const auto done = static_cast<double>(finished_);
    run_.say({{"event", "split"},
              {"stage", stage_},
              {"done", finished_},
              {"of", fits_},
              {"seconds", seconds},
              {"left", seconds / done * (static_cast<double>(fits_) - done)}});
  }

  /// What this rank has found, to the others, and theirs.
  void share(const std::vector<FitGroup>& own) {
    CellResults fresh(results_.size());
    for (const FitGroup& group : own)
      for (const size_t c : group.cells) fresh[c] = results_[c];
    const bool stop = run_.control.stop_requested();
    if (run_.ranks.is_alone()) {
      stopped_ = stop;
      return;
    }
    const std::vector<std::string> shared = run_.ranks.exchange(results_bytes(fresh));
    for (size_t r = 0; r < shared.size(); ++r) {
      if (r == static_cast<size_t>(run_.ranks.rank())) continue;
      CellResults theirs = parse_results(shared[r]);
      std::vector<size_t> cells;
      for (size_t c = 0; c < theirs.size(); ++c) {
        if (!theirs[c]) continue;
        results_[c] = std::move(theirs[c]);
        cells.push_back(c);
      }
      if (!cells.empty()) found_(cells);
    }
    stopped_ = run_.ranks.any(stop);
  }

  const SelectionRun& run_;
  const char* stage_;
  const std::vector<CellPlan>& cells_;
  CellResults& results_;
  const Found& found_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  size_t finished_ = 0, fits_ = 0;
  bool stopped_ = false;
};

}  // namespace

void try_cells(const SelectionRun& run, const char* stage, const std::vector<CellPlan>& cells,
               CellResults& results, const Found& found) {
  results.resize(cells.size());
  Tried(run, stage, cells, results, found).try_all(untried(cells, results, run.shard));
}

void require_same_run(Ranks& ranks, const RunShape& run) {
  if (ranks.is_alone()) return;
  const Provenance host = provenance();
  const char* blas = std::getenv("OPENBLAS_CORETYPE");
  const std::pair<std::string, const char*> own[] = {
      {run.data, "other data"},
      {run.settings, "another config"},
      {run.plugins, "other plugins or builds of them"},
      {host.version + host.build_tag, "another build of the program"},
      {blas != nullptr ? blas : "", "another kind of processor"}};
  for (const auto& [mine, difference] : own) {
    const std::vector<std::string> all = ranks.exchange(mine);
    for (size_t r = 1; r < all.size(); ++r)
      if (all[r] != all.front())
        fail(Fault::input,
             "rank {} has {} than rank 0: all ranks must train the same model, to the same bits", r,
             difference);
  }
}

TrainState merge_shards(const std::vector<std::filesystem::path>& files, const RunShape& run) {
  TrainState merged;
  std::map<int, std::filesystem::path> seen;  // by number
  int count = 0;
  ErrorList errors;
  for (const auto& file : files)
    errors.attempt([&] {
      const About about{file.string(), file.string()};
      const auto [shard, state] = [&] {
        try {
          return parse_shard(read_whole_file(file), run);
        } catch (const Error& error) {
          if (error.kind() != Fault::input) throw;
          throw Error(error.kind(), error.reason(), about);
        }
      }();
      if (count == 0) count = shard.count;
      if (shard.count != count)
        fail(Fault::input, about, "this is shard {} of {}, and {} is one of {}", shard.index, shard.count,
             files.front().string(), count);
      if (const auto [at, fresh] = seen.emplace(shard.index, file); !fresh)
        fail(Fault::input, about, "shard {} of {} is given twice: it is in {} too", shard.index, count,
             at->second.string());
      const auto take = [](CellResults& all, const CellResults& some) {
        all.resize(std::max(all.size(), some.size()));
        for (size_t c = 0; c < some.size(); ++c)
          if (some[c]) all[c] = some[c];
      };
      take(merged.cells, state.cells);
      take(merged.opponents, state.opponents);
    });
  errors.throw_if_any();
  for (int index = 1; index <= count; ++index)
    if (!seen.contains(index))
      errors.add(Fault::input, fmt::format("shard {} of {} is missing", index, count), {"", kShardSubject});
  errors.throw_if_any();
  return merged;
}

}  // namespace concord
