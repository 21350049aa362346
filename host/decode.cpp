// SPDX-License-Identifier: MIT
// concord decode: one problem, one decoder (or several, in a table).
#include <algorithm>

#include "base/text.hpp"
#include "cli.hpp"
#include "config/entries.hpp"
#include "decode_report.hpp"
#include "problem/files.hpp"
#include "solve/choice.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

DecodeReport solve(const DecodeJob& job, const SolvePlan& plan, RunControl control) {
  if (job.time_limit) control.deadline = seconds_from_now(*job.time_limit);
  return run_decode(plan, job.problem, job.seed, control);
}

Exit compare_decoders(const DecodeJob& job, const std::vector<SolvePlan>& plans, bool json,
                      Context& context) {
  std::vector<Strings> rows = {{"decoder", "rounding", "status", "objective", "bound", "gap", "seconds"}};
  Json results = Json::array();
  std::string notes;
  Exit verdict = Exit::done;
  for (const SolvePlan& plan : plans) {
    const std::string name = plan.decoder.plugin->name();
    try {
      const DecodeReport r = solve(job, plan, context.control);
      rows.push_back({name, r.rounding.empty() ? "-" : r.rounding, status_name(r.status),
                      fmt::format("{:.10g}", r.objective), bound_text(r.objective_bound), gap_text(r.gap),
                      fmt::format("{:.2e}", r.seconds)});
      results.push_back(report_json(job, plan, r));
    } catch (const std::exception& e) {  // an Error, or out of memory
      const auto* error = dynamic_cast<const Error*>(&e);
      const char* status = error != nullptr && error->kind() == Fault::unsupported ? "unsupported" : "failed";
      rows.push_back({name, "-", status, "-", "-", "-", "-"});
      results.push_back(failure_json(job, plan, status, e.what()));
      notes += fmt::format("  {}\n", e.what());
      if (verdict == Exit::done) verdict = Exit::negative;
    }
    if (context.control.stop_requested()) {
      verdict = Exit::interrupted;
      break;
    }
  }
  context.out.write(json ? to_line({{"problem", job.problem_name}, {"results", results}})
                         : headline(job) + "\n" + table(rows, 3) + (notes.empty() ? "" : "\n" + notes));
  return verdict;
}

Strings split_names(const std::string& list) {
  Strings names;
  for (size_t from = 0; from <= list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    std::string name = list.substr(from, comma - from);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty()) fail(Fault::input, About{"--compare " + list}, "a name is empty; write a,b,c");
    if (name == kChosenDecoder)
      fail(Fault::input, About{"--compare " + list, name},
           "auto chooses one decoder: give --decoder auto, and compare decoders by their names");
    if (std::find(names.begin(), names.end(), name) != names.end())
      fail(Fault::input, About{"--compare " + list, name}, "{} is there twice", name);
    names.push_back(std::move(name));
    from = comma + 1;
  }
  return names;
}

}  // namespace

Exit run_decode_verb(const Strings& words, Context& context) {
  Arguments arguments(
      "decode FILE [--decoder NAME|FILE.so | --compare NAME,NAME...] [OPTIONS]",
      R"(Maximises u'b - u'Au over labels u in {-1,+1}^V, optionally with exactly K labels at +1.
FILE is .json ({"A": [[..]] or "edges": [[i, j, A_ij], ..], "b": [..], "cardinality": k}), a max-cut graph
(.mc, .rud, .txt; .mtx of MatrixMarket), a QUBO (.sparse, .bqp) or a model of dimod (.coo).)");
  arguments.positional("FILE");
  arguments.add()("problem", po::value<std::string>()->value_name("FILE"),
                  "the problem, if no FILE is given")(
      "decoder", po::value<std::string>()->value_name("NAME"),
      "the decoder, by name or by path; default auto: the cheapest that proves the optimum of this problem, else the "
      "tightest bound that fits, else a search")("compare", po::value<std::string>()->value_name("NAMES"),
                                                 "several decoders, in one table")(
      "rounding", po::value<std::string>()->value_name("NAME"),
      "from the relaxed solution to labels, 'a' or 'a+b'; default threshold+local-search (top-k+local-search "
      "under "
      "a cardinality), skipped if the solution is already integral")(
      "cardinality", po::value<int64_t>()->value_name("K"), "exactly K labels are +1; overrides the file's")(
      "set", po::value<Strings>()->composing()->value_name("SCOPE.KEY=VALUE"),
      "set an option; SCOPE is decoder, rounding or a plugin's name (may be given several times)")(
      "seed", po::value<std::string>()->default_value("1")->value_name("N"), "seed of all randomness")(
      "time-limit", po::value<double>()->value_name("SECONDS"),
      "stop each decoder after this time with its best so far (not reproducible)")(
      "json", "one JSON object on standard output");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;

  ErrorList errors;
  if (arguments.has("FILE") && arguments.has("problem"))
    fail(Fault::input, "FILE and --problem both name the problem: give one of them");
  const std::string file = arguments.required(arguments.has("FILE") ? "FILE" : "problem");
  if (arguments.has("decoder") && arguments.has("compare"))
    fail(Fault::input, "give either --decoder NAME or --compare NAME,NAME");
  CanonicalProblem problem;
  errors.attempt([&] { problem = read_problem(file); });
  if (arguments.has("cardinality")) {
    problem.k = arguments.get<int64_t>("cardinality");
    if (problem.labels() > 0 && (*problem.k < 0 || *problem.k > problem.labels()))
      errors.add(Fault::input,
                 fmt::format("{} has {} labels, so K is 0 to {}", file, problem.labels(), problem.labels()),
                 {fmt::format("--cardinality {}", *problem.k), file});
  }
  std::optional<double> limit;
  if (arguments.has("time-limit")) errors.attempt([&] { limit = time_limit_given(arguments); });
  std::vector<ScopedSetting> settings;
  for (const auto& text : arguments.list("set"))
    errors.attempt([&] { settings.push_back(scoped_setting(Assignment(text))); });
  Strings decoders;
  errors.attempt([&] {
    decoders = arguments.has("compare")   ? split_names(arguments.get<std::string>("compare"))
               : arguments.has("decoder") ? Strings{arguments.get<std::string>("decoder")}
                                          : Strings{kChosenDecoder};
  });
  std::vector<PluginSpec> rounding;
  errors.attempt([&] { rounding = rounding_given(arguments); });

  uint64_t seed = 0;
  errors.attempt([&] { seed = parse_seed(arguments.get<std::string>("seed")); });

  std::optional<Registry> registry;
  std::vector<SolvePlan> plans;
  std::string chosen_because;
  errors.attempt([&] {
    registry.emplace(registry_for(arguments, context));
    for (std::string& name : decoders) {
      if (name == kChosenDecoder && problem.labels() == 0) return;  // what is wrong with the file comes first
      DecoderChoice choice = resolve_decoder(*registry, name, problem.A, problem.k.has_value());
      name = std::move(choice.name);
      chosen_because = std::move(choice.reason);
    }
    plans = plan_decodes(*registry, decoders, rounding, problem.k.has_value(), settings, errors);
  });
  errors.throw_if_any();

  const DecodeJob job{file, problem, seed, limit, chosen_because};
  const bool json = arguments.has("json");
  if (arguments.has("compare")) return compare_decoders(job, plans, json, context);
  const DecodeReport report = solve(job, plans.front(), context.control);
  context.out.write(json ? to_line(report_json(job, plans.front(), report))
                         : report_text(job, plans.front(), report));
  return report.status == CONCORD_STOPPED ? Exit::interrupted : Exit::done;
}

}  // namespace concord
