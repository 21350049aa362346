// SPDX-License-Identifier: MIT
#include "compare/run_cell.hpp"

#include <ctime>

namespace concord::compare {
namespace {

Answer run_cell(const std::filesystem::path& folder, const CellRecord& record, CellRun run) {
  run.control.threads = run.threads;
  run.plugin_dirs.insert(run.plugin_dirs.end(), record.plugin_dirs.begin(), record.plugin_dirs.end());
  if (record.cell.is_training()) return run_training_cell(record.cell, run);
  if (const std::string needs = record.cell.needs(); !needs.empty())  // FOLDER is solves/SET/SOLVER
    run.model_of_cell =
        std::filesystem::absolute(folder).lexically_normal() / "../../../cells" / needs / "model.concord";
  return run_solver_cell(record.cell, run);
}

/// What does not depend on the clock.
Json reproducible(const Answer& answer) {
  const Json json = to_json(answer);
  if (std::holds_alternative<TrainingResult>(answer))
    return {json.at("metrics"), json_at(json, "reveal"), json_at(json, "reliability")};
  Json results = json.at("results");
  for (Json& entry : results) entry.erase("seconds");
  return results;
}

}  // namespace

void answer_cell(const std::filesystem::path& folder, CellRun run) {
  const CellRecord record = read_cell_record(folder);
  run.folder = folder;
  write_json(folder / "answer.json", to_json(run_cell(folder, record, std::move(run))));
}

std::optional<Answer> take_answer(const std::filesystem::path& folder, CellKind kind) {
  const std::optional<Json> json = read_json(folder / "answer.json");
  std::filesystem::remove(folder / "answer.json");
  if (!json) return std::nullopt;
  try {
    return answer_from_json(*json, kind);
  } catch (const Json::exception&) {  // a plugin wrote it
    return std::nullopt;
  }
}

Repeated repeat_cell(const std::filesystem::path& folder, CellRun run) {
  const CellRecord record = read_cell_record(folder);
  run.folder = folder / "again";
  std::filesystem::create_directories(run.folder);
  const std::filesystem::path file = run.folder / "result.json";
  Repeated repeated{run_cell(folder, record, std::move(run)), {}};
  write_json(file, to_json(repeated.answer));
  const std::optional<CellResult> before = read_result(folder, record.cell.name.kind);
  if (before && before->end.done())
    repeated.same = reproducible(repeated.answer) == reproducible(before->answer);
  return repeated;
}

std::vector<std::filesystem::path> plugin_dirs_of(const Cell& cell,
                                                  std::vector<std::filesystem::path> given) {
  const auto& own = cell.is_training() ? cell.training().config.plugin_dirs : cell.solver().plugin_dirs;
  given.insert(given.end(), own.begin(), own.end());
  return given;
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace concord::compare
