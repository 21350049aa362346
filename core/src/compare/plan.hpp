// SPDX-License-Identifier: MIT
#pragma once
// A comparison as its config describes it, and the cells that it expands to: every method on every dataset, every
// solver on every set of problems.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/request.hpp"
#include "process/child.hpp"

namespace concord::compare {

/// The config, as results keep it.
struct ConfigText {
  std::string file, sha256, text;
  std::vector<std::string> overrides;  ///< by --set
};

struct DatasetRecord {
  std::string name, train, test;
  /// Unknown until the data are read.
  std::optional<int64_t> instances, test_instances, features, labels;
};

/// A column: a method, or one point of its axes.
struct MethodRecord {
  std::string name, method;
  NamedTexts axes;
};

/// Values that others published.
struct Reference {
  struct Value {
    std::string method, dataset;
    Json value;  ///< a number, or a text where there is none ("N/A"), as the config writes it
  };
  std::string name;
  std::vector<Value> values;
};

struct ProblemSetRecord {
  std::string name;
  std::optional<int64_t> problems;  ///< unknown until a solver has met them
  std::string labels;               ///< of each problem: "14", or "6 to 20"; empty while unknown
};

struct SolverRecord {
  std::string name, decoder, rounding;
};

inline constexpr int64_t kMostRepeats = 1000;

/// What is compared: what plan.json and results.json both say.
struct Outline {
  std::string title, metric;
  int64_t repeats = 1;                 ///< trainings of every method on every dataset
  std::vector<std::string> baselines;  ///< methods that the others are compared with, instance by instance
  ConfigText config;
  std::vector<DatasetRecord> datasets;
  std::vector<MethodRecord> methods;
  std::optional<Reference> reference;
  std::vector<ProblemSetRecord> problem_sets;
  std::vector<SolverRecord> solvers;
};
Json to_json(const Outline& outline);
Outline outline_from_json(const Json& json);

struct ComparePlan {
  Outline outline;
  ProcessLimits limits;
  std::vector<Cell> cells;  ///< training cells first, repeat by repeat

  /// The training cell with this id, or null.
  const Cell* training_cell(const std::string& id) const;
};

/// All errors at once, with file, line and column. `overrides` are --set SECTION.KEY=VALUE, for every cell.
ComparePlan read_comparison(const std::filesystem::path& file, const std::vector<std::string>& overrides);
ComparePlan parse_comparison(const std::string& text, const std::string& name,
                             const std::filesystem::path& folder, const std::vector<std::string>& overrides);

}  // namespace concord::compare
