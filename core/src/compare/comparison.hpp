// SPDX-License-Identifier: MIT
#pragma once
// A comparison as its config describes it, and the cells that it expands to: every method on every dataset, every
// solver on every set of problems.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "process/child.hpp"

namespace concord {

using Json = nlohmann::ordered_json;

/// One cell: what runs in a process of its own.
struct CompareCell {
  std::string id;           ///< "yeast/spectral-any": unique, and its folder below cells/ or solves/
  std::string row, column;  ///< dataset and method, or set of problems and solver
  /// All that the process needs, as its record keeps it; see run_cell().
  Json request;
  /// Of a training cell: the config that the request holds, which knows where its values were written.
  std::optional<Config> config;
  std::string needs;  ///< of a solver's cell: the training cell whose model gives the problems, or empty
  bool is_training() const { return config.has_value(); }
};

struct Comparison {
  std::string title;
  std::string metric;
  std::vector<std::string> baselines;  ///< methods that the others are compared with, instance by instance
  ProcessLimits limits;
  /// As results.json has them.
  Json datasets, methods, reference, problem_sets, solvers;
  Json config;  ///< {"file", "sha256", "text", "overrides"}
  std::vector<std::filesystem::path> plugin_dirs;
  std::vector<CompareCell> cells;  ///< training cells first
};

/// All errors at once, with file, line and column. `overrides` are --set SECTION.KEY=VALUE, for every cell.
Comparison read_comparison(const std::filesystem::path& file, const std::vector<std::string>& overrides);
Comparison parse_comparison(const std::string& text, const std::string& name,
                            const std::filesystem::path& folder, const std::vector<std::string>& overrides);

/// A name as a folder: what is not a letter, a digit or one of ".-_" becomes '-'.
std::string folder_name(const std::string& name);

}  // namespace concord
