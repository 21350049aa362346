// SPDX-License-Identifier: MIT
#pragma once
// The solver-level part of a comparison: decoders on problems from files, or on those that a model meets in data.
#include <functional>

#include "compare/plan.hpp"
#include "compare/sections.hpp"
#include "problem/problem.hpp"

namespace concord::compare {

/// Adds the cells of [problems.*] x [solver.*]. `common` has the plugin folders and the seed.
void add_solver_cells(const ConfigValue& problems, const ConfigValue& solvers, const Entries& common,
                      ComparePlan& plan, ErrorList& errors);

/// The rows of the data whose problems are solved: those of [problems.NAME], else the first 50.
std::vector<int64_t> rows_of(const ProblemSource& source, const std::string& name, int64_t instances);

/// The problems of a cell, in order. `model_of_cell` is the file that a source with a training cell takes.
void for_problems(const Cell& cell, const std::filesystem::path& model_of_cell,
                  const std::function<void(const std::string& name, const CanonicalProblem& problem)>& visit);

}  // namespace concord::compare
