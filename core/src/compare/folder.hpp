// SPDX-License-Identifier: MIT
#pragma once
// The folder of a comparison: plan.json says what belongs to it, cells/ID, repeats/ID and solves/ID hold a folder for each cell:
// cell.json (what was asked), result.json (what came out), log.txt, and the model of a training cell.
#include <filesystem>
#include <string>
#include <vector>

#include "base/pinned.hpp"
#include "compare/plan.hpp"

namespace concord::compare {

/// Holds the folder, which is made if it is not there, for one run at a time. Fault::input if another run has it,
/// Fault::io if it cannot be made or written.
class CompareFolder : Pinned {
 public:
  explicit CompareFolder(std::filesystem::path folder);
  ~CompareFolder();

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path of_cell(const CellName& name) const { return folder_ / name.folder(); }

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

/// What plan.json holds.
struct PlanRecord {
  Outline outline;
  struct KeyedCell {
    CellName name;
    std::string key;  ///< of the result that belongs to the plan
  };
  std::vector<KeyedCell> cells;
};
/// Cells that this run has not looked at (another shard) keep the keys that a plan of the same comparison in the folder has
/// for them.
void write_plan(const CompareFolder& folder, PlanRecord& plan);
/// Fault::input if the folder is not one of a comparison.
PlanRecord read_plan(const std::filesystem::path& folder);

/// Brings the finished cells of `others` here. They must be of the same comparison: same config, same cells.
PlanRecord merge_plans(const CompareFolder& folder, const std::vector<std::filesystem::path>& others);

}  // namespace concord::compare
