// SPDX-License-Identifier: MIT
#pragma once
// What came out of a cell: the answer of its process, and how that process ended. result.json holds both.
#include <Eigen/Core>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compare/examples.hpp"
#include "compare/request.hpp"
#include "metrics/metrics.hpp"
#include "process/state.hpp"
#include "solve/pipeline.hpp"

namespace concord::compare {

/// A plugin at work.
struct PluginRecord {
  std::string plugin, version, build;
  NamedTexts options;  ///< all of them, as they were in effect
  bool operator==(const PluginRecord&) const = default;
};
PluginRecord record_of(const BoundPlugin& chosen);
Json plugins_json(const std::vector<PluginRecord>& plugins);
std::vector<PluginRecord> plugins_from_json(const Json& json);

Json to_json(const Provenance& host);
Provenance host_from_json(const Json& json);

struct Range {
  double low = unknown, high = unknown;
  bool known() const { return std::isfinite(low) && std::isfinite(high); }
};

struct MetricValue {
  std::string name;
  double value = unknown;
  Range interval;  ///< 95 %
};

/// {NAME: VALUE} and {NAME: [LOW, HIGH]}.
std::vector<MetricValue> metrics_from_json(const Json& values, const Json& intervals);

/// Null if there is none of that name.
const MetricValue* metric_of(const std::vector<MetricValue>& metrics, const std::string& name);

/// The winner of the selection, on validation data.
struct Validation {
  std::string metric;
  double value = unknown, error = unknown;
};

/// Did the prior help, measured on validation data?
/// With some labels known or none.
struct PriorFigures {
  double with = unknown, without = unknown, difference = unknown, error = unknown;
  enum class Help { yes, hurt, cannot_be_told } help = Help::cannot_be_told;
  std::string why;  ///< why it cannot be told; empty in results of version 0.1
};
struct PriorVerdict : PriorFigures {
  bool measured = false;
  std::string metric, paired_on;
  double known = 0;                       ///< the share of labels that is known
  std::optional<PriorFigures> otherwise;  ///< with none if some are known, else with half of them
};

PriorVerdict verdict_from_json(const Json& json);

/// The final fit after an epoch.
struct EpochPoint {
  double seconds, objective, gap;
};

/// The metric on the labels that are unknown when a share of them is revealed.
struct RevealPoint {
  double share = unknown, value = unknown;
  Range interval;  ///< 95 %
};

/// What a report shows of the prior: the labels that it says most about, and the strongest pairs.
struct PriorExcerpt {
  std::vector<std::string> names;
  Eigen::MatrixXd A;   ///< of these labels; symmetric
  int64_t labels = 0;  ///< of the whole prior
  struct Pair {
    std::string a, b;
    double value;
  };
  std::vector<Pair> strongest;
};

/// The answer of a training cell.
struct TrainingResult {
  std::vector<MetricValue> metrics;
  double labels_predicted = unknown, labels_true = unknown;  ///< of a test instance, on average
  NamedTexts selected;
  std::optional<Validation> validation;
  std::optional<PriorVerdict> prior_helped;
  double objective = unknown, gap = unknown;
  bool gap_is_estimate = false;
  double train_seconds = unknown;  ///< unknown for a run that was resumed
  double test_seconds = unknown;
  bool resumed = false;
  int64_t threads = 0, instances = 0, test_instances = 0, features = 0, labels = 0;
  std::string data_sha256;
  uint64_t seed = 0;
  Json config;  ///< the effective settings, as a config writes them
  std::vector<PluginRecord> plugins;
  Provenance host;
  std::string started;
  std::vector<std::string> warnings;
  std::vector<EpochPoint> convergence;
  std::optional<PriorExcerpt> prior;
  std::optional<Examples> examples;  ///< of a model with a prior
  std::vector<RevealPoint> reveal;   ///< empty unless the comparison asks for it
  std::vector<CalibrationBin>
      reliability;             ///< of the probabilities of the test labels; empty if there are none
  std::vector<double> losses;  ///< of the test instances, if the metric is a mean over them

  const MetricValue* metric(const std::string& name) const { return metric_of(metrics, name); }
};
Json to_json(const TrainingResult& result);

/// The answer of a solver to one problem.
struct ProblemResult {
  std::string problem;
  int64_t labels = 0;
  std::string status;
  double bound = unknown, value = unknown, gap = unknown, seconds = unknown;
  std::string message;
};

/// The answer of a solver's cell.
struct SolverResult {
  std::vector<ProblemResult> results;
  uint64_t seed = 0;
  std::vector<PluginRecord> plugins;
  Provenance host;
  std::string started;
};
Json to_json(const SolverResult& result);

using Answer = std::variant<TrainingResult, SolverResult>;
Json to_json(const Answer& answer);
Answer answer_from_json(const Json& json, CellKind kind);

enum class Status { done, failed, pending };
const char* name_of(Status status);

/// How the process of a cell ended.
struct CellEnd {
  Status status = Status::pending;
  std::string reason;                   ///< of a failure
  std::string key;                      ///< of all that determined the result
  std::optional<ProcessLimits> limits;  ///< under which the process ran
  double process_seconds = unknown, peak_mib = unknown;

  bool done() const { return status == Status::done; }
};

/// What result.json holds.
struct CellResult {
  CellEnd end;
  Answer answer;  ///< empty unless done
};
Json to_json(const CellResult& result);
/// Json::exception where a field is missing that every result has, Fault::input for an unknown status.
CellResult result_from_json(const Json& json, CellKind kind);

/// Nothing if there is no result in the folder of a cell, or none that is whole.
std::optional<CellResult> read_result(const std::filesystem::path& folder, CellKind kind);

}  // namespace concord::compare
