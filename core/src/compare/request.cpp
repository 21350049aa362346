// SPDX-License-Identifier: MIT
#include "compare/request.hpp"

#include "base/files.hpp"
#include "config/readers.hpp"

namespace concord::compare {
namespace {

/// A name as a folder: what is not a letter, a digit or one of ".-_" becomes '-'.
std::string folder_name(const std::string& name) {
  std::string result;
  for (const char letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
                       letter == '_' || letter == '-';
    if (plain || (!result.empty() && result.back() != '-')) result += plain ? letter : '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() || result.front() == '.' ? "cell" + result : result;
}

Json value_json(const ConfigValue& value) {
  if (value.is_table()) {
    Json json = Json::object();
    for (const ConfigMember& member : value.table) json[member.key] = value_json(member.value);
    return json;
  }
  if (value.is_list()) {
    Json json = Json::array();
    for (const ConfigValue& element : value.list) json.push_back(value_json(element));
    return json;
  }
  return Json(value.scalar);
}

/// The name of a plugin, or of a chain of them, as the config's reader finds it from anywhere.
std::string located(const SettingKey& key, ConfigValue name) {
  name.folder = std::filesystem::current_path() / name.folder;
  const bool is_chain = key.name() == "predict.rounding";
  std::string text;
  for (const PluginSpec& part : is_chain ? read_chain(name) : std::vector<PluginSpec>{read_plugin(name)}) {
    const std::filesystem::path found = part.name;
    text += (text.empty() ? "" : "+") + (found.is_absolute() ? found.lexically_normal().string() : part.name);
  }
  return text;
}

/// The request goes to another process, for which no path may be relative.
ConfigValue with_absolute_paths(const SettingKey& key, ConfigValue value) {
  if (value.is_list()) {
    for (ConfigValue& element : value.list) element = with_absolute_paths(key, std::move(element));
  } else if (value.is_table()) {
    for (ConfigMember& member : value.table)
      if (member.key == "name") member.value = with_absolute_paths(key, std::move(member.value));
  } else if (value.is_string()) {
    if (key.type == "plugin") value.scalar = located(key, value);
    if (key.form == SettingKey::Form::paths)
      value.scalar = std::filesystem::absolute(value.folder / value.scalar.get<std::string>())
                         .lexically_normal()
                         .string();
  }
  return value;
}

/// As a training config writes them: {"train": {"lambda_w": [0.1, 1]}}.
Json entries_json(const std::vector<ConfigEntry>& entries) {
  Json json = Json::object();
  for (const ConfigEntry& entry : entries)
    json[entry.key->section][entry.key->key] = value_json(with_absolute_paths(*entry.key, entry.value));
  return json;
}

void add_fields(Json& json, const TrainingRequest& request) {
  json.update(Json{{"axes", to_json(request.axes)},
                   {"metric", plugin_json(request.metric)},
                   {"train", request.train.file.string()},
                   {"labels", request.train.labels.string()},
                   {"test", request.test.file.string()},
                   {"test_labels", request.test.labels.string()},
                   {"format", name_of(request.train.format)},
                   {"config", entries_json(request.entries)}});
  if (!request.reveal.empty()) json["reveal"] = request.reveal;
}

TrainingRequest training_from_json(const Json& json, const std::string& id) {
  const DataFormat format = parse_data_format(json.at("format"));
  ErrorList errors;
  std::vector<ConfigEntry> entries = read_entries(value_from_json(json.at("config"), id), errors);
  Config config = config_of(entries, id, errors);
  return {texts_from_json(json.at("axes")),
          read_metric(value_from_json(json.at("metric"), id + ".metric")),
          {json.at("train").get<std::string>(), json.at("labels").get<std::string>(), format},
          {json.at("test").get<std::string>(), json.at("test_labels").get<std::string>(), format},
          std::move(entries),
          std::move(config),
          list_from_json(json_at(json, "reveal"), [](const Json& share) { return share.get<double>(); })};
}

Json source_json(const ProblemSource& source) {
  if (source.is_files()) return {{"files", source.files}, {"names", source.names}};
  Json json;
  source.cell.empty() ? json["model"] = source.model : json["cell"] = source.cell;
  json["data"] = source.data.file.string();
  json["data_labels"] = source.data.labels.string();
  json["format"] = name_of(source.data.format);
  if (source.rows) json["rows"] = *source.rows;
  return json;
}

ProblemSource source_from_json(const Json& json) {
  ProblemSource source;
  if (json.contains("files")) {
    source.files = json.at("files").get<std::vector<std::string>>();
    source.names = json.at("names").get<std::vector<std::string>>();
    return source;
  }
  source.model = text_at(json, "model");
  source.cell = text_at(json, "cell");
  source.data = {json.at("data").get<std::string>(), json.at("data_labels").get<std::string>(),
                 parse_data_format(json.at("format"))};
  if (json.contains("rows")) source.rows = json.at("rows").get<std::string>();
  return source;
}

Json paths_json(const std::vector<std::filesystem::path>& paths) {
  Json json = Json::array();
  for (const auto& path : paths) json.push_back(path.string());
  return json;
}

std::vector<std::filesystem::path> paths_from_json(const Json& json) {
  return list_from_json(json,
                        [](const Json& path) { return std::filesystem::path(path.get<std::string>()); });
}

void add_fields(Json& json, const SolverRequest& request) {
  json.update(Json{{"source", source_json(request.source)},
                   {"decoder", plugin_json(request.decoder)},
                   {"rounding", chain_json(request.rounding)},
                   {"seed", request.seed},
                   {"plugin_dirs", paths_json(request.plugin_dirs)}});
}

SolverRequest solver_from_json(const Json& json, const std::string& solver) {
  const std::string place = "solver " + solver;
  SolverRequest request;
  request.source = source_from_json(json.at("source"));
  request.decoder = read_plugin(value_from_json(json.at("decoder"), place + ": decoder"));
  if (!json.at("rounding").is_null())
    request.rounding = read_chain(value_from_json(json.at("rounding"), place + ": rounding"));
  request.seed = json.at("seed");
  request.plugin_dirs = paths_from_json(json.at("plugin_dirs"));
  return request;
}

}  // namespace

CellName CellName::of(CellKind kind, const std::string& row, const std::string& column, int64_t repeat) {
  const std::string id = folder_name(row) + "/" + folder_name(column);
  return {kind, row, column, repeat > 1 ? fmt::format("{}/{}", id, repeat) : id, repeat};
}

std::filesystem::path CellName::folder() const {
  return std::filesystem::path(repeat > 1 ? "repeats" : kind == CellKind::training ? "cells" : "solves") / id;
}

Json to_json(const CellName& name) {
  const bool training = name.kind == CellKind::training;
  Json json = {{"kind", training ? "train" : "solve"},
               {"id", name.id},
               {training ? "dataset" : "problems", name.row},
               {training ? "method" : "solver", name.column}};
  if (name.repeat > 1) json["repeat"] = name.repeat;
  return json;
}

Dataset TrainingRequest::read_test(const Dataset& training) const {
  const ExpectedColumns columns = columns_of(training);
  return read_dataset(test, &columns);
}

Json to_json(const Cell& cell) {
  Json json = to_json(cell.name);
  std::visit([&](const auto& request) { add_fields(json, request); }, cell.request);
  return json;
}

Cell cell_from_json(const Json& json) {
  Cell cell;
  const bool training = json.at("kind") == "train";
  cell.name = {training ? CellKind::training : CellKind::solver, json.at(training ? "dataset" : "problems"),
               json.at(training ? "method" : "solver"), json.at("id"), repeat_at(json)};
  if (training)
    cell.request = training_from_json(json, cell.name.id);
  else
    cell.request = solver_from_json(json, cell.name.column);
  return cell;
}

Json to_json(const ProcessLimits& limits) {
  return {{"seconds", limits.seconds}, {"mebibytes", limits.mebibytes}};
}

ProcessLimits limits_from_json(const Json& json) {
  return {json.at("seconds"), json.at("mebibytes")};
}

Json to_json(const CellRecord& record) {
  Json json = {{"key", record.key}, {"limits", to_json(record.limits)}};
  if (!record.cell.needs().empty()) json["model_of"] = record.cell.needs();
  if (!record.plugin_dirs.empty()) json["plugin_dirs"] = paths_json(record.plugin_dirs);
  json["request"] = to_json(record.cell);
  return json;
}

CellRecord read_cell_record(const std::filesystem::path& folder) {
  const std::optional<Json> json = read_json(folder / "cell.json");
  if (!json || !json->contains("request"))
    fail(Fault::input, About{folder.string()}, "there is no cell.json of a comparison in this folder");
  return {json->at("key"), limits_from_json(json->at("limits")),
          paths_from_json(json_at(*json, "plugin_dirs")), cell_from_json(json->at("request"))};
}

}  // namespace concord::compare
