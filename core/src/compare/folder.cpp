// SPDX-License-Identifier: MIT
#include "compare/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "compare/result.hpp"

namespace concord::compare {
namespace {

constexpr const char* kPlanFormat = "concord-comparison-plan";

bool is_same_comparison(const PlanRecord& a, const PlanRecord& b) {
  return a.outline.config.sha256 == b.outline.config.sha256 &&
         a.outline.config.overrides == b.outline.config.overrides &&
         std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
                    [](const auto& one, const auto& other) { return one.name.id == other.name.id; });
}

/// What `other`, of the same comparison, knows of cells and datasets that `plan` has not looked at.
void fill_in(PlanRecord& plan, const PlanRecord& other) {
  for (size_t i = 0; i < plan.cells.size(); ++i)
    if (plan.cells[i].key.empty()) plan.cells[i].key = other.cells[i].key;
  for (DatasetRecord& dataset : plan.outline.datasets)
    for (const DatasetRecord& known : other.outline.datasets)
      if (dataset.name == known.name && !dataset.instances) dataset = known;
}

void copy_cell(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::filesystem::weakly_canonical(from) == std::filesystem::weakly_canonical(to)) return;
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to);
  // The result last: a cell without it is not there.
  for (const char* name : {"cell.json", "log.txt", "model.concord", "result.json"})
    if (std::filesystem::exists(from / name)) write_file_atomically(to / name, read_whole_file(from / name));
}

}  // namespace

CompareFolder::CompareFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) fail(Fault::io, About{folder_.string()}, "cannot be made: {}", error.message());
  folder_ = std::filesystem::canonical(folder_);
  const std::filesystem::path file = folder_ / "lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(Fault::io, About{file.string()}, "{}", std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    fail(Fault::input, About{folder_.string()}, "another comparison is running there");
  }
  sweep_leftovers_below(folder_);
}

CompareFolder::~CompareFolder() {
  ::close(lock_);  // the lock goes with it; the file stays, as removing it would let two runs in
}

void write_plan(const CompareFolder& folder, PlanRecord& plan) {
  const bool is_partial =
      std::any_of(plan.cells.begin(), plan.cells.end(), [](const auto& cell) { return cell.key.empty(); });
  if (is_partial && std::filesystem::exists(folder.path() / "plan.json")) {
    const PlanRecord before = read_plan(folder.path());
    if (is_same_comparison(plan, before)) fill_in(plan, before);
  }
  Json json = {{"format", kPlanFormat}, {"version", 1}};
  json.update(to_json(plan.outline));
  json["cells"] = Json::array();
  for (const auto& [name, key] : plan.cells) {
    json["cells"].push_back({{"kind", name.kind == CellKind::training ? "train" : "solve"},
                             {"id", name.id},
                             {"row", name.row},
                             {"column", name.column},
                             {"key", key}});
    if (name.repeat > 1) json["cells"].back()["repeat"] = name.repeat;
  }
  write_json(folder.path() / "plan.json", json);
}

PlanRecord read_plan(const std::filesystem::path& folder) {
  const std::optional<Json> json = read_json(folder / "plan.json");
  if (!json || text_at(*json, "format") != kPlanFormat)
    fail(Fault::input, About{folder.string()},
         "this is not the folder of a comparison (there is no plan.json of one in it)");
  try {
    return {outline_from_json(*json), list_from_json(json->at("cells"), [](const Json& cell) {
              return PlanRecord::KeyedCell{
                  {cell.at("kind") == "train" ? CellKind::training : CellKind::solver, cell.at("row"),
                   cell.at("column"), cell.at("id"), repeat_at(cell)},
                  cell.at("key")};
            })};
  } catch (const Json::exception& e) {
    fail(Fault::input, About{(folder / "plan.json").string()}, "this is no plan of a comparison: {}",
         e.what());
  }
}

PlanRecord merge_plans(const CompareFolder& folder, const std::vector<std::filesystem::path>& others) {
  std::optional<PlanRecord> merged;
  std::vector<Status> found;  // of each cell; pending: nothing yet
  ErrorList errors;
  for (const auto& other : others)
    errors.attempt([&] {
      const PlanRecord plan = read_plan(other);
      if (!merged) {
        merged = plan;
        found.assign(plan.cells.size(), Status::pending);
      }
      if (!is_same_comparison(plan, *merged))
        fail(Fault::input,
             "{} and {} are of different comparisons: their configs, or the keys that were set beside them, "
             "differ",
             others.front().string(), other.string());
      fill_in(*merged, plan);
      for (size_t i = 0; i < plan.cells.size(); ++i) {
        const auto& [name, key] = plan.cells[i];
        const std::filesystem::path from = other / name.folder();
        const std::optional<CellResult> result = read_result(from, name.kind);
        if (!result || result->end.key != key) continue;
        // The first, but a failure gives way.
        if (found[i] == Status::done || found[i] == result->end.status) continue;
        merged->cells[i].key = key;
        found[i] = result->end.status;
        copy_cell(from, folder.of_cell(name));
      }
    });
  errors.throw_if_any();
  return std::move(*merged);
}

}  // namespace concord::compare
