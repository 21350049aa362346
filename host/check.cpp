// SPDX-License-Identifier: MIT
// concord check: the conformance suite on one plugin.
#include <algorithm>
#include <set>

#include "check/runner.hpp"
#include "cli.hpp"
#include "process/state.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

using check::Report;
using check::Test;
using check::Verdict;

/// What the argument names, without loading it: a file, and the kind if the words tell it.
struct Named {
  std::filesystem::path file;
  int32_t kind = 0;
};

Named locate(const std::string& what, Registry& registry) {
  std::error_code error;
  const PluginReference reference(what);
  if (reference.is_file()) {
    const auto file = std::filesystem::canonical(reference.file, error);
    if (error)
      fail(Fault::unavailable,
           About{"", what, "Check the path, or name an installed plugin as KIND/NAME ('concord plugins')"},
           "no such file: {}", what);
    return {file, PluginReference(file.string()).kind};
  }
  if (reference.kind == 0 || reference.name.empty())
    fail(Fault::input, About{"", what},
         "'{}' is neither a file nor KIND/NAME: write ./decoder-mine.so, decoder/NAME, loss/NAME or "
         "rounding/NAME",
         what);
  return {std::filesystem::canonical(registry.locate(reference.kind, reference.name)), reference.kind};
}

std::vector<Test> chosen(const std::vector<Test>& tests, const Strings& only, const std::string& of) {
  if (only.empty()) return tests;
  Strings ids;
  for (const Test& test : tests) ids.emplace_back(test.id);
  std::set<std::string> wanted;
  for (const auto& list : only)
    for (size_t from = 0; from <= list.size();) {
      const size_t comma = std::min(list.find(',', from), list.size());
      const std::string id = list.substr(from, comma - from);
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        fail(Fault::input, "--only {}: there is no test '{}' of {}{} ('concord check --list' names them all)",
             list, id, of, did_you_mean(id, ids));
      wanted.insert(id);
      from = comma + 1;
    }
  std::vector<Test> some;
  for (const Test& test : tests)
    if (wanted.count(test.id) != 0) some.push_back(test);
  return some;
}

/// The settings of --set, for the plugin under test alone.
std::vector<Setting> settings_given(const Arguments& arguments) {
  std::vector<Setting> settings;
  for (const auto& text : arguments.list("set")) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      fail(Fault::input, About{"--set " + text},
           "expected KEY=VALUE, with a key that 'concord describe' lists");
    settings.push_back({text.substr(0, equals), text.substr(equals + 1), "--set " + text});
  }
  return settings;
}

std::string listing(int32_t kind) {
  std::string text;
  for (const int32_t each : {CONCORD_DECODER, CONCORD_LOSS, CONCORD_ROUNDING}) {
    if (kind != 0 && each != kind) continue;
    text += fmt::format("{}tests of a {}\n", text.empty() ? "" : "\n", kind_name(each));
    for (const Test& test : check::tests_of(each))
      text += fmt::format("  {:<18} {}\n", test.id, test.sentence);
  }
  return text;
}

std::string line_of(const Report& report) {
  const std::string text = fmt::format("{:<8} {:<18} {:>6.2f} s  {}", verdict_name(report.verdict), report.id,
                                       report.seconds, report.reason);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

Json json_of(const Report& report) {
  return {{"id", report.id},
          {"verdict", verdict_name(report.verdict)},
          {"reason", report.reason},
          {"seconds", report.seconds}};
}

/// What the tests of a run, or of several with other seeds, came to.
struct Summary {
  int64_t passed = 0, failed = 0, skipped = 0;
  bool usable = true;
  std::vector<Report> reports;

  void add(const Report& report) {
    ++(report.verdict == Verdict::pass ? passed : report.verdict == Verdict::skip ? skipped : failed);
    if (report.id == "probe" && report.verdict == Verdict::skip) usable = false;
    reports.push_back(report);
  }

  /// One object; with other seeds of --fuzz a test stands there once for each.
  Json json() const {
    Json rows = Json::array();
    for (const Report& report : reports) rows.push_back(json_of(report));
    return {{"plugin", nullptr}, {"kind", nullptr},  {"tests", rows},
            {"passed", passed},  {"failed", failed}, {"skipped", skipped}};
  }

  /// Where to begin, and what would show more; nothing if nothing failed.
  std::string advice(const std::string& shown_file, bool keeps_nothing) const {
    const check::Beginning beginning = check::where_to_begin(reports);
    if (beginning.report == nullptr) return "";
    std::string text;
    if (failed > 1) {
      const std::string alike = beginning.alike == failed ? fmt::format("all {} fail alike", failed)
                                : beginning.alike > 1
                                    ? fmt::format("{} of {} fail alike", beginning.alike, failed)
                                    : fmt::format("of {} failures", failed);
      text = fmt::format("{}; begin with '{}': concord check {} --only {}\n", alike, beginning.report->id,
                         for_shell(shown_file), beginning.report->id);
    }
    const bool could_keep =
        std::any_of(reports.begin(), reports.end(), [](const Report& r) { return r.on_a_problem; });
    if (keeps_nothing && could_keep)
      text += "--keep writes each failing problem to a file, and says how to replay it\n";
    return text;
  }
};

std::string seeds_text(uint64_t seeds) {
  return fmt::format("{} seed{}: ", seeds, seeds == 1 ? "" : "s");
}

check::RunOptions options_given(const Arguments& arguments) {
  check::RunOptions options;
  options.seed = parse_seed(arguments.get<std::string>("seed"));
  options.time_limit = arguments.get<double>("time-limit");
  options.in_process = arguments.has("in-process");
  if (arguments.has("keep") || arguments.has("out"))
    options.out = arguments.has("out") ? arguments.get<std::string>("out") : ".";
  options.gates = !arguments.has("only") && !arguments.has("fuzz");
  options.fail_fast = arguments.has("fail-fast") || arguments.has("fuzz");
  options.settings = settings_given(arguments);
  if (!(options.time_limit > 0 && options.time_limit <= 1e6))
    fail(Fault::input, "--time-limit {}: must be positive, and at most 1e6 seconds", options.time_limit);
  if (!options.out.empty() && !std::filesystem::is_directory(options.out))
    fail(Fault::input, "--out {}: there is no such directory", options.out.string());
  if (arguments.has("fuzz") && !(arguments.get<double>("fuzz") > 0))
    fail(Fault::input, "--fuzz {}: must be a positive number of seconds", arguments.get<double>("fuzz"));
  return options;
}

}  // namespace

Exit run_check(const Strings& words, Context& context) {
  Arguments arguments(
      "check FILE.so|KIND/NAME [OPTIONS]",
      R"(Holds a plugin to the contract: each test runs in a child process with a time limit. Exit code 1 if one
fails. A decoder's failing problem is made small; with --keep it is written to a file that
'concord decode' reads.)");
  arguments.add()("only", po::value<Strings>()->composing()->value_name("IDS"),
                  "run these tests only, a,b,c (may be given several times)")(
      "list", "say what each test is about, and exit")(
      "in-process", "run in this process, without a time limit: for a debugger")(
      "seed", po::value<std::string>()->default_value("1")->value_name("N"), "seed of everything generated")(
      "time-limit", po::value<double>()->default_value(20)->value_name("SECONDS"), "CPU time for each test")(
      "set", po::value<Strings>()->composing()->value_name("KEY=VALUE"),
      "an option of the plugin, in every test (may be given several times)")("fail-fast",
                                                                             "end at the first failure")(
      "fuzz", po::value<double>()->value_name("SECONDS"),
      "instead: the tests that draw problems, again and again with other seeds, for so long or until one fails")(
      "keep", "write failing problems to files, and say how to replay each")(
      "out", po::value<std::string>()->value_name("DIR"), "write them here; default: the current directory")(
      "json", "one JSON object on standard output");
  arguments.positional("plugin");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;
  Registry registry = registry_for(arguments, context);

  if (arguments.has("list")) {
    const int32_t kind = arguments.has("plugin") ? locate(arguments.required("plugin"), registry).kind : 0;
    context.out.write(listing(kind));
    return Exit::done;
  }
  const std::string what = arguments.required("plugin");
  check::RunOptions options = options_given(arguments);
  const Named named = locate(what, registry);
  refuse_world_writable(named.file);
  const check::Identity identity =
      check::identify(named.file, options.settings, std::min(options.time_limit, 10.0), context.control);
  if (!identity.fault_of_settings.empty()) fail(Fault::input, "{}", identity.fault_of_settings);
  options.kind = identity.kind;
  options.shown_file = what.ends_with(".so") ? what : named.file.string();
  const bool fuzzes = arguments.has("fuzz");
  const std::vector<Test> tests =
      chosen(fuzzes ? check::drawn_tests_of(identity.kind) : check::tests_of(identity.kind),
             arguments.list("only"), identity.id);

  const bool json = arguments.has("json");
  if (!json)
    context.out.write(fmt::format("{}{}{}\n  {}\n  seed {}, {} test{}\n\n", identity.id,
                                  identity.version.empty() ? "" : " ", identity.version, named.file.string(),
                                  options.seed, tests.size(), tests.size() == 1 ? "" : "s"));
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Summary summary;
  const uint64_t first_seed = options.seed;
  do {
    const auto reports = run_tests(named.file, tests, options, context.control, [&](const Report& report) {
      if (!json && (!fuzzes || is_failure(report.verdict))) context.out.write(line_of(report));
    });
    if (context.control.stop_requested()) return Exit::interrupted;
    for (const Report& report : reports) summary.add(report);
    ++options.seed;
  } while (fuzzes && summary.failed == 0 && elapsed() < arguments.get<double>("fuzz"));

  if (json) {
    Json object = summary.json();
    object["plugin"] = identity.id;
    object["kind"] = identity.kind == 0 ? Json(nullptr) : Json(kind_name(identity.kind));
    object["seed"] = first_seed;
    object["seeds"] = options.seed - first_seed;
    object["seconds"] = elapsed();
    object["file"] = named.file.string();
    object["host"] = host_record();
    context.out.write(to_line(object));
  } else {
    context.out.write(fmt::format("\n{}{} passed, {} failed, {} skipped in {:.1f} s\n{}",
                                  fuzzes ? seeds_text(options.seed - first_seed) : "", summary.passed,
                                  summary.failed, summary.skipped, elapsed(),
                                  summary.advice(options.shown_file, options.out.empty())));
  }
  return summary.failed > 0 ? Exit::negative : summary.usable ? Exit::done : Exit::unavailable;
}

}  // namespace concord
