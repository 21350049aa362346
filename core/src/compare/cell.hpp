// SPDX-License-Identifier: MIT
#pragma once
// One cell of a comparison, from its request to its result. Runs in a process of its own.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/config.hpp"
#include "solve/pipeline.hpp"

namespace concord {

using Json = nlohmann::ordered_json;

/// What the host adds to a request: where plugins are, how many threads, where the files of the cell go.
struct CellRun {
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  int threads = 1;
  std::filesystem::path folder;         ///< model, checkpoint
  std::filesystem::path model_of_cell;  ///< of a solver's cell that takes its problems from a training cell
  RunControl control;
};

/// The part of results.json that belongs to a finished cell, without its status.
Json run_cell(const Json& request, const CellRun& run);
Json run_training_cell(const Json& request, const CellRun& run);
Json run_solver_cell(const Json& request, const CellRun& run);

/// The config of a training request.
Config config_of_request(const Json& request);
/// The plugins of a solver's request, for problems with or without a cardinality. Throws with all errors.
SolvePlan plan_of_request(Registry& registry, const Json& request, bool with_cardinality);

/// Now, as 2026-11-16T18:00:00Z.
std::string timestamp();

}  // namespace concord
