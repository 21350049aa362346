// SPDX-License-Identifier: MIT
#pragma once
// A cell of a comparison: what its process is asked to do, and the record of it in cell.json.
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compare/json_fields.hpp"
#include "config/entries.hpp"
#include "data/files.hpp"
#include "process/child.hpp"

namespace concord::compare {

enum class CellKind { training, solver };

/// Which cell of a comparison.
struct CellName {
  CellKind kind = CellKind::training;
  std::string row, column;  ///< dataset and method, or set of problems and solver
  std::string id = {};      ///< "yeast/spectral-any": unique within its kind, and its folder
  int64_t repeat = 1;       ///< of a training cell; the first has the given split, the others draw it anew

  /// With the id that row, column and repeat give: "yeast/spectral-any", "yeast/spectral-any/2".
  static CellName of(CellKind kind, const std::string& row, const std::string& column, int64_t repeat = 1);
  /// "cells/ID" or "solves/ID", "repeats/ID" of further repeats, below the folder of the comparison.
  std::filesystem::path folder() const;
};
/// {"kind", "id", and row and column under the names that the kind has for them, and the repeat unless it is the first}.
Json to_json(const CellName& name);

/// Train a method on a dataset, then score it on the test data.
struct TrainingRequest {
  NamedTexts axes;
  PluginSpec metric;  ///< as MetricReference reads it
  DataSource train, test;
  std::vector<ConfigEntry> entries;  ///< the settings, which may be a grid
  Config config;                     ///< what the entries say
  std::vector<double> reveal;        ///< shares of the labels to reveal on the test data; empty: no curve

  Dataset read_train() const { return read_dataset(train); }
  /// Must have the columns of the training data.
  Dataset read_test(const Dataset& training) const;
};

/// The data of a training cell, in the split of its repeat.
struct Split {
  Dataset train, test;
};
/// The first repeat has the split as it is given. For another one all rows are pooled and drawn anew, as many for each part;
/// which ones depends on the repeat and their number alone, so that all methods get the same.
Split split_of(const CellName& name, const TrainingRequest& request);
/// The rows of the first part, then those of the second, of `count` rows; each part in increasing order.
std::pair<std::vector<int64_t>, std::vector<int64_t>> redrawn_rows(int64_t first, int64_t count,
                                                                   int64_t repeat);

/// Where problems come from: files, or a model and the data in which it meets them.
struct ProblemSource {
  std::vector<std::string> files, names;  ///< a name for each file
  std::string model;                      ///< a model file, or
  std::string cell;                       ///< the id of the training cell that makes the model
  DataSource data;
  std::optional<std::string> rows;  ///< of the data, as "0-49"; by default the first 50

  bool is_files() const { return !files.empty(); }
};

/// Solve every problem of a set.
struct SolverRequest {
  ProblemSource source;
  PluginSpec decoder;
  std::vector<PluginSpec> rounding;  ///< empty: the default, which depends on the problem
  uint64_t seed = 0;
  std::vector<std::filesystem::path> plugin_dirs;
};

/// One cell: what runs in a process of its own.
struct Cell {
  CellName name;
  std::variant<TrainingRequest, SolverRequest> request;

  bool is_training() const { return name.kind == CellKind::training; }
  const TrainingRequest& training() const { return std::get<TrainingRequest>(request); }
  const SolverRequest& solver() const { return std::get<SolverRequest>(request); }
  /// The id of the training cell whose model gives the problems, or empty.
  std::string needs() const { return is_training() ? "" : solver().source.cell; }
};
Json to_json(const Cell& cell);
/// Fault::input if the settings are not those of a config.
Cell cell_from_json(const Json& json);

Json to_json(const ProcessLimits& limits);
ProcessLimits limits_from_json(const Json& json);

/// What cell.json holds.
struct CellRecord {
  std::string key;
  ProcessLimits limits;
  std::vector<std::filesystem::path> plugin_dirs;  ///< of the command line
  Cell cell;
};
Json to_json(const CellRecord& record);
/// Fault::input if there is no cell.json of a comparison in the folder.
CellRecord read_cell_record(const std::filesystem::path& folder);

}  // namespace concord::compare
