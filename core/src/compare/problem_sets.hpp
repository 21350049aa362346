// SPDX-License-Identifier: MIT
#pragma once
// The solver-level part of a comparison: decoders on problems from files, or on those that a model meets in data.
#include <functional>

#include "base/error.hpp"
#include "compare/comparison.hpp"
#include "config/entries.hpp"
#include "problem/problem.hpp"

namespace concord {

/// Adds the cells of [problems.*] x [solver.*]. `common` has the plugin folders and the seed.
void add_solver_cells(const ConfigValue& problems, const ConfigValue& solvers,
                      const std::vector<ConfigEntry>& common, Comparison& comparison, ErrorList& errors);

/// The rows of the data whose problems are solved: those of [problems.NAME], else the first 50.
std::vector<int64_t> rows_of(const Json& source, const std::string& name, int64_t instances);

/// The problems of a request, in order; `model` is the file to take instead of the request's, if not empty.
void for_problems(const Json& request, const std::filesystem::path& model,
                  const std::function<void(const std::string& name, const CanonicalProblem& problem)>& visit);

}  // namespace concord
