// SPDX-License-Identifier: MIT
#include "compare/results.hpp"

#include "base/error.hpp"

namespace concord::compare {
namespace {

constexpr const char* kFormat = "concord-comparison";

/// The name without its kind, which the list tells; then all of the result but the losses, which only the differences
/// are made of.
Json head_json(const CellName& name, const CellResult& result) {
  Json json = to_json(name);
  json.erase("kind");
  json.update(to_json(result));
  json.erase("losses");
  return json;
}

/// `count` is what the pairs are called.
Json versus_json(const std::vector<Versus>& all, const char* count) {
  Json json = Json::object();
  for (const auto& [baseline, paired] : all)
    json[baseline] = {{"difference", number_or_null(paired.difference)},
                      {"error", number_or_null(paired.error)},
                      {"low", number_or_null(paired.range.low)},
                      {"high", number_or_null(paired.range.high)},
                      {count, paired.instances}};
  return json;
}

std::vector<Versus> versus_from_json(const Json& json, const char* count) {
  std::vector<Versus> all;
  if (json.is_object())
    for (const auto& [baseline, paired] : json.items())
      all.push_back({baseline,
                     {number_at(paired, "difference"),
                      number_at(paired, "error"),
                      {number_at(paired, "low"), number_at(paired, "high")},
                      integer_at(paired, count)}});
  return all;
}

Json cell_json(const TrainedCell& cell) {
  Json json = head_json(cell.name, {cell.end, cell.result});
  json["versus"] = versus_json(cell.versus, "instances");
  if (cell.over) {
    TrainingResult means;
    means.metrics = cell.over->metrics;
    const Json written = to_json(means);
    json["over_trainings"] = {{"trainings", cell.over->trainings},
                              {"metrics", written.at("metrics")},
                              {"intervals", written.at("intervals")},
                              {"versus", versus_json(cell.over->versus, "trainings")}};
  }
  return json;
}

/// What figures are drawn of is in the first repeat, and in the folder of each.
Json repeat_json(const TrainedCell& cell) {
  Json json = cell_json(cell);
  for (const char* key : {"convergence", "prior", "reliability", "examples"}) json.erase(key);
  return json;
}

Json cell_json(const SolvedCell& cell) {
  Json json = head_json(cell.name, {cell.end, cell.result});
  if (cell.summary)
    json["summary"] = {{"bound_excess", number_or_null(cell.summary->bound_excess)},
                       {"value_shortfall", number_or_null(cell.summary->value_shortfall)},
                       {"gap", number_or_null(cell.summary->gap)},
                       {"seconds", number_or_null(cell.summary->seconds)},
                       {"solved", cell.summary->solved},
                       {"optimal", cell.summary->optimal},
                       {"best", cell.summary->best}};
  return json;
}

TrainedCell trained_from_json(const Json& json) {
  CellResult result = result_from_json(json, CellKind::training);
  TrainedCell cell{
      {CellKind::training, json.at("dataset"), json.at("method"), json.at("id"), repeat_at(json)},
      std::move(result.end),
      std::get<TrainingResult>(std::move(result.answer)),
      versus_from_json(json_at(json, "versus"), "instances")};
  if (const Json& over = json_at(json, "over_trainings"); over.is_object())
    cell.over = {integer_at(over, "trainings"),
                 metrics_from_json(json_at(over, "metrics"), json_at(over, "intervals")),
                 versus_from_json(json_at(over, "versus"), "trainings")};
  return cell;
}

SolvedCell solved_from_json(const Json& json) {
  CellResult result = result_from_json(json, CellKind::solver);
  SolvedCell cell{
      {CellKind::solver, json.at("problems"), json.at("solver"), json.at("id")}, result.end, {}, {}};
  if (cell.end.done()) cell.result = std::get<SolverResult>(std::move(result.answer));
  if (const Json& found = json_at(json, "summary"); found.is_object())
    cell.summary = {number_at(found, "bound_excess"), number_at(found, "value_shortfall"),
                    number_at(found, "gap"),          number_at(found, "seconds"),
                    integer_at(found, "solved"),      integer_at(found, "optimal"),
                    integer_at(found, "best")};
  return cell;
}

}  // namespace

size_t Results::count(Status status) const {
  size_t count = 0;
  for (const TrainedCell& cell : cells) count += cell.end.status == status;
  for (const TrainedCell& cell : repeats) count += cell.end.status == status;
  for (const SolvedCell& cell : solves) count += cell.end.status == status;
  return count;
}

Json to_json(const Results& results) {
  const Json outline = to_json(results.outline);
  Json cells = Json::array(), solves = Json::array();
  for (const TrainedCell& cell : results.cells) cells.push_back(cell_json(cell));
  for (const SolvedCell& cell : results.solves) solves.push_back(cell_json(cell));
  Json json = {{"format", kFormat},
               {"version", 1},
               {"title", outline.at("title")},
               {"metric", outline.at("metric")},
               {"metric_is_loss", results.metric_is_loss},
               {"convention", results.convention},
               {"baselines", outline.at("baselines")},
               {"created", results.created},
               {"host", to_json(results.host)},
               {"config", outline.at("config")},
               {"datasets", outline.at("datasets")},
               {"methods", outline.at("methods")},
               {"reference", outline.at("reference")},
               {"cells", cells},
               {"problem_sets", outline.at("problem_sets")},
               {"solvers", outline.at("solvers")},
               {"solves", solves}};
  if (results.outline.repeats > 1) {
    json["repeats"] = results.outline.repeats;
    Json& further = json["further_trainings"] = Json::array();
    for (const TrainedCell& cell : results.repeats) further.push_back(repeat_json(cell));
  }
  return json;
}

Results results_from_json(const Json& json) {
  if (text_at(json, "format") != kFormat || number_at(json, "version") != 1)
    fail(Fault::input, "the results are not a {} of version 1 (format '{}', version '{}')", kFormat,
         text_at(json, "format"), text_at(json, "version"));
  try {
    return {outline_from_json(json),
            json.at("metric_is_loss"),
            text_at(json, "convention"),
            text_at(json, "created"),
            host_from_json(json_at(json, "host")),
            list_from_json(json.at("cells"), trained_from_json),
            list_from_json(json_at(json, "further_trainings"), trained_from_json),
            list_from_json(json.at("solves"), solved_from_json)};
  } catch (const Json::exception& e) {
    fail(Fault::input, "these are not the results of a comparison: {}", e.what());
  }
}

}  // namespace concord::compare
