// SPDX-License-Identifier: MIT
#include "compare/folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files.hpp"

namespace concord {
namespace {

constexpr const char* kPlanFormat = "concord-comparison-plan";

}  // namespace

CompareFolder::CompareFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) fail(Fault::io, "--out {}: cannot be made: {}", folder_.string(), error.message());
  folder_ = std::filesystem::canonical(folder_);
  const std::filesystem::path file = folder_ / "lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(Fault::io, "{}: {}", file.string(), std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    fail(Fault::input, "--out {}: another comparison is running there", folder_.string());
  }
}

CompareFolder::~CompareFolder() {
  ::close(lock_);  // the lock goes with it; the file stays, as removing it would let two runs in
}

std::filesystem::path CompareFolder::of_cell(const std::string& kind, const std::string& id) const {
  return folder_ / (kind == "train" ? "cells" : "solves") / id;
}

std::optional<Json> read_json(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  Json json = Json::parse(read_whole_file(file), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

void write_json(const std::filesystem::path& file, const Json& json) {
  write_file_atomically(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json plan_json(const Comparison& comparison, const std::vector<ResolvedCell>& resolved) {
  Json cells = Json::array();
  for (size_t i = 0; i < comparison.cells.size(); ++i) {
    const CompareCell& cell = comparison.cells[i];
    cells.push_back({{"kind", cell.request.at("kind")},
                     {"id", cell.id},
                     {"row", cell.row},
                     {"column", cell.column},
                     {"key", resolved[i].key}});
  }
  return {{"format", kPlanFormat},
          {"version", 1},
          {"title", comparison.title},
          {"metric", comparison.metric},
          {"baselines", comparison.baselines},
          {"config", comparison.config},
          {"datasets", comparison.datasets},
          {"methods", comparison.methods},
          {"reference", comparison.reference},
          {"problem_sets", comparison.problem_sets},
          {"solvers", comparison.solvers},
          {"cells", cells}};
}

void write_plan(const CompareFolder& folder, const Json& plan) {
  write_json(folder.path() / "plan.json", plan);
}

Json read_plan(const std::filesystem::path& folder) {
  const std::optional<Json> plan = read_json(folder / "plan.json");
  if (!plan || plan->value("format", "") != kPlanFormat)
    fail(Fault::input, "{}: this is not the folder of a comparison (there is no plan.json of one in it)",
         folder.string());
  return *plan;
}

Json merge_plans(const CompareFolder& folder, const std::vector<std::filesystem::path>& others) {
  Json merged;
  ErrorList errors;
  for (const auto& other : others)
    errors.attempt([&] {
      const Json plan = read_plan(other);
      if (merged.is_null()) {
        merged = plan;
        for (Json& cell : merged["cells"]) cell["found"] = "";
      }
      bool same = plan.at("cells").size() == merged.at("cells").size();
      for (const char* key : {"sha256", "overrides"})
        same = same && plan.at("config").at(key) == merged.at("config").at(key);
      for (size_t i = 0; same && i < merged["cells"].size(); ++i)
        same = plan["cells"][i]["id"] == merged["cells"][i]["id"];
      if (!same)
        fail(Fault::input,
             "{} and {} are of different comparisons: their configs, or what --set changed in them, differ",
             others.front().string(), other.string());
      for (size_t i = 0; i < plan.at("cells").size(); ++i) {
        const Json& cell = plan["cells"][i];
        const std::filesystem::path from =
            other / (cell["kind"] == "train" ? "cells" : "solves") / cell["id"].get<std::string>();
        const std::filesystem::path to = folder.of_cell(cell["kind"], cell["id"]);
        const auto result = read_json(from / "result.json");
        if (!result || result->value("key", "") != cell["key"]) continue;
        const std::string status = result->value("status", ""), before = merged["cells"][i]["found"];
        if (before == "done" || before == status) continue;  // the first, but a failure gives way
        merged["cells"][i]["key"] = cell["key"];
        merged["cells"][i]["found"] = status;
        if (std::filesystem::weakly_canonical(from) == std::filesystem::weakly_canonical(to)) continue;
        std::filesystem::remove_all(to);
        std::filesystem::create_directories(to);
        // The result last: a cell without it is not there.
        for (const char* name : {"cell.json", "log.txt", "model.concord", "result.json"})
          if (std::filesystem::exists(from / name))
            write_file_atomically(to / name, read_whole_file(from / name));
      }
    });
  errors.throw_if_any();
  for (Json& cell : merged["cells"]) cell.erase("found");
  return merged;
}

}  // namespace concord
