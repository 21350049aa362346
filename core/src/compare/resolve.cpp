// SPDX-License-Identifier: MIT
// Everything that determines a cell, found before any work.
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "compare/plan_parts.hpp"
#include "compare/run_cell.hpp"
#include "compare/runner.hpp"
#include "data/columns.hpp"
#include "process/fork.hpp"
#include "process/state.hpp"
#include "train/checkpoint.hpp"

namespace concord::compare {
namespace {

constexpr double kResolveSeconds = 120;
constexpr const char* kNonsense = "answered nonsense";

std::string wire(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What work in a child process came to: what it found, an Error, or how the child died.
struct Isolated {
  Json found;  ///< null if there is none
  std::optional<Error> error;
  std::string crash;
};

Isolated isolated(const std::function<Json()>& work, const RunControl& control) {
  const IsolatedResult result = run_isolated(
      [&] {
        try {
          return wire({{"found", work()}});
        } catch (const Error& e) {
          return wire({{"kind", static_cast<int>(e.kind())},
                       {"reason", e.reason()},
                       {"place", e.place()},
                       {"subject", e.subject()},
                       {"remedy", e.remedy()}});
        }
      },
      kResolveSeconds, control);
  if (control.stop_requested()) fail(Fault::interrupted, "interrupted before the first cell ran");
  if (!result.ok) return {{}, {}, result.failure};
  // The code of plugins ran there, and may have written anything instead.
  const std::optional<Json> answer = json_in(result.output);
  if (!answer || !answer->is_object()) return {{}, {}, kNonsense};
  if (answer->contains("found")) return {answer->at("found"), {}, ""};
  const double kind = number_at(*answer, "kind");
  if (!(kind >= 0 && kind <= static_cast<int>(Fault::interrupted))) return {{}, {}, kNonsense};
  return {{},
          Error(Fault{static_cast<int>(kind)}, text_at(*answer, "reason"),
                {text_at(*answer, "place"), text_at(*answer, "subject"), text_at(*answer, "remedy")}),
          ""};
}

/// What the data of a dataset are.
struct DataFacts {
  std::string train, test;  ///< digests
  int64_t instances = 0, test_instances = 0, features = 0, labels = 0;
};

Json find_data_facts(const TrainingRequest& request) {
  const Dataset train = request.read_train(), test = request.read_test(train);
  return {{"train", dataset_digest(train)}, {"test", dataset_digest(test)},
          {"instances", train.instances()}, {"test_instances", test.instances()},
          {"features", train.features()},   {"labels", train.labels()}};
}

DataFacts data_facts(const Json& found) {
  return {found.at("train"),          found.at("test"),     found.at("instances"),
          found.at("test_instances"), found.at("features"), found.at("labels")};
}

Json plugin_identity(const Plugin& plugin) {
  return {{"plugin", plugin.id()},
          {"version", plugin.version()},
          {"build", plugin.build_tag()},
          {"sha256", sha256_hex(read_whole_file(plugin.file()))}};
}

/// {"plugins", "fits", "visits"}
Json resolve_training(const Cell& cell, const ResolveRun& run, int64_t instances) {
  Registry registry(plugin_dirs_of(cell, run.plugin_dirs), run.control);
  const std::vector<CellPlan> plans = plan_cells(registry, cell.training().config.cells);
  std::map<std::string, Json> plugins;  // of all points of the grid, each once
  const auto note = [&](const BoundPlugin& chosen) {
    plugins.emplace(chosen.plugin->file(), plugin_identity(*chosen.plugin));
  };
  const LabelMetric metric(registry, cell.training().metric);
  if (metric.plugin() != nullptr) note(*metric.plugin());
  for (const CellPlan& plan : plans)
    for (const BoundPlugin* bound : plan.plugins()) note(*bound);
  const Work work = work_of(plans, instances);
  Json found = {{"plugins", Json::array()}, {"fits", work.fits}, {"visits", work.visits}};
  for (const auto& [file, identity] : plugins) found["plugins"].push_back(identity);
  return found;
}

/// {"plugins", "sources"}
Json resolve_solver(const Cell& cell, const ResolveRun& run) {
  Registry registry(plugin_dirs_of(cell, run.plugin_dirs), run.control);
  Json found = {{"plugins", Json::array()}, {"sources", Json::array()}};
  for (const bool with_cardinality : {false, true}) {  // the default roundings differ
    const SolvePlan plan = plan_of(registry, cell.solver(), with_cardinality);
    found["plugins"].push_back(plugin_identity(*plan.decoder.plugin));
    for (const BoundPlugin& part : plan.rounding) found["plugins"].push_back(plugin_identity(*part.plugin));
  }
  const auto digest = [&](const std::filesystem::path& file) {
    if (!file.empty()) found["sources"].push_back(sha256_hex(read_whole_file(file)));
  };
  const ProblemSource& source = cell.solver().source;
  for (const std::string& file : source.files) digest(file);
  for (const auto& file : {std::filesystem::path(source.model), source.data.file}) digest(file);
  if (is_label_file(source.data.labels)) digest(source.data.labels);
  return found;
}

/// What is asked, without what does not change the answer: names of files, threads, checkpoints.
Json essence(const Cell& cell) {
  Json request = to_json(cell);
  for (const char* key : {"train", "labels", "test", "test_labels", "format", "plugin_dirs"})
    request.erase(key);
  if (request.contains("config") && request.at("config").contains("run"))
    for (const char* key : {"threads", "checkpoint", "plugin_dirs"}) request["config"]["run"].erase(key);
  if (request.contains("source"))
    for (const char* key : {"files", "model", "data", "data_labels"}) request["source"].erase(key);
  return request;
}

class Resolver {
 public:
  Resolver(ComparePlan& plan, const ResolveRun& run) : plan_(plan), run_(run) {}

  std::vector<ResolvedCell> resolve() {
    check_names();
    errors_.throw_if_any();
    read_data();
    errors_.throw_if_any();
    check_rows();
    errors_.throw_if_any();
    std::vector<ResolvedCell> resolved(plan_.cells.size());
    for (size_t i = 0; i < plan_.cells.size(); ++i) {
      const Cell& cell = plan_.cells[i];
      if (!run_.wants(i)) continue;
      resolved[i] = resolve_cell(cell);
      if (cell.is_training()) training_[cell.name.id] = resolved[i];
    }
    errors_.throw_if_any();
    return resolved;
  }

 private:
  /// The same sentence once only.
  void complain(const Error& error) {
    if (said_.insert(error.what()).second) errors_.add(error);
  }

  /// Of all cells, so that every shard refuses a slip in any of them. Nothing is loaded: a plugin that is there and cannot
  /// be used here, or that is nowhere and like no other, is a row of the results.
  void check_names() {
    RunControl quiet = run_.control;
    quiet.log = nullptr;  // who loads the plugins says what is to be said
    for (const Cell& cell : plan_.cells) {
      std::optional<Registry> registry;
      try {
        registry.emplace(plugin_dirs_of(cell, run_.plugin_dirs), quiet);
      } catch (const Error&) {
        continue;  // said when the cell is resolved
      }
      ErrorList slips;
      check_spelling(cell, *registry, slips);
      for (const Error& slip : slips.all()) complain(slip);
    }
  }

  void read_data() {
    for (size_t i = 0; i < plan_.cells.size(); ++i) {
      const Cell& cell = plan_.cells[i];
      const std::string& name = cell.name.row;
      if (!run_.wants(i) || !cell.is_training() || !seen_.insert(name).second) continue;
      const Isolated read = isolated([&] { return find_data_facts(cell.training()); }, run_.control);
      if (read.error) complain(*read.error);
      if (!read.crash.empty())
        errors_.add(Fault::input, fmt::format("dataset {}: reading it {}", name, read.crash));
      if (read.found.is_null()) continue;
      const DataFacts& facts = data_[name] = data_facts(read.found);
      for (DatasetRecord& dataset : plan_.outline.datasets)
        if (dataset.name == name) {
          dataset.instances = facts.instances;
          dataset.test_instances = facts.test_instances;
          dataset.features = facts.features;
          dataset.labels = facts.labels;
        }
    }
  }

  /// Before anything is trained for the solvers.
  void check_rows() {
    for (size_t i = 0; i < plan_.cells.size(); ++i) {
      const Cell& cell = plan_.cells[i];
      if (!run_.wants(i) || cell.needs().empty()) continue;
      const Cell& trained = *plan_.training_cell(cell.needs());
      const ProblemSource& source = cell.solver().source;
      if (source.data.file != trained.training().test.file) continue;
      try {
        rows_of(source, cell.name.row, data_.at(trained.name.row).test_instances);
      } catch (const Error& e) {
        complain(e);
      }
    }
  }

  ResolvedCell resolve_cell(const Cell& cell) {
    const Isolated loaded = isolated(
        [&] {
          return cell.is_training() ? resolve_training(cell, run_, data_.at(cell.name.row).instances)
                                    : resolve_solver(cell, run_);
        },
        run_.control);
    ResolvedCell result;
    Json identity = {{"format", 1}, {"request", essence(cell)}};
    if (loaded.error && loaded.error->kind() != Fault::unavailable) {
      complain(*loaded.error);
    } else if (loaded.found.is_null()) {
      result.failure = loaded.error ? loaded.error->what() : "loading its plugins " + loaded.crash;
      identity["failure"] = result.failure;
    } else if (!loaded.found.is_object() || !json_at(loaded.found, "plugins").is_array() ||
               !(cell.is_training() ? json_at(loaded.found, "fits").is_number() &&
                                          json_at(loaded.found, "visits").is_number()
                                    : loaded.found.contains("sources"))) {
      result.failure = identity["failure"] = std::string("loading its plugins ") + kNonsense;
    } else {
      if (cell.is_training()) take_work(cell, loaded.found, result);
      identity["plugins"] = loaded.found.at("plugins");
      if (!cell.is_training()) identity["sources"] = loaded.found.at("sources");
    }
    if (cell.is_training()) identity["data"] = {data_.at(cell.name.row).train, data_.at(cell.name.row).test};
    if (const std::string needs = cell.needs(); !needs.empty()) {
      const ResolvedCell& model = training_.at(needs);
      identity["model"] = model.key;
      if (!model.failure.empty())
        result.failure = fmt::format("its model, {}, cannot be trained: {}", needs, model.failure);
    }
    identity["host"] = {host_.version, host_.build_tag, program_};
    result.key = sha256_hex(wire(identity));
    return result;
  }

  void take_work(const Cell& cell, const Json& found, ResolvedCell& result) {
    result.fits = found.at("fits");
    if (!run_.estimate) return;
    // What goes wrong here goes wrong when the cell runs, and is said then.
    const Isolated visit = isolated(
        [&] {
          Registry registry(plugin_dirs_of(cell, run_.plugin_dirs), run_.control);
          const std::vector<CellPlan> plans = plan_cells(registry, cell.training().config.cells);
          return Json(visit_seconds(plans.front(), cell.training().read_train(), run_.control));
        },
        run_.control);
    if (visit.found.is_number())
      result.estimate = found.at("visits").get<double>() * visit.found.get<double>();
  }

  ComparePlan& plan_;
  const ResolveRun& run_;
  ErrorList errors_;
  std::set<std::string> said_, seen_;
  std::map<std::string, DataFacts> data_;  ///< by dataset
  std::map<std::string, ResolvedCell> training_;
  Provenance host_ = provenance();
  std::string program_ = sha256_hex(read_whole_file("/proc/self/exe"));
};

}  // namespace

std::vector<ResolvedCell> resolve_cells(ComparePlan& plan, const ResolveRun& run) {
  return Resolver(plan, run).resolve();
}

}  // namespace concord::compare
