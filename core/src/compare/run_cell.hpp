// SPDX-License-Identifier: MIT
#pragma once
// One cell of a comparison, from its request to its answer. Runs in a process of its own.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "compare/result.hpp"
#include "plugin/registry.hpp"
#include "train/plan.hpp"

namespace concord::compare {

/// What the host adds to a request: where plugins are, how many threads, where the files of the cell go.
struct CellRun {
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  int threads = 1;
  RunControl control;
  std::filesystem::path folder = {};  ///< model, checkpoint
  std::filesystem::path model_of_cell =
      {};  ///< of a solver's cell that takes its problems from a training cell
};

/// What the process of a comparison does: runs the cell that cell.json in the folder asks for, and leaves its answer
/// there. Fault::input if there is no cell.json.
void answer_cell(const std::filesystem::path& folder, CellRun run);
/// Takes away the answer that answer_cell left in the folder, if there is one.
std::optional<Answer> take_answer(const std::filesystem::path& folder, CellKind kind);

struct Repeated {
  Answer answer;
  std::optional<bool> same;  ///< as the result of the comparison, if there is one
};
/// The cell again, into FOLDER/again: what the comparison has made stays as it is.
Repeated repeat_cell(const std::filesystem::path& folder, CellRun run);

TrainingResult run_training_cell(const Cell& cell, const CellRun& run);
SolverResult run_solver_cell(const Cell& cell, const CellRun& run);

/// The folders of the command line, then those of the cell.
std::vector<std::filesystem::path> plugin_dirs_of(const Cell& cell, std::vector<std::filesystem::path> given);
/// The plugins of a solver, for problems with or without a cardinality. Throws with all errors.
SolvePlan plan_of(Registry& registry, const SolverRequest& request, bool with_cardinality);

/// The decoders, losses, roundings and metrics of the cell that are misspelt.
void check_spelling(const Cell& cell, Registry& registry, ErrorList& slips);

/// How many passes over an instance all fits of the cell make, and how many fits there are.
struct Work {
  double visits = 0;
  int64_t fits = 0;
};
Work work_of(const std::vector<CellPlan>& plans, int64_t instances);

/// Seconds for one visit of an instance, from one epoch on a few of them.
double visit_seconds(const CellPlan& plan, const Dataset& train, const RunControl& control);

/// Now, as 2026-11-16T18:00:00Z.
std::string timestamp();

}  // namespace concord::compare
