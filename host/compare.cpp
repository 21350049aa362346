// SPDX-License-Identifier: MIT
// concord compare: the cells of a comparison, each in a process of its own, and the tables and the report made of them.
#include <algorithm>
#include <thread>

#include "base/text.hpp"
#include "cli.hpp"
#include "compare/run_cell.hpp"
#include "compare_text.hpp"
#include "report/report.hpp"
#include "train/state.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

std::vector<std::filesystem::path> paths(const Strings& words) {
  return {words.begin(), words.end()};
}

Exit show_results(const compare::CompareFolder& folder, const compare::PlanRecord& plan, bool json,
                  Context& context) {
  const compare::Results results = gather_results(folder, plan);
  report::write_results(folder.path(), results);
  const size_t pending = results.count(compare::Status::pending);
  context.out.write(json ? to_line(to_json(results))
                         : report::results_text(results) +
                               fmt::format("\n{}report      {}\n",
                                           pending == 0 ? "" : fmt::format("pending     {} cells\n", pending),
                                           (folder.path() / "report.html").string()));
  return results.count(compare::Status::failed) == 0 ? Exit::done : Exit::negative;
}

/// A cell again from its record.
Exit repeat_cell(const std::filesystem::path& folder, const compare::CellRun& run, bool json,
                 Context& context) {
  const compare::Repeated again = compare::repeat_cell(folder, run);
  context.out.write(json ? to_line(to_json(again.answer)) : report::answer_text(again.answer));
  if (!again.same) return Exit::done;
  std::fputs(
      *again.same
          ? "concord: the same result as before\n"
          : "concord: NOT the result that the comparison had; its plugins, data or host may have changed\n",
      stderr);
  return *again.same ? Exit::done : Exit::negative;
}

}  // namespace

Exit run_compare(const Strings& words, Context& context) {
  Arguments arguments(
      R"(compare CONFIG.toml --out DIR [OPTIONS]
       concord compare --merge DIR... --out DIR
       concord compare --cell DIR/cells/DATASET/METHOD)",
      R"(Trains every method on every dataset of the config and scores it on the test data, runs every solver on
every set of problems, and writes results.json, results.csv, tables.md, tables.tex and report.html to DIR.
Each cell runs in a process of its own; finished cells are kept, so the same command continues a run that
was killed. A cell that fails is a row with its reason; the exit code is then 1.)");
  arguments.positional("config");
  arguments.add()("out", po::value<std::string>()->value_name("DIR"),
                  "where everything goes; made if not there")(
      "dry-run", "show the cells and about how long they take, and do nothing")(
      "jobs", po::value<std::string>()->value_name("N"), "cells at a time; default: one for each processor")(
      "threads", po::value<std::string>()->value_name("N"),
      "of each cell; default: the processors divided by the jobs. No result depends on it")(
      "shard", po::value<std::string>()->value_name("I/N"), "only every N-th cell, from the I-th (1 to N)")(
      "merge", po::value<Strings>()->multitoken()->value_name("DIR..."),
      "bring the cells of these folders, of shards of one comparison, together in --out")(
      "retry-failed", "run cells that failed again; else they are kept, too")(
      "cell", po::value<std::string>()->value_name("DIR"),
      "run one cell again from its record, into DIR/again, and say whether the result is the same")(
      "set", po::value<Strings>()->composing()->value_name("SECTION.KEY=VALUE"),
      "override a key of the config in every training cell (may be given several times)")(
      "quiet", "no progress")("json", "results.json on standard output");
  arguments.internal("answer");  // what a comparison runs in the process of a cell
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;

  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  compare::CompareRun run;
  run.jobs =
      arguments.has("jobs") ? parse_count("--jobs", arguments.get<std::string>("jobs"), 4096) : processors;
  const int threads = arguments.has("threads")
                          ? parse_count("--threads", arguments.get<std::string>("threads"), 256)
                          : std::max(1, processors / run.jobs);
  run.plugin_dirs = paths(arguments.list("plugin-dir"));
  run.control = context.control;
  const bool json = arguments.has("json");
  if (arguments.has("cell")) {
    const std::filesystem::path cell = arguments.get<std::string>("cell");
    const compare::CellRun cell_run{run.plugin_dirs, threads, context.control};
    if (!arguments.has("answer")) return repeat_cell(cell, cell_run, json, context);
    answer_cell(cell, cell_run);
    return Exit::done;
  }
  if (arguments.has("merge")) {
    if (arguments.has("config"))
      fail(Fault::input, "--merge takes the config from the folders; leave {} out",
           arguments.required("config"));
    const compare::CompareFolder folder(arguments.required("out"));
    compare::PlanRecord plan = merge_plans(folder, paths(arguments.list("merge")));
    write_plan(folder, plan);
    return show_results(folder, plan, json, context);
  }

  const std::string file = arguments.required("config");
  if (arguments.has("shard")) {
    const Shard shard = parse_shard(arguments.get<std::string>("shard"));
    run.shard = shard.index - 1;
    run.shards = shard.count;
  }
  run.retry = arguments.has("retry-failed");
  run.command = [program = std::filesystem::read_symlink("/proc/self/exe").string(),
                 count = std::to_string(threads)](const std::filesystem::path& folder) {
    return Strings{program, "compare", "--cell", folder.string(), "--answer", "--threads", count};
  };
  compare::ComparePlan plan = compare::read_comparison(file, arguments.list("set"));
  const bool dry = arguments.has("dry-run");
  if (!dry) arguments.required("out");
  std::optional<compare::CompareFolder> folder;
  if (arguments.has("out") && (!dry || std::filesystem::exists(arguments.get<std::string>("out"))))
    folder.emplace(arguments.get<std::string>("out"));
  const std::vector<compare::ResolvedCell> resolved = resolve_cells(
      plan,
      {run.plugin_dirs, dry, context.control, [&](size_t cell) { return is_in_shard(plan, cell, run); }});
  if (dry) {
    context.out.write(dry_run_text(plan, resolved, folder ? &*folder : nullptr, run));
    return Exit::done;
  }
  compare::PlanRecord record = record_of(plan, resolved);
  write_plan(*folder, record);
  {
    CompareProgress progress(arguments.has("quiet"), plan.outline.metric);
    run.event = std::ref(progress);
    run_cells(*folder, plan, resolved, run);
  }
  return show_results(*folder, record, json, context);
}

}  // namespace concord
