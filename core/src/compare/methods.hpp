// SPDX-License-Identifier: MIT
#pragma once
// The training part of a comparison: every method on every dataset.
#include <map>
#include <string>
#include <vector>

#include "compare/plan.hpp"
#include "compare/sections.hpp"

namespace concord::compare {

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
  Entries common;                             ///< said to all methods
  const std::vector<std::string>& overrides;  ///< --set
};
/// Adds the columns, and a cell for each method on each of its datasets.
void add_training_cells(const TrainingPart& part, ComparePlan& plan, ErrorList& errors);

}  // namespace concord::compare
