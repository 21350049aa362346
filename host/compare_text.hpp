// SPDX-License-Identifier: MIT
#pragma once
// What `concord compare` says of cells that run, and of those that would.
#include <chrono>
#include <string>

#include "base/pinned.hpp"
#include "compare/runner.hpp"

namespace concord {

/// One line for each finished cell; on a terminal the running ones below it.
class CompareProgress : Pinned {
 public:
  CompareProgress(bool quiet, std::string metric);
  ~CompareProgress();

  void operator()(const compare::CellEvent& event);

 private:
  bool quiet_, terminal_;
  std::string metric_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The cells of a dry run, with their estimates. `folder` is null if there is none yet.
std::string dry_run_text(const compare::ComparePlan& plan, const std::vector<compare::ResolvedCell>& resolved,
                         const compare::CompareFolder* folder, const compare::CompareRun& run);

}  // namespace concord
