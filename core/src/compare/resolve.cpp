// SPDX-License-Identifier: MIT
#include "compare/resolve.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "compare/cell.hpp"
#include "compare/problem_sets.hpp"
#include "process/isolate.hpp"
#include "process/provenance.hpp"
#include "train/checkpoint.hpp"
#include "train/validation.hpp"

namespace concord {
namespace {

constexpr double kResolveSeconds = 120;
constexpr int64_t kPilotInstances = 100;

/// The work's JSON; an Error comes as {"error", "code"}, a crash or a hang as {"failure"}.
Json isolated_json(const std::function<Json()>& work, const RunControl& control) {
  const IsolatedResult result = run_isolated(
      [&] {
        try {
          return work().dump(-1, ' ', false, Json::error_handler_t::replace);
        } catch (const Error& e) {
          return Json({{"error", e.what()}, {"code", static_cast<int>(e.kind())}})
              .dump(-1, ' ', false, Json::error_handler_t::replace);
        }
      },
      kResolveSeconds, control);
  if (control.stop_requested()) fail(Fault::interrupted, "interrupted before the first cell ran");
  if (!result.ok) return {{"failure", result.failure}};
  return Json::parse(result.output);
}

Json data_record(const Json& request) {
  const DataFormat format = parse_data_format(request.at("format"));
  const Dataset train =
      read_dataset({request.at("train").get<std::string>(), request.at("labels").get<std::string>(), format});
  const ExpectedColumns columns = columns_of(train);
  const Dataset test = read_dataset(
      {request.at("test").get<std::string>(), request.at("test_labels").get<std::string>(), format},
      &columns);
  return {{"train", dataset_digest(train)}, {"test", dataset_digest(test)},
          {"instances", train.instances()}, {"test_instances", test.instances()},
          {"features", train.features()},   {"labels", train.labels()}};
}

Json plugin_identity(const Plugin& plugin) {
  return {{"plugin", plugin.id()},
          {"version", plugin.version()},
          {"build", plugin.build_tag()},
          {"sha256", sha256_hex(read_whole_file(plugin.file()))}};
}

/// How many passes over an instance all fits of the cell make, and how many fits there are.
struct Work {
  double visits = 0;
  int64_t fits = 0;
};

Work work_of(const std::vector<CellPlan>& plans, int64_t instances) {
  const SelectSettings& select = plans.front().settings.select;
  const double splits = select.folds > 0     ? static_cast<double>(select.folds * select.repeats)
                        : select.holdout > 0 ? static_cast<double>(select.repeats)
                                             : 0;
  const double part = select.folds > 0 ? 1 - 1 / static_cast<double>(select.folds) : 1 - select.holdout;
  const auto passes = [](const CellPlan& plan, int64_t epochs) {
    return plan.settings.train.method == Method::ovr ? 1.0 : static_cast<double>(epochs);
  };
  Work work;
  double longest = 0;
  for (const FitGroup& group : group_cells(plans)) {
    const double lambdas = static_cast<double>(std::max<size_t>(1, group.lambdas.size()));
    const double epochs =
        passes(plans[group.cells.front()], group.epochs.empty() ? 1 : group.epochs.back()) * lambdas;
    work.visits += epochs * splits * part;
    work.fits += static_cast<int64_t>(splits * lambdas);
    longest = std::max(longest, epochs);
  }
  if (plans.front().train.prior != PriorSign::none)
    work.fits += static_cast<int64_t>(splits);  // A = 0: cheap
  work.visits = (work.visits + longest) * static_cast<double>(instances);
  work.fits += 1;
  return work;
}

/// Seconds for one visit of an instance, from one epoch on a few of them.
double pilot_seconds(const CellPlan& plan, const Dataset& train, const RunControl& control) {
  const int64_t count = std::min(train.instances(), kPilotInstances);
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  const Dataset few = train.select(rows);
  const Features X = Preprocessor::fit(plan.settings.preprocess, few.X, plan.settings.run.seed).apply(few.X);
  ThreadPool pool(1);
  const auto begin = std::chrono::steady_clock::now();
  make_fit(plan.train, {X, few.Y}, plan.settings.run.seed, pool, control)->epoch();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
         static_cast<double>(count);
}

std::vector<std::filesystem::path> directories_of(const CompareCell& cell, const ResolveRun& run) {
  std::vector<std::filesystem::path> directories = run.plugin_dirs;
  directories.insert(directories.end(), cell.config->plugin_dirs.begin(), cell.config->plugin_dirs.end());
  return directories;
}

Json resolve_training(const CompareCell& cell, const ResolveRun& run, int64_t instances) {
  Registry registry(directories_of(cell, run), run.control);
  const std::vector<CellPlan> plans = plan_cells(registry, cell.config->cells);
  std::map<std::string, Json> plugins;  // of all cells of the grid, each once
  const auto note = [&](const BoundPlugin& chosen) {
    plugins.emplace(chosen.plugin->file(), plugin_identity(*chosen.plugin));
  };
  for (const CellPlan& plan : plans) {
    if (plan.train.decoder) note(*plan.train.decoder);
    if (plan.train.loss) note(*plan.train.loss);
    note(plan.predict->decoder);
    for (const BoundPlugin& part : plan.predict->rounding) note(part);
  }
  Json found = {{"plugins", Json::array()}};
  for (const auto& [file, identity] : plugins) found["plugins"].push_back(identity);
  const Work work = work_of(plans, instances);
  found["fits"] = work.fits;
  found["visits"] = work.visits;
  return found;
}

/// About how long one visit of an instance takes; what goes wrong here goes wrong when the cell runs, and is said then.
Json time_visit(const CompareCell& cell, const ResolveRun& run) {
  Registry registry(directories_of(cell, run), run.control);
  const Json& request = cell.request;
  const Dataset train =
      read_dataset({request.at("train").get<std::string>(), request.at("labels").get<std::string>(),
                    parse_data_format(request.at("format"))});
  return {{"seconds", pilot_seconds(plan_cells(registry, cell.config->cells).front(), train, run.control)}};
}

Json resolve_solver(const CompareCell& cell, const ResolveRun& run) {
  std::vector<std::filesystem::path> directories = run.plugin_dirs;
  for (const std::string directory : cell.request.at("plugin_dirs")) directories.emplace_back(directory);
  Registry registry(directories, run.control);
  Json found = {{"plugins", Json::array()}};
  for (const bool with_cardinality : {false, true}) {  // the default roundings differ
    const SolvePlan plan = plan_of_request(registry, cell.request, with_cardinality);
    found["plugins"].push_back(plugin_identity(*plan.decoder.plugin));
    for (const BoundPlugin& part : plan.rounding) found["plugins"].push_back(plugin_identity(*part.plugin));
  }
  const Json& source = cell.request.at("source");
  Json digests = Json::array();
  const auto digest = [&](const std::string& file) {
    if (!file.empty()) digests.push_back(sha256_hex(read_whole_file(file)));
  };
  if (source.contains("files"))
    for (const std::string file : source.at("files")) digest(file);
  for (const char* key : {"model", "data", "data_labels"})
    if (source.contains(key)) digest(source.at(key));
  found["sources"] = digests;
  return found;
}

/// What is asked, without what does not change the answer: names of files, threads, checkpoints.
Json essence(Json request) {
  for (const char* key : {"train", "labels", "test", "test_labels", "format", "plugin_dirs"})
    request.erase(key);
  if (request.contains("config") && request.at("config").contains("run"))
    for (const char* key : {"threads", "checkpoint", "plugin_dirs"}) request["config"]["run"].erase(key);
  if (request.contains("source"))
    for (const char* key : {"files", "model", "data", "data_labels"}) request["source"].erase(key);
  return request;
}

}  // namespace

std::vector<ResolvedCell> resolve_cells(Comparison& comparison, const ResolveRun& run) {
  ErrorList errors;
  std::set<std::string> said;
  const auto complain = [&](const Json& answer) {
    const std::string sentence = answer.at("error");
    if (said.insert(sentence).second) errors.add(Fault{answer.at("code").get<int>()}, sentence);
  };
  std::map<std::string, Json> data;  // by dataset
  for (const CompareCell& cell : comparison.cells) {
    if (!cell.is_training() || data.count(cell.row) != 0) continue;
    const Json record = isolated_json([&] { return data_record(cell.request); }, run.control);
    data[cell.row] = record;
    if (record.contains("error")) complain(record);
    if (record.contains("failure"))
      errors.add(Fault::input,
                 fmt::format("dataset {}: reading it {}", cell.row, record.at("failure").get<std::string>()));
    for (Json& dataset : comparison.datasets)
      if (dataset.at("name") == cell.row && record.contains("instances"))
        for (const char* key : {"instances", "test_instances", "features", "labels"})
          dataset[key] = record.at(key);
  }
  errors.throw_if_any();

  for (const CompareCell& cell : comparison.cells) {  // before anything is trained for them
    if (cell.is_training() || cell.needs.empty()) continue;
    const auto trained =
        std::find_if(comparison.cells.begin(), comparison.cells.end(),
                     [&](const CompareCell& one) { return one.is_training() && one.id == cell.needs; });
    const Json& source = cell.request.at("source");
    if (source.at("data") != trained->request.at("test")) continue;
    try {
      rows_of(source, cell.row, data.at(trained->row).at("test_instances"));
    } catch (const Error& e) {
      complain({{"error", e.what()}, {"code", static_cast<int>(e.kind())}});
    }
  }
  errors.throw_if_any();

  const Provenance host = provenance();
  const std::string program = sha256_hex(read_whole_file("/proc/self/exe"));
  std::map<std::string, ResolvedCell> training;
  std::vector<ResolvedCell> resolved;
  for (const CompareCell& cell : comparison.cells) {
    const Json found = isolated_json(
        [&] {
          return cell.is_training()
                     ? resolve_training(cell, run, data.at(cell.row).at("instances").get<int64_t>())
                     : resolve_solver(cell, run);
        },
        run.control);
    ResolvedCell result;
    Json identity = {{"format", 1}, {"request", essence(cell.request)}};
    if (found.contains("error") && found.at("code") != static_cast<int>(Fault::unavailable)) {
      complain(found);
    } else if (found.contains("error") || found.contains("failure")) {
      result.failure = found.contains("error")
                           ? found.at("error").get<std::string>()
                           : "loading its plugins " + found.at("failure").get<std::string>();
      identity["failure"] = result.failure;
    } else {
      result.fits = found.value("fits", int64_t{0});
      if (run.estimate && cell.is_training()) {
        const Json visit = isolated_json([&] { return time_visit(cell, run); }, run.control);
        if (visit.contains("seconds"))
          result.estimate = found.at("visits").get<double>() * visit.at("seconds").get<double>();
      }
      identity["plugins"] = found.at("plugins");
      if (found.contains("sources")) identity["sources"] = found.at("sources");
    }
    if (cell.is_training()) identity["data"] = {data.at(cell.row).at("train"), data.at(cell.row).at("test")};
    if (!cell.needs.empty()) {
      identity["model"] = training.at(cell.needs).key;
      if (!training.at(cell.needs).failure.empty())
        result.failure =
            fmt::format("its model, {}, cannot be trained: {}", cell.needs, training.at(cell.needs).failure);
    }
    identity["host"] = {host.version, host.build_tag, program};
    result.key = sha256_hex(identity.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (cell.is_training()) training[cell.id] = result;
    resolved.push_back(std::move(result));
  }
  errors.throw_if_any();
  return resolved;
}

}  // namespace concord
