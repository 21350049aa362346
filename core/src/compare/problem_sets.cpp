// SPDX-License-Identifier: MIT
#include "compare/problem_sets.hpp"

#include <algorithm>
#include <cstring>
#include <glob.h>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "compare/layers.hpp"
#include "config/plugin_setting.hpp"
#include "config/readers.hpp"
#include "data/row_list.hpp"
#include "model/model.hpp"
#include "predict/prediction.hpp"
#include "problem/reader.hpp"

namespace concord {
namespace {

constexpr int64_t kDefaultRows = 50;

void require_keys(const ConfigMember& member, const char* kind, const std::vector<std::string>& known) {
  if (!member.value.is_table()) member.value.refuse(fmt::format("a table: [{}.NAME]", kind));
  for (const ConfigMember& key : member.value.table)
    if (std::find(known.begin(), known.end(), key.key) == known.end())
      fail(Fault::input, "{}: [{}.{}] has no key {}{} (its keys: {})", key.place, kind, member.key,
           quote(key.key), did_you_mean(key.key, known), fmt::join(known, ", "));
}

std::filesystem::path existing_file(const ConfigValue& value) {
  const std::filesystem::path file = std::filesystem::absolute(read_path(value)).lexically_normal();
  if (!std::filesystem::is_regular_file(file))
    fail(Fault::input, "{}: there is no file {}", value.place, file.string());
  return file;
}

/// A path in which nothing is a pattern.
std::filesystem::path literally(const std::string& path) {
  std::string escaped;
  for (const char letter : path)
    escaped += std::string(std::strchr("*?[\\", letter) != nullptr ? "\\" : "") + letter;
  return escaped;
}

/// The files that patterns like "graphs/*.mc" name, each pattern's in alphabetical order.
std::vector<std::filesystem::path> matching_files(const ConfigValue& value) {
  std::vector<std::filesystem::path> files;
  const std::vector<ConfigValue> patterns = value.is_list() ? value.list : std::vector<ConfigValue>{value};
  for (const ConfigValue& pattern : patterns) {
    const std::filesystem::path folder = std::filesystem::absolute(pattern.folder).lexically_normal();
    const std::string path = (literally(folder.string()) / read_string(pattern, "a path")).string();
    glob_t found{};
    const int status = ::glob(path.c_str(), 0, nullptr, &found);
    for (size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
      const std::filesystem::path file = std::filesystem::path(found.gl_pathv[i]).lexically_normal();
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
    ::globfree(&found);
    if (status != 0) fail(Fault::input, "{}: no file matches {}", pattern.place, read_path(pattern).string());
  }
  return files;
}

/// Their names, as short as they can be without two being the same: without folders, or from the folder that they
/// have in common.
std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  if (std::set(names.begin(), names.end()).size() == files.size()) return names;
  std::filesystem::path common = files.front().parent_path();
  const auto is_below = [&](const std::filesystem::path& file) {
    return *file.lexically_relative(common).begin() != "..";
  };
  while (!std::all_of(files.begin(), files.end(), is_below)) common = common.parent_path();
  for (size_t i = 0; i < files.size(); ++i) names[i] = files[i].lexically_relative(common).string();
  return names;
}

/// {"files": [...], "names": [...]} or {"model" or "cell", "data", "data_labels", "format", "rows"}.
Json problem_source(const ConfigMember& member, const Comparison& comparison) {
  require_keys(member, "problems", {"files", "model", "cell", "data", "labels", "format", "rows"});
  const auto find = [&](const char* key) { return member.value.find(key); };
  const int sources = (find("files") != nullptr) + (find("model") != nullptr) + (find("cell") != nullptr);
  if (sources != 1)
    fail(Fault::input,
         "{}: [problems.{}] takes its problems from files, from a model or from a cell: give one of "
         "them",
         member.place, member.key);
  if (find("files") != nullptr) {
    for (const char* key : {"data", "labels", "format", "rows"})
      if (find(key) != nullptr)
        fail(Fault::input, "{}: {} is for problems of a model, not for files", find(key)->place, key);
    Json paths = Json::array();
    const std::vector<std::filesystem::path> files = matching_files(find("files")->value);
    for (const auto& file : files) paths.push_back(file.string());
    return {{"files", paths}, {"names", names_of(files)}};
  }
  Json source;
  DataSource data;
  if (find("model") != nullptr) {
    source["model"] = existing_file(find("model")->value).string();
    if (find("data") == nullptr)
      fail(Fault::input, "{}: [problems.{}] has a model and no data to meet problems in", member.place,
           member.key);
  } else {
    const ConfigValue& value = find("cell")->value;
    const std::string id = read_string(value, "a cell, as DATASET/METHOD");
    const auto cell = std::find_if(comparison.cells.begin(), comparison.cells.end(),
                                   [&](const CompareCell& one) { return one.is_training() && one.id == id; });
    std::vector<std::string> ids;
    for (const CompareCell& one : comparison.cells)
      if (one.is_training()) ids.push_back(one.id);
    if (cell == comparison.cells.end())
      fail(Fault::input, "{}: there is no cell {}{}", value.place, quote(id), did_you_mean(id, ids));
    source["cell"] = id;
    data.file = cell->request.at("test").get<std::string>();
    data.labels = cell->request.at("test_labels").get<std::string>();
  }
  if (find("data") != nullptr) data = {existing_file(find("data")->value), {}, DataFormat::detect};
  if (find("labels") != nullptr) data.labels = existing_file(find("labels")->value);
  if (find("format") != nullptr)
    data.format =
        read_choice(find("format")->value, {DataFormat::arff, DataFormat::libsvm, DataFormat::detect});
  source["data"] = data.file.string();
  source["data_labels"] = data.labels.string();
  source["format"] = name_of(data.format);
  if (find("rows") != nullptr) source["rows"] = read_string(find("rows")->value, "rows, as \"0-49\"");
  return source;
}

}  // namespace

void add_solver_cells(const ConfigValue& problems, const ConfigValue& solvers,
                      const std::vector<ConfigEntry>& common, Comparison& comparison, ErrorList& errors) {
  if (problems.table.empty() != solvers.table.empty()) {
    const ConfigMember& alone = problems.table.empty() ? solvers.table[0] : problems.table[0];
    fail(Fault::input, "{}: there are {}", alone.place,
         problems.table.empty() ? "solvers and no [problems.NAME] for them"
                                : "problems and no [solver.NAME] to solve them");
  }
  const Config shared = config_of(common, comparison.config.at("file"), {});
  comparison.plugin_dirs = shared.plugin_dirs;
  Json directories = Json::array();
  for (const auto& directory : shared.plugin_dirs)
    directories.push_back(std::filesystem::absolute(directory).lexically_normal().string());
  std::vector<std::pair<Json, Json>> chosen_plugins;  // decoder and rounding of each solver
  for (const ConfigMember& solver : solvers.table)
    errors.attempt([&] {
      require_keys(solver, "solver", {"decoder", "rounding"});
      const ConfigMember* decoder = solver.value.find("decoder");
      const ConfigMember* rounding = solver.value.find("rounding");
      if (decoder == nullptr) fail(Fault::input, "{}: [solver.{}] has no decoder", solver.place, solver.key);
      const Json chosen = plugin_json(read_plugin(decoder->value));
      const Json chain = rounding == nullptr ? Json(nullptr) : chain_json(read_chain(rounding->value));
      comparison.solvers.push_back({{"name", solver.key},
                                    {"decoder", decoder->value.text()},
                                    {"rounding", rounding == nullptr ? "" : rounding->value.text()}});
      chosen_plugins.push_back({chosen, chain});
    });
  for (const ConfigMember& member : problems.table)
    errors.attempt([&] {
      const Json source = problem_source(member, comparison);
      comparison.problem_sets.push_back({{"name", member.key}, {"problems", nullptr}, {"labels", nullptr}});
      for (size_t i = 0; i < chosen_plugins.size(); ++i) {
        CompareCell cell;
        cell.row = member.key;
        cell.column = comparison.solvers[i].at("name");
        cell.id = folder_name(cell.row) + "/" + folder_name(cell.column);
        if (source.contains("cell")) cell.needs = source.at("cell");
        cell.request = {{"kind", "solve"},
                        {"id", cell.id},
                        {"problems", cell.row},
                        {"solver", cell.column},
                        {"source", source},
                        {"decoder", chosen_plugins[i].first},
                        {"rounding", chosen_plugins[i].second},
                        {"seed", shared.cells.front().settings.run.seed},
                        {"plugin_dirs", directories}};
        comparison.cells.push_back(std::move(cell));
      }
    });
}

std::vector<int64_t> rows_of(const Json& source, const std::string& name, int64_t instances) {
  if (source.contains("rows"))
    return parse_rows(fmt::format("[problems.{}] rows", name), source.at("rows"), instances);
  std::vector<int64_t> rows(static_cast<size_t>(std::min(instances, kDefaultRows)));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

void for_problems(
    const Json& request, const std::filesystem::path& model_of_cell,
    const std::function<void(const std::string& name, const CanonicalProblem& problem)>& visit) {
  const Json& source = request.at("source");
  if (source.contains("files")) {
    for (size_t i = 0; i < source.at("files").size(); ++i)
      visit(source.at("names")[i], read_problem(source.at("files")[i].get<std::string>()));
    return;
  }
  const Model model =
      load_model(source.contains("model") ? source.at("model").get<std::string>() : model_of_cell.string());
  const ExpectedColumns columns = columns_of(model);
  const Dataset data =
      read_dataset({source.at("data").get<std::string>(), source.at("data_labels").get<std::string>(),
                    parse_data_format(source.at("format"))},
                   &columns);
  const Eigen::MatrixXd scores = problem_scores(model, data.X);
  CanonicalProblem problem;
  problem.A = PriorMatrix(model.A);
  for (const int64_t row : rows_of(source, request.at("problems"), data.instances())) {
    problem.c = scores.col(row);
    visit(fmt::format("row-{}", row), problem);
  }
}

}  // namespace concord
