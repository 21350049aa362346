// SPDX-License-Identifier: MIT
// concord compare: the cells of a comparison, each in a process of its own, and the tables and the report made of them.
#include <algorithm>
#include <cmath>
#include <thread>
#include <unistd.h>

#include "base/files.hpp"
#include "cli.hpp"
#include "compare/cell.hpp"
#include "compare/gather.hpp"
#include "compare/runner.hpp"
#include "metrics/metrics.hpp"
#include "progress.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

std::string metric_text(const Json& cell, const std::string& metric) {
  if (cell.at("status") != "done") return cell.at("status");
  return fmt::format("{:.4f}", cell.at("metrics").at(metric).get<double>());
}

std::string interval_text(const Json& cell, const std::string& metric) {
  if (cell.at("status") != "done") return "";
  const Json& interval = cell.at("intervals").at(metric);
  return fmt::format("{:.4f} .. {:.4f}", interval[0].get<double>(), interval[1].get<double>());
}

/// Of training; a cell that was resumed has none.
std::string seconds_text(const Json& cell) {
  if (cell.at("status") != "done" || cell.at("seconds").at("train").is_null()) return "-";
  return fmt::format("{:.1f}", cell.at("seconds").at("train").get<double>());
}

/// The best value of each dataset gets a star, and so do all that read the same.
bool is_best(const Json& results, const Json& cell) {
  if (cell.at("status") != "done") return false;
  const std::string metric = results.at("metric");
  const double sign = results.at("metric_is_loss") ? 1 : -1;
  const auto value = [&](const Json& one) { return sign * std::stod(metric_text(one, metric)); };
  return std::none_of(results.at("cells").begin(), results.at("cells").end(), [&](const Json& other) {
    return other.at("dataset") == cell.at("dataset") && other.at("status") == "done" &&
           value(other) < value(cell);
  });
}

std::string scientific_or_dash(const Json& number) {
  return number.is_null() ? "-" : fmt::format("{:.2e}", number.get<double>());
}

std::string results_text(const Json& results) {
  std::string text, notes;
  const std::string metric = results.at("metric");
  if (!results.at("cells").empty()) {
    std::vector<Strings> rows = {{"dataset", "method", metric, "", "95 % interval", "seconds"}};
    for (const Json& cell : results.at("cells"))
      rows.push_back({cell.at("dataset"), cell.at("method"), metric_text(cell, metric),
                      is_best(results, cell) ? "*" : "", interval_text(cell, metric), seconds_text(cell)});
    text += table(rows, 2);
  }
  if (!results.at("solves").empty()) {
    std::vector<Strings> rows = {
        {"problems", "solver", "solved", "best", "bound excess", "value shortfall", "seconds"}};
    for (const Json& solve : results.at("solves")) {
      if (solve.at("status") != "done") {
        rows.push_back({solve.at("problems"), solve.at("solver"), solve.at("status"), "-", "-", "-", "-"});
        continue;
      }
      const Json& s = solve.at("summary");
      rows.push_back({solve.at("problems"), solve.at("solver"),
                      fmt::format("{} of {}", s.at("solved").get<int64_t>(), solve.at("results").size()),
                      fmt::format("{}", s.at("best").get<int64_t>()),
                      scientific_or_dash(s.at("bound_excess")), scientific_or_dash(s.at("value_shortfall")),
                      scientific_or_dash(s.at("seconds"))});
    }
    text += (text.empty() ? "" : "\n") + table(rows, 2);
  }
  for (const char* kind : {"cells", "solves"})
    for (const Json& cell : results.at(kind))
      if (cell.at("status") == "failed")
        notes +=
            fmt::format("  {}: {}\n", cell.at("id").get<std::string>(), cell.at("reason").get<std::string>());
  return text + (notes.empty() ? "" : "\nfailed:\n" + notes);
}

int64_t count_status(const Json& results, const char* status) {
  int64_t count = 0;
  for (const char* kind : {"cells", "solves"})
    for (const Json& cell : results.at(kind)) count += cell.at("status") == status;
  return count;
}

Exit write_results(const CompareFolder& folder, const Json& plan, bool json, Context& context) {
  const Json results = gather_results(folder, plan);
  write_json(folder.path() / "results.json", results);
  write_file_atomically(folder.path() / "results.csv", results_csv(results));
  if (!results.at("solves").empty()) write_file_atomically(folder.path() / "solves.csv", solves_csv(results));
  write_file_atomically(folder.path() / "tables.md", markdown_tables(results));
  write_file_atomically(folder.path() / "tables.tex", latex_tables(results));
  write_file_atomically(folder.path() / "report.html", report_html(results));
  const int64_t pending = count_status(results, "pending");
  if (json) {
    context.out.write(to_line(results));
  } else {
    context.out.write(results_text(results) +
                      fmt::format("\n{}report      {}\n",
                                  pending == 0 ? "" : fmt::format("pending     {} cells\n", pending),
                                  (folder.path() / "report.html").string()));
  }
  return count_status(results, "failed") == 0 ? Exit::done : Exit::negative;
}

/// A cell by itself: as a child of a comparison (`answer`), or again from its record.
Exit run_one_cell(const std::filesystem::path& folder, bool answer, int threads, const Arguments& arguments,
                  Context& context) {
  const auto record = read_json(folder / "cell.json");
  if (!record || !record->contains("request"))
    fail(Fault::input, "--cell {}: there is no cell.json of a comparison in this folder", folder.string());
  CellRun run;
  for (const auto& directory : arguments.list("plugin-dir")) run.plugin_dirs.emplace_back(directory);
  run.threads = threads;
  run.control = context.control;
  run.control.threads = threads;
  if (record->contains("plugin_dirs"))
    for (const std::string directory : record->at("plugin_dirs")) run.plugin_dirs.emplace_back(directory);
  if (record->contains("model_of"))  // solves/SET/SOLVER, cells/DATASET/METHOD
    run.model_of_cell = std::filesystem::absolute(folder).lexically_normal() / "../../../cells" /
                        record->at("model_of").get<std::string>() / "model.concord";
  run.folder = folder;
  if (answer) {
    write_json(folder / "answer.json", run_cell(record->at("request"), run));
    return Exit::done;
  }
  run.folder = folder / "again";  // what the comparison has made stays as it is
  std::filesystem::create_directories(run.folder);
  const Json result = run_cell(record->at("request"), run);
  write_json(run.folder / "result.json", result);
  const auto before = read_json(folder / "result.json");
  const char* const what = record->at("request").at("kind") == "train" ? "metrics" : "results";
  if (arguments.has("json")) {
    context.out.write(to_line(result));
  } else if (result.contains("metrics")) {
    for (const auto& [name, value] : result.at("metrics").items())
      context.out.write(fmt::format("{:<19}{:>7.4f}\n", name, value.get<double>()));
  } else {
    std::vector<Strings> rows = {{"problem", "status", "value", "bound"}};
    for (const Json& r : result.at("results"))
      rows.push_back({r.at("problem"), r.at("status"), r.at("value").dump(), r.at("bound").dump()});
    context.out.write(table(rows, 2));
  }
  if (!before || before->value("status", "") != "done") return Exit::done;
  const auto without_seconds = [](Json json) {
    for (Json& entry : json)
      if (entry.is_object()) entry.erase("seconds");
    return json;
  };
  const bool same = without_seconds(result.at(what)) == without_seconds(before->at(what));
  std::fputs(
      same ? "concord: the same result as before\n"
           : "concord: NOT the result that the comparison had; its plugins, data or host may have changed\n",
      stderr);
  return same ? Exit::done : Exit::negative;
}

Exit dry_run(const Comparison& comparison, const std::vector<ResolvedCell>& resolved,
             const CompareFolder* folder, const CompareRun& run, Context& context) {
  std::vector<Strings> rows = {{"cell", "fits", "estimate", "state"}};
  double total = 0;
  int64_t left = 0;
  for (size_t i = 0; i < resolved.size(); ++i) {
    if (!is_in_shard(comparison, i, run)) continue;
    const CompareCell& cell = comparison.cells[i];
    const bool finished =
        folder != nullptr && is_finished(*folder, cell, resolved[i], comparison.limits, run.retry);
    const double seconds = resolved[i].estimate;
    if (!finished && resolved[i].failure.empty()) {
      ++left;
      total += std::isfinite(seconds) ? seconds : 0;
    }
    rows.push_back({cell.id, cell.is_training() ? std::to_string(resolved[i].fits) : "-",
                    std::isfinite(seconds) && seconds > 0 ? duration_text(seconds) : "-",
                    finished                       ? "finished"
                    : !resolved[i].failure.empty() ? "cannot run: " + resolved[i].failure
                                                   : "to do"});
  }
  context.out.write(
      table(rows, 3) +
      fmt::format("\n{} cells to do, about {} in {} at a time (extrapolated from one epoch on a few "
                  "instances of each cell)\n",
                  left, duration_text(total / run.jobs), run.jobs));
  return Exit::done;
}

int64_t parse_count(const char* option, const std::string& text, int64_t high) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > high)
    fail(Fault::input, "{} {}: expected an integer from 1 to {}", option, text, high);
  return value;
}

void parse_shard(const std::string& text, CompareRun& run) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) fail(Fault::input, "--shard {}: expected I/N, as in 2/8", text);
  run.shards = static_cast<int>(parse_count("--shard", text.substr(slash + 1), 100'000));
  run.shard = static_cast<int>(parse_count("--shard", text.substr(0, slash), run.shards)) - 1;
}

/// One line for each finished cell; on a terminal the running ones below it.
class CompareProgress {
 public:
  CompareProgress(bool quiet, std::string metric)
      : quiet_(quiet), terminal_(::isatty(2) == 1), metric_(std::move(metric)) {}
  ~CompareProgress() {
    if (terminal_ && !quiet_) std::fputs("\r\033[K", stderr);
  }
  void operator()(const Json& event) {
    if (quiet_) return;
    std::string text = terminal_ ? "\r\033[K" : "";
    const size_t done = event.at("done"), count = event.at("of");
    if (event.at("event") == "end") {
      const Json& result = event.at("result");
      std::string what =
          result.at("status") == "failed" ? "failed: " + result.at("reason").get<std::string>()
          : result.contains("metrics")
              ? fmt::format("{} {:.4f}", metric_, result.at("metrics").at(metric_).get<double>())
              : fmt::format("{} problems", result.at("results").size());
      text += fmt::format("[{}/{}] {}  {}  {}\n", done, count, event.at("id").get<std::string>(), what,
                          duration_text(result.at("process_seconds")));
    }
    if (terminal_) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
      const std::string left =
          done == 0 ? ""
                    : fmt::format(", {} left", duration_text(seconds / static_cast<double>(done) *
                                                             static_cast<double>(count - done)));
      const Strings running = event.at("running");
      text += fmt::format("{} of {} cells{}; running {}", done, count, left, fmt::join(running, ", "));
    }
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  bool quiet_, terminal_;
  std::string metric_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

Exit run_compare(const Strings& words, Context& context) {
  Arguments arguments(
      "compare CONFIG.toml --out DIR [OPTIONS]\n"
      "       concord compare --merge DIR... --out DIR\n"
      "       concord compare --cell DIR/cells/DATASET/METHOD",
      "Trains every method on every dataset of the config and scores it on the test data, runs every solver "
      "on\n"
      "every set of problems, and writes results.json, results.csv, tables.md, tables.tex and report.html to "
      "DIR.\n"
      "Each cell runs in a process of its own; finished cells are kept, so the same command continues a run "
      "that\n"
      "was killed. A cell that fails is a row with its reason; the exit code is then 1.");
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
  arguments.internal("answer");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context.out)) return Exit::done;

  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  CompareRun run;
  run.jobs = arguments.has("jobs")
                 ? static_cast<int>(parse_count("--jobs", arguments.get<std::string>("jobs"), 4096))
                 : processors;
  run.threads = arguments.has("threads")
                    ? static_cast<int>(parse_count("--threads", arguments.get<std::string>("threads"), 256))
                    : std::max(1, processors / run.jobs);
  if (arguments.has("cell"))
    return run_one_cell(arguments.get<std::string>("cell"), arguments.has("answer"), run.threads, arguments,
                        context);
  if (arguments.has("merge")) {
    if (arguments.has("config"))
      fail(Fault::input, "--merge takes the config from the folders; leave {} out",
           arguments.required("config"));
    const CompareFolder folder(arguments.required("out"));
    std::vector<std::filesystem::path> others;
    for (const auto& other : arguments.list("merge")) others.emplace_back(other);
    const Json plan = merge_plans(folder, others);
    write_plan(folder, plan);
    return write_results(folder, plan, arguments.has("json"), context);
  }

  const std::string file = arguments.required("config");
  if (arguments.has("shard")) parse_shard(arguments.get<std::string>("shard"), run);
  run.retry = arguments.has("retry-failed");
  for (const auto& directory : arguments.list("plugin-dir")) run.plugin_dirs.emplace_back(directory);
  run.control = context.control;
  run.program = std::filesystem::read_symlink("/proc/self/exe");
  Comparison comparison = read_comparison(file, arguments.list("set"));
  const bool dry = arguments.has("dry-run");
  if (!dry) arguments.required("out");
  std::optional<CompareFolder> folder;
  if (arguments.has("out") && (!dry || std::filesystem::exists(arguments.get<std::string>("out"))))
    folder.emplace(arguments.get<std::string>("out"));
  const std::vector<ResolvedCell> resolved =
      resolve_cells(comparison, {run.plugin_dirs, dry, context.control});
  if (dry) return dry_run(comparison, resolved, folder ? &*folder : nullptr, run, context);

  const Json plan = plan_json(comparison, resolved);
  write_plan(*folder, plan);
  {
    CompareProgress progress(arguments.has("quiet"), comparison.metric);
    run.event = [&](const Json& event) { progress(event); };
    run_cells(*folder, comparison, resolved, run);
  }
  return write_results(*folder, plan, arguments.has("json"), context);
}

}  // namespace concord
