// SPDX-License-Identifier: MIT
#include "compare/result.hpp"

#include <algorithm>

namespace concord::compare {

// Static, not in an unnamed namespace: list_json finds them by the namespace of their argument.
static Json to_json(const PluginRecord& record) {
  return {{"plugin", record.plugin},
          {"version", record.version},
          {"build", record.build},
          {"options", to_json(record.options)}};
}

static PluginRecord plugin_from_json(const Json& json) {
  return {text_at(json, "plugin"), text_at(json, "version"), text_at(json, "build"),
          texts_from_json(json_at(json, "options"))};
}

static Range range_from_json(const Json& pair) {
  const auto end = [&](size_t i) {
    return pair.is_array() && pair.size() == 2 && pair[i].is_number() ? pair[i].get<double>() : unknown;
  };
  return {end(0), end(1)};
}

static Json to_json(const Range& range) {
  return Json::array({number_or_null(range.low), number_or_null(range.high)});
}

std::vector<MetricValue> metrics_from_json(const Json& values, const Json& intervals) {
  std::vector<MetricValue> metrics;
  for (const auto& [name, ignored] : values.items()) {
    metrics.push_back({name, number_at(values, name), range_from_json(json_at(intervals, name))});
  }
  return metrics;
}

static Json to_json(const Validation& validation) {
  return {{"metric", validation.metric},
          {"value", number_or_null(validation.value)},
          {"error", number_or_null(validation.error)}};
}

using Help = PriorFigures::Help;

static Json to_json(const PriorFigures& figures) {
  Json json = {{"with", number_or_null(figures.with)},
               {"without", number_or_null(figures.without)},
               {"better", figures.help == Help::yes    ? "with"
                          : figures.help == Help::hurt ? "without"
                                                       : "neither"},
               {"difference", number_or_null(figures.difference)},
               {"error", number_or_null(figures.error)}};
  if (!figures.why.empty()) json["why"] = figures.why;
  return json;
}

static PriorFigures figures_from_json(const Json& json) {
  const std::string better = text_at(json, "better");
  return {number_at(json, "with"),
          number_at(json, "without"),
          number_at(json, "difference"),
          number_at(json, "error"),
          better == "with"      ? Help::yes
          : better == "without" ? Help::hurt
                                : Help::cannot_be_told,
          text_at(json, "why")};
}

static Json to_json(const PriorVerdict& verdict) {
  if (!verdict.measured) return {{"measured", false}};
  // The keys keep the order of version 0.1.
  Json json = {{"measured", true},
               {"metric", verdict.metric},
               {"with", nullptr},
               {"without", nullptr},
               {"paired_on", verdict.paired_on}};
  json.update(to_json(static_cast<const PriorFigures&>(verdict)));
  if (verdict.known > 0) json["known"] = verdict.known;
  if (verdict.otherwise)
    json[verdict.known > 0 ? "nothing_known" : "half_known"] = to_json(*verdict.otherwise);
  return json;
}

PriorVerdict verdict_from_json(const Json& json) {
  PriorVerdict verdict{figures_from_json(json),
                       json.at("measured"),
                       text_at(json, "metric"),
                       text_at(json, "paired_on"),
                       0,
                       {}};
  if (json.contains("known")) verdict.known = number_at(json, "known");
  for (const char* key : {"nothing_known", "half_known"})
    if (const Json& found = json_at(json, key); found.is_object())
      verdict.otherwise = figures_from_json(found);
  return verdict;
}

static Json to_json(const EpochPoint& point) {
  return Json::array(
      {number_or_null(point.seconds), number_or_null(point.objective), number_or_null(point.gap)});
}

static EpochPoint epoch_from_json(const Json& json) {
  const auto number = [&](size_t i) { return json.at(i).is_number() ? json.at(i).get<double>() : unknown; };
  return {number(0), number(1), number(2)};
}

static Json to_json(const RevealPoint& point) {
  return {
      {"share", point.share}, {"value", number_or_null(point.value)}, {"interval", to_json(point.interval)}};
}

static RevealPoint reveal_from_json(const Json& json) {
  return {json.at("share"), number_at(json, "value"), range_from_json(json_at(json, "interval"))};
}

static CalibrationBin bin_from_json(const Json& json) {
  return {json.at("count"), json.at("probability"), json.at("share")};
}

/// The matrix as its lower triangle.
static Json to_json(const PriorExcerpt& prior) {
  Json matrix = Json::array(), strongest = Json::array();
  for (int64_t i = 0; i < prior.A.rows(); ++i) {
    Json row = Json::array();
    for (int64_t j = 0; j <= i; ++j) row.push_back(prior.A(i, j));
    matrix.push_back(std::move(row));
  }
  for (const auto& pair : prior.strongest)
    strongest.push_back({{"a", pair.a}, {"b", pair.b}, {"value", pair.value}});
  return {{"names", prior.names}, {"matrix", matrix}, {"labels", prior.labels}, {"strongest", strongest}};
}

/// What is not finite is 0, and no pair.
static PriorExcerpt prior_from_json(const Json& json) {
  PriorExcerpt prior;
  prior.names = json.at("names").get<std::vector<std::string>>();
  prior.labels = integer_at(json, "labels");
  const auto n = static_cast<int64_t>(prior.names.size());
  for (size_t i = 0; i < prior.names.size(); ++i)
    json.at("matrix").at(i).at(i);  // before memory is taken for them
  prior.A.resize(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const Json& entry = json.at("matrix").at(static_cast<size_t>(i)).at(static_cast<size_t>(j));
      const double value = entry.is_number() ? entry.get<double>() : 0;
      prior.A(i, j) = prior.A(j, i) = std::isfinite(value) ? value : 0;
    }
  for (const Json& pair : json.at("strongest"))
    if (const double value = number_at(pair, "value"); std::isfinite(value) && value != 0)
      prior.strongest.push_back({pair.at("a"), pair.at("b"), value});
  return prior;
}

template <class Struct>
static Json optional_json(const std::optional<Struct>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

static TrainingResult training_answer(const Json& json) {
  TrainingResult result;
  result.metrics = metrics_from_json(json.at("metrics"), json_at(json, "intervals"));
  result.labels_predicted = number_at(json, "labels_predicted");
  result.labels_true = number_at(json, "labels_true");
  result.selected = texts_from_json(json_at(json, "selected"));
  if (const Json& found = json_at(json, "validation"); found.is_object())
    result.validation = {text_at(found, "metric"), number_at(found, "value"), number_at(found, "error")};
  if (const Json& found = json_at(json, "prior_helped"); found.is_object())
    result.prior_helped = verdict_from_json(found);
  result.objective = number_at(json, "objective");
  result.gap = number_at(json, "gap");
  result.gap_is_estimate = flag_at(json, "estimate");
  result.train_seconds = number_at(json_at(json, "seconds"), "train");
  result.test_seconds = number_at(json_at(json, "seconds"), "test");
  result.resumed = flag_at(json, "resumed");
  result.threads = integer_at(json, "threads");
  result.instances = integer_at(json, "instances");
  result.test_instances = integer_at(json, "test_instances");
  result.features = integer_at(json, "features");
  result.labels = integer_at(json, "labels");
  result.data_sha256 = text_at(json, "data_sha256");
  result.seed = integer_at<uint64_t>(json, "seed");
  result.config = json_at(json, "config");
  result.plugins = list_from_json(json_at(json, "plugins"), plugin_from_json);
  result.host = host_from_json(json_at(json, "host"));
  result.started = text_at(json, "started");
  result.warnings = list_from_json(json_at(json, "warnings"), plain);
  result.convergence = list_from_json(json_at(json, "convergence"), epoch_from_json);
  if (const Json& found = json_at(json, "prior"); found.is_object()) result.prior = prior_from_json(found);
  if (const Json& found = json_at(json, "examples"); found.is_object())
    result.examples = examples_from_json(found);
  result.reveal = list_from_json(json_at(json, "reveal"), reveal_from_json);
  result.reliability = list_from_json(json_at(json, "reliability"), bin_from_json);
  if (const Json& found = json_at(json, "losses"); found.is_array())
    result.losses = found.get<std::vector<double>>();
  return result;
}

static Json to_json(const ProblemResult& result) {
  return {{"problem", result.problem},
          {"labels", result.labels},
          {"status", result.status},
          {"bound", number_or_null(result.bound)},
          {"value", number_or_null(result.value)},
          {"gap", number_or_null(result.gap)},
          {"seconds", number_or_null(result.seconds)},
          {"message", result.message}};
}

static ProblemResult problem_from_json(const Json& json) {
  return {text_at(json, "problem"),   integer_at(json, "labels"), text_at(json, "status"),
          number_at(json, "bound"),   number_at(json, "value"),   number_at(json, "gap"),
          number_at(json, "seconds"), text_at(json, "message")};
}

static SolverResult solver_answer(const Json& json) {
  return {list_from_json(json.at("results"), problem_from_json), integer_at<uint64_t>(json, "seed"),
          list_from_json(json_at(json, "plugins"), plugin_from_json), host_from_json(json_at(json, "host")),
          text_at(json, "started")};
}

static Status status_from_json(const Json& json) {
  const std::string word = json.at("status");
  for (const Status status : {Status::done, Status::failed, Status::pending})
    if (word == name_of(status)) return status;
  fail(Fault::input, "the results have a cell with status '{}'; there are done, failed and pending", word);
}

PluginRecord record_of(const BoundPlugin& chosen) {
  NamedTexts options;
  for (size_t i = 0; i < chosen.options.records().size(); ++i)
    options.emplace_back(chosen.options.records()[i].name, chosen.options.text(i));
  return {chosen.plugin->id(), chosen.plugin->version(), chosen.plugin->build_tag(), std::move(options)};
}

Json plugins_json(const std::vector<PluginRecord>& plugins) {
  return list_json(plugins);
}

std::vector<PluginRecord> plugins_from_json(const Json& json) {
  return list_from_json(json, plugin_from_json);
}

Json to_json(const Provenance& host) {
  return {{"version", host.version},
          {"build_tag", host.build_tag},
          {"processor", host.processor},
          {"system", host.system}};
}

Provenance host_from_json(const Json& json) {
  return {text_at(json, "version"), text_at(json, "build_tag"), text_at(json, "processor"),
          text_at(json, "system")};
}

const MetricValue* metric_of(const std::vector<MetricValue>& metrics, const std::string& name) {
  const auto at = std::find_if(metrics.begin(), metrics.end(),
                               [&](const MetricValue& metric) { return metric.name == name; });
  return at == metrics.end() ? nullptr : &*at;
}

Json to_json(const TrainingResult& result) {
  Json values = Json::object(), intervals = Json::object();
  for (const MetricValue& metric : result.metrics) {
    values[metric.name] = number_or_null(metric.value);
    intervals[metric.name] = to_json(metric.interval);
  }
  Json json = {
      {"metrics", values},
      {"intervals", intervals},
      {"labels_predicted", number_or_null(result.labels_predicted)},
      {"labels_true", number_or_null(result.labels_true)},
      {"selected", to_json(result.selected)},
      {"validation", optional_json(result.validation)},
      {"prior_helped", optional_json(result.prior_helped)},
      {"objective", number_or_null(result.objective)},
      {"gap", number_or_null(result.gap)},
      {"estimate", result.gap_is_estimate},
      {"seconds",
       {{"train", number_or_null(result.train_seconds)}, {"test", number_or_null(result.test_seconds)}}},
      {"resumed", result.resumed},
      {"threads", result.threads},
      {"instances", result.instances},
      {"test_instances", result.test_instances},
      {"features", result.features},
      {"labels", result.labels},
      {"data_sha256", result.data_sha256},
      {"seed", result.seed},
      {"config", result.config},
      {"plugins", list_json(result.plugins)},
      {"host", to_json(result.host)},
      {"started", result.started},
      {"warnings", result.warnings},
      {"convergence", list_json(result.convergence)},
      {"prior", optional_json(result.prior)},
      {"losses", result.losses.empty() ? Json(nullptr) : Json(result.losses)}};
  if (result.examples) json["examples"] = to_json(*result.examples);
  if (!result.reveal.empty()) json["reveal"] = list_json(result.reveal);
  if (!result.reliability.empty()) json["reliability"] = reliability_json(result.reliability);
  return json;
}

Json to_json(const SolverResult& result) {
  return {{"results", list_json(result.results)},
          {"seed", result.seed},
          {"plugins", list_json(result.plugins)},
          {"host", to_json(result.host)},
          {"started", result.started}};
}

Json to_json(const Answer& answer) {
  return std::visit([](const auto& result) { return to_json(result); }, answer);
}

Answer answer_from_json(const Json& json, CellKind kind) {
  if (kind == CellKind::training) return training_answer(json);
  return solver_answer(json);
}

const char* name_of(Status status) {
  return status == Status::done ? "done" : status == Status::failed ? "failed" : "pending";
}

Json to_json(const CellResult& result) {
  const CellEnd& end = result.end;
  Json json = {{"status", name_of(end.status)}, {"reason", text_json(end.reason)}, {"key", end.key}};
  if (end.limits) json["limits"] = to_json(*end.limits);
  if (std::isfinite(end.process_seconds)) json["process_seconds"] = end.process_seconds;
  if (std::isfinite(end.peak_mib)) json["peak_mib"] = end.peak_mib;
  if (end.done()) json.update(to_json(result.answer));
  return json;
}

CellResult result_from_json(const Json& json, CellKind kind) {
  CellResult result{{status_from_json(json),
                     text_at(json, "reason"),
                     text_at(json, "key"),
                     {},
                     number_at(json, "process_seconds"),
                     number_at(json, "peak_mib")},
                    {}};
  if (const Json& limits = json_at(json, "limits"); limits.is_object())
    result.end.limits = limits_from_json(limits);
  if (result.end.done()) result.answer = answer_from_json(json, kind);
  return result;
}

std::optional<CellResult> read_result(const std::filesystem::path& folder, CellKind kind) {
  const std::optional<Json> json = read_json(folder / "result.json");
  if (!json) return std::nullopt;
  try {
    return result_from_json(*json, kind);
  } catch (const Json::exception&) {  // not a result
    return std::nullopt;
  }
}

}  // namespace concord::compare
