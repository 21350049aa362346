// SPDX-License-Identifier: MIT
#pragma once
// The folder of a comparison: plan.json says what belongs to it, cells/ID and solves/ID hold a folder for each cell:
// cell.json (what was asked), result.json (what came out), log.txt, and the model of a training cell.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/resolve.hpp"

namespace concord {

/// Holds the folder, which is made if it is not there, for one run at a time. Fault::input if another run has it,
/// Fault::io if it cannot be made or written.
class CompareFolder {
 public:
  explicit CompareFolder(std::filesystem::path folder);
  ~CompareFolder();
  CompareFolder(const CompareFolder&) = delete;
  CompareFolder& operator=(const CompareFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path of_cell(const std::string& kind, const std::string& id) const;

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

/// Title, datasets, methods, ... and {"cells": [{"kind", "id", "row", "column", "key"}]}.
Json plan_json(const Comparison& comparison, const std::vector<ResolvedCell>& resolved);
void write_plan(const CompareFolder& folder, const Json& plan);
/// Fault::input if the folder is not one of a comparison.
Json read_plan(const std::filesystem::path& folder);

/// Nothing if there is none, or if it is not whole.
std::optional<Json> read_json(const std::filesystem::path& file);
void write_json(const std::filesystem::path& file, const Json& json);

/// Brings the finished cells of `others` here. They must be of the same comparison: same config, same cells.
Json merge_plans(const CompareFolder& folder, const std::vector<std::filesystem::path>& others);

}  // namespace concord
