// SPDX-License-Identifier: MIT
// What is compared, as plan.json and results.json write it.
#include <algorithm>
#include <fmt/format.h>

#include "compare/plan.hpp"

namespace concord::compare {
namespace {

/// Null where there is none, as in the files of version 0.1.
template <class Struct, class Make>
Json list_or_null(const std::vector<Struct>& list, Make&& make) {
  Json json;
  for (const Struct& one : list) json.push_back(make(one));
  return json;
}

Json count_json(const std::optional<int64_t>& count) {
  return count ? Json(*count) : Json(nullptr);
}

std::optional<int64_t> count_at(const Json& json, const char* key) {
  if (!json_at(json, key).is_number()) return std::nullopt;
  return integer_at(json, key);
}

Json dataset_json(const DatasetRecord& dataset) {
  return {{"name", dataset.name},
          {"train", dataset.train},
          {"test", dataset.test},
          {"instances", count_json(dataset.instances)},
          {"test_instances", count_json(dataset.test_instances)},
          {"features", count_json(dataset.features)},
          {"labels", count_json(dataset.labels)}};
}

DatasetRecord dataset_from_json(const Json& json) {
  return {json.at("name"),
          text_at(json, "train"),
          text_at(json, "test"),
          count_at(json, "instances"),
          count_at(json, "test_instances"),
          count_at(json, "features"),
          count_at(json, "labels")};
}

Json method_json(const MethodRecord& method) {
  return {{"name", method.name}, {"method", method.method}, {"axes", to_json(method.axes)}};
}

MethodRecord method_from_json(const Json& json) {
  return {json.at("name"), json.at("method"), texts_from_json(json_at(json, "axes"))};
}

Json reference_json(const std::optional<Reference>& reference) {
  if (!reference) return nullptr;
  Json values = Json::object();
  for (const auto& [method, dataset, value] : reference->values) values[method][dataset] = value;
  return {{"name", reference->name}, {"values", values}};
}

std::optional<Reference> reference_from_json(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  Reference reference{text_at(json, "name"), {}};
  for (const auto& [method, row] : json_at(json, "values").items())
    for (const auto& [dataset, value] : row.items()) reference.values.push_back({method, dataset, value});
  return reference;
}

Json problem_set_json(const ProblemSetRecord& set) {
  return {{"name", set.name}, {"problems", count_json(set.problems)}, {"labels", text_json(set.labels)}};
}

ProblemSetRecord problem_set_from_json(const Json& json) {
  return {json.at("name"), count_at(json, "problems"), text_at(json, "labels")};
}

Json solver_json(const SolverRecord& solver) {
  return {{"name", solver.name}, {"decoder", solver.decoder}, {"rounding", solver.rounding}};
}

SolverRecord solver_record_from_json(const Json& json) {
  return {text_at(json, "name"), text_at(json, "decoder"), text_at(json, "rounding")};
}

}  // namespace

Json to_json(const Outline& outline) {
  Json json = {{"title", outline.title},
               {"metric", outline.metric},
               {"baselines", outline.baselines},
               {"config",
                {{"file", outline.config.file},
                 {"sha256", outline.config.sha256},
                 {"text", outline.config.text},
                 {"overrides", outline.config.overrides}}},
               {"datasets", list_or_null(outline.datasets, dataset_json)},
               {"methods", list_or_null(outline.methods, method_json)},
               {"reference", reference_json(outline.reference)},
               {"problem_sets", list_or_null(outline.problem_sets, problem_set_json)},
               {"solvers", list_or_null(outline.solvers, solver_json)}};
  if (outline.repeats > 1) json["repeats"] = outline.repeats;
  return json;
}

Outline outline_from_json(const Json& json) {
  const Json& config = json_at(json, "config");
  return {text_at(json, "title"),
          json.at("metric"),
          std::clamp<int64_t>(integer_at(json, "repeats"), 1, kMostRepeats),
          json.at("baselines").get<std::vector<std::string>>(),
          {text_at(config, "file"), text_at(config, "sha256"), text_at(config, "text"),
           list_from_json(json_at(config, "overrides"), plain)},
          list_from_json(json.at("datasets"), dataset_from_json),
          list_from_json(json.at("methods"), method_from_json),
          reference_from_json(json_at(json, "reference")),
          list_from_json(json.at("problem_sets"), problem_set_from_json),
          list_from_json(json.at("solvers"), solver_record_from_json)};
}

}  // namespace concord::compare
