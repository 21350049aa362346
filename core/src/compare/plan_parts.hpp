// SPDX-License-Identifier: MIT
#pragma once
// The pieces of which a comparison is read: tables of the config, settings in layers, methods on datasets, solvers on
// sets of problems.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compare/plan.hpp"
#include "problem/problem.hpp"

namespace concord::compare {

/// Settings as layers: the later one wins, key by key.
using Entries = std::vector<ConfigEntry>;

/// Refuses members that are neither among `known` nor, where `sections` allows it, sections of a training config.
void require_known(const ConfigValue& table, const std::string& what, const std::vector<std::string>& known,
                   bool sections, ErrorList& errors);
/// Refuses a name that is not one of `names`, which are of a `kind`: dataset, method.
void require_name(const std::string& name, const char* kind, const std::vector<std::string>& names,
                  const std::string& place, ErrorList& errors);

/// The table at the key; an empty one if there is none.
const ConfigValue& table_member(const ConfigValue& table, const char* key);
/// One name, or a list of them.
std::vector<std::string> read_names(const ConfigValue& value, const std::string& expected);
/// Absolute. Fault::input where there is no such file.
std::filesystem::path existing_file(const ConfigValue& value);
/// From 0 to below 1, each larger than the one before.
std::vector<double> read_shares(const ConfigValue& value);
/// The format of the data in a table, if it says one.
DataFormat read_format(const ConfigValue& table);

/// The settings of the members of `table` that are sections of a training config.
Entries read_sections(const ConfigValue& table, ErrorList& errors);
/// `upper` on top of `lower`: a key keeps its place, so that grids keep their order.
Entries layered(Entries lower, const Entries& upper);
bool sets(const Entries& entries, const SettingKey* key);

/// [dataset.NAME]
struct DatasetEntry {
  std::string name;
  DataSource train, test;
  Entries settings;
};

/// [method.NAME], with what it has from the one that it is like.
struct MethodEntry {
  std::string name;
  Entries settings;
  Entries axes;
  std::map<std::string, Entries> per_dataset;
  std::vector<std::string> datasets;  ///< empty: all
};
MethodEntry read_method(const ConfigMember& member, const std::vector<MethodEntry>& above,
                        const std::vector<std::string>& datasets, ErrorList& errors);

/// What training cells are made of.
struct TrainingPart {
  std::vector<DatasetEntry> datasets;
  std::vector<MethodEntry> methods;
  Entries common;                               ///< said to all methods
  const std::vector<std::string>& overrides;    ///< --set
  PluginSpec metric = SelectSettings().metric;  ///< of the tables
  std::vector<double> reveal = {};              ///< shares of the labels to reveal on the test data
};
/// Adds the columns, and a cell for each method on each of its datasets.
void add_training_cells(const TrainingPart& part, ComparePlan& plan, ErrorList& errors);

/// Adds the cells of [problems.*] x [solver.*]. `common` has the plugin folders and the seed.
void add_solver_cells(const ConfigValue& problems, const ConfigValue& solvers, const Entries& common,
                      ComparePlan& plan, ErrorList& errors);

/// The rows of the data whose problems are solved: those of [problems.NAME], else the first 50.
std::vector<int64_t> rows_of(const ProblemSource& source, const std::string& name, int64_t instances);

/// The problems of a cell, in order. `model_of_cell` is the file that a source with a training cell takes.
void for_problems(const Cell& cell, const std::filesystem::path& model_of_cell,
                  const std::function<void(const std::string& name, const CanonicalProblem& problem)>& visit);

}  // namespace concord::compare
