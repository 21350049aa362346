// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <glob.h>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "compare/plan_parts.hpp"
#include "config/readers.hpp"
#include "data/dataset.hpp"
#include "model/model.hpp"
#include "predict/prediction.hpp"
#include "problem/files.hpp"

namespace concord::compare {
namespace {

constexpr int64_t kDefaultRows = 50;

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
    if (status != 0)
      fail(Fault::input, About{pattern.place}, "no file matches {}", read_path(pattern).string());
  }
  return files;
}

/// Their names, as short as they can be without two being the same: without folders, or from the folder that they
/// have in common.
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& files) {
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

ProblemSource files_source(const ConfigValue& table) {
  for (const char* key : {"data", "labels", "format", "rows"})
    if (const ConfigMember* given = table.find(key))
      fail(Fault::input, About{given->place}, "{} is for problems of a model, not for files", key);
  ProblemSource source;
  const std::vector<std::filesystem::path> files = matching_files(table.find("files")->value);
  for (const auto& file : files) source.files.push_back(file.string());
  source.names = short_names(files);
  return source;
}

/// The id of a training cell, and its test data as those to meet problems in.
void take_cell(const ConfigValue& value, const ComparePlan& plan, ProblemSource& source) {
  source.cell = read_string(value, "a cell, as DATASET/METHOD");
  const Cell* cell = plan.training_cell(source.cell);
  std::vector<std::string> ids;
  for (const Cell& one : plan.cells)
    if (one.is_training()) ids.push_back(one.name.id);
  if (cell == nullptr)
    fail(Fault::input, About{value.place}, "there is no cell {}{}", quote(source.cell),
         did_you_mean(source.cell, ids));
  const DataSource& test = cell->training().test;
  source.data = {test.file, test.labels, DataFormat::detect};
}

ProblemSource read_source(const ConfigMember& member, const ComparePlan& plan) {
  const ConfigValue& table = member.value;
  const ConfigMember *files = table.find("files"), *model = table.find("model"), *cell = table.find("cell"),
                     *data = table.find("data"), *labels = table.find("labels"), *rows = table.find("rows");
  if ((files != nullptr) + (model != nullptr) + (cell != nullptr) != 1)
    fail(Fault::input, About{member.place},
         "[problems.{}] takes its problems from files, from a model or from a cell: give one of "
         "them",
         member.key);
  if (files != nullptr) return files_source(table);
  if (model != nullptr && data == nullptr)
    fail(Fault::input, About{member.place}, "[problems.{}] has a model and no data to meet problems in",
         member.key);
  ProblemSource source;
  if (model != nullptr) source.model = existing_file(model->value).string();
  if (cell != nullptr) take_cell(cell->value, plan, source);
  if (data != nullptr) source.data = {existing_file(data->value), {}, DataFormat::detect};
  if (labels != nullptr) source.data.labels = existing_file(labels->value);
  source.data.format = read_format(table);
  if (rows != nullptr) source.rows = read_string(rows->value, "rows, as \"0-49\"");
  return source;
}

void require_keys(const ConfigMember& member, const char* kind, const std::vector<std::string>& known) {
  if (!member.value.is_table()) member.value.refuse(fmt::format("a table: [{}.NAME]", kind));
  ErrorList errors;
  require_known(member.value, fmt::format("[{}.{}]", kind, member.key), known, false, errors);
  errors.throw_if_any();
}

/// A request without its problems.
SolverRequest read_solver(const ConfigMember& solver, const Config& shared,
                          std::vector<SolverRecord>& records) {
  require_keys(solver, "solver", {"decoder", "rounding"});
  const ConfigMember* decoder = solver.value.find("decoder");
  const ConfigMember* rounding = solver.value.find("rounding");
  if (decoder == nullptr) fail(Fault::input, About{solver.place}, "[solver.{}] has no decoder", solver.key);
  SolverRequest request;
  request.decoder = read_plugin(decoder->value);
  if (rounding != nullptr) request.rounding = read_chain(rounding->value);
  request.seed = shared.cells.front().settings.run.seed;
  for (const auto& directory : shared.plugin_dirs)
    request.plugin_dirs.push_back(std::filesystem::absolute(directory).lexically_normal());
  records.push_back({solver.key, decoder->value.text(), rounding == nullptr ? "" : rounding->value.text()});
  return request;
}

}  // namespace

void add_solver_cells(const ConfigValue& problems, const ConfigValue& solvers, const Entries& common,
                      ComparePlan& plan, ErrorList& errors) {
  if (problems.table.empty() != solvers.table.empty()) {
    const ConfigMember& alone = problems.table.empty() ? solvers.table[0] : problems.table[0];
    fail(Fault::input, About{alone.place}, "there are {}",
         problems.table.empty() ? "solvers and no [problems.NAME] for them"
                                : "problems and no [solver.NAME] to solve them");
  }
  const Config shared = config_of(common, plan.outline.config.file, {});
  std::vector<SolverRequest> requests;
  for (const ConfigMember& solver : solvers.table)
    errors.attempt([&] { requests.push_back(read_solver(solver, shared, plan.outline.solvers)); });
  for (const ConfigMember& member : problems.table)
    errors.attempt([&] {
      require_keys(member, "problems", {"files", "model", "cell", "data", "labels", "format", "rows"});
      const ProblemSource source = read_source(member, plan);
      plan.outline.problem_sets.push_back({member.key, {}, ""});
      for (size_t i = 0; i < requests.size(); ++i) {
        SolverRequest request = requests[i];
        request.source = source;
        plan.cells.push_back(
            {CellName::of(CellKind::solver, member.key, plan.outline.solvers[i].name), std::move(request)});
      }
    });
}

std::vector<int64_t> rows_of(const ProblemSource& source, const std::string& name, int64_t instances) {
  if (source.rows) return parse_rows(fmt::format("[problems.{}] rows", name), *source.rows, instances);
  std::vector<int64_t> rows(static_cast<size_t>(std::min(instances, kDefaultRows)));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

void for_problems(
    const Cell& cell, const std::filesystem::path& model_of_cell,
    const std::function<void(const std::string& name, const CanonicalProblem& problem)>& visit) {
  const ProblemSource& source = cell.solver().source;
  if (source.is_files()) {
    for (size_t i = 0; i < source.files.size(); ++i) visit(source.names[i], read_problem(source.files[i]));
    return;
  }
  const Model model = load_model(source.cell.empty() ? std::filesystem::path(source.model) : model_of_cell);
  const ExpectedColumns columns = columns_of(model);
  const Dataset data = read_dataset(source.data, &columns);
  // Of all rows, as the last bits of a row's scores depend on its neighbours in a chunk.
  const Eigen::MatrixXd scores = problem_scores(model, data.X);
  CanonicalProblem problem;
  problem.A = PriorMatrix(model.A);
  for (const int64_t row : rows_of(source, cell.name.row, data.instances())) {
    problem.c = scores.col(row);
    visit(fmt::format("row-{}", row), problem);
  }
}

}  // namespace concord::compare
