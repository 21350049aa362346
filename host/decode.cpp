// SPDX-License-Identifier: MIT
// concord decode: one problem, one decoder (or several, in a table).
#include "solve/decode.hpp"

#include <algorithm>
#include <cmath>

#include "cli.hpp"
#include "problem/reader.hpp"
#include "report/report.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

/// Labels as the file counts them: -1 and +1, or 0 and 1 for a QUBO.
std::vector<int> file_labels(const CanonicalProblem& problem, const LabelVector& labels) {
  std::vector<int> out;
  for (const int8_t label : labels)
    out.push_back(problem.format == ProblemFormat::qubo && label < 0 ? 0 : label);
  return out;
}

struct Job {
  std::string problem_name;
  const CanonicalProblem& problem;
  uint64_t seed;
  std::optional<double> time_limit;  // seconds for each decoder

  DecodeReport run(const DecodePlan& plan, RunControl control) const {
    using Clock = std::chrono::steady_clock;
    if (time_limit)
      control.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(*time_limit));
    return run_decode(plan, problem, seed, control);
  }
};

Json report_json(const Job& job, const DecodePlan& plan, const DecodeReport& r) {
  Json used = Json::array({plugin_json(plan.decoder)});
  if (!r.rounding.empty())
    for (const auto& part : plan.rounding) used.push_back(plugin_json(part));
  return {{"decoder", r.decoder},
          {"rounding", r.rounding.empty() ? Json(nullptr) : Json(r.rounding)},
          {"status", status_name(r.status)},
          {"labels", file_labels(job.problem, r.labels)},
          {"objective", number_or_null(r.objective)},
          {"objective_bound", number_or_null(r.objective_bound)},
          {"value", number_or_null(r.value)},
          {"bound", number_or_null(r.bound)},
          {"gap", number_or_null(r.gap)},
          {"cardinality", job.problem.k ? Json(*job.problem.k) : Json(nullptr)},
          {"seed", job.seed},
          {"seconds", r.seconds},
          {"plugin_version", plan.decoder.plugin->version()},
          {"message", r.message},
          {"nodes", r.nodes},
          {"reproducible",
           r.status != CONCORD_STOPPED && !(r.status == CONCORD_LIMIT && job.time_limit.has_value())},
          {"problem", job.problem_name},
          {"plugins", used},
          {"host", provenance_json()}};
}

const char* objective_name(ProblemFormat format) {
  switch (format) {
    case ProblemFormat::max_cut:
      return "cut weight (maximise)";
    case ProblemFormat::qubo:
      return "x'Qx (minimise)";
    default:
      return "u'b - u'Au (maximise)";
  }
}

std::string bound_text(double bound) {
  return std::isnan(bound) ? "none" : fmt::format("{:.10g}", bound);
}
std::string gap_text(double gap) {
  return std::isnan(gap) ? "-" : fmt::format("{:.3g} %", 100 * gap);
}

std::string headline(const Job& job) {
  return fmt::format("{}: {} labels, {}; objective {}\n", job.problem_name, job.problem.labels(),
                     job.problem.k ? fmt::format("cardinality {}", *job.problem.k) : "no cardinality",
                     objective_name(job.problem.format));
}

std::string report_text(const Job& job, const DecodePlan& plan, const DecodeReport& r) {
  std::string text = headline(job);
  text += fmt::format("decoder    {} {}\n", r.decoder, plan.decoder.plugin->version());
  for (size_t i = 0; i < plan.decoder.options.records().size(); ++i)
    text += fmt::format("           {} = {}\n", plan.decoder.options.records()[i].name,
                        plan.decoder.options.text(i));
  text += fmt::format("rounding   {}\n", r.rounding.empty() ? "not needed" : r.rounding);
  text += fmt::format("status     {}{}\n", status_name(r.status), r.message.empty() ? "" : ": " + r.message);
  text += fmt::format("objective  {:.10g}\nbound      {}\ngap        {}\n", r.objective,
                      bound_text(r.objective_bound), gap_text(r.gap));
  Strings positive;
  for (int64_t v = 0; v < r.labels.size(); ++v)
    if (r.labels(v) > 0) positive.push_back(std::to_string(v));
  text +=
      fmt::format("positive   {} of {}: {}\n", positive.size(), r.labels.size(), fmt::join(positive, " "));
  text += fmt::format("seconds    {:.3g}\n", r.seconds);
  return text;
}

Exit compare_decoders(const Job& job, const std::vector<DecodePlan>& plans, bool json, Context& context) {
  std::vector<Strings> rows = {{"decoder", "rounding", "status", "objective", "bound", "gap", "seconds"}};
  Json results = Json::array();
  std::string notes;
  Exit verdict = Exit::done;
  for (const DecodePlan& plan : plans) {
    const std::string name = plan.decoder.plugin->name();
    try {
      const DecodeReport r = job.run(plan, context.control);
      rows.push_back({name, r.rounding.empty() ? "-" : r.rounding, status_name(r.status),
                      fmt::format("{:.10g}", r.objective), bound_text(r.objective_bound), gap_text(r.gap),
                      fmt::format("{:.2e}", r.seconds)});
      results.push_back(report_json(job, plan, r));
    } catch (const std::exception& e) {  // an Error, or out of memory
      const auto* error = dynamic_cast<const Error*>(&e);
      const char* status = error != nullptr && error->kind() == Fault::unsupported ? "unsupported" : "failed";
      rows.push_back({name, "-", status, "-", "-", "-", "-"});
      Json row = {{"decoder", name}, {"status", status}, {"message", e.what()}};
      for (const char* key :
           {"rounding", "labels", "objective", "objective_bound", "value", "bound", "gap", "seconds"})
        row[key] = nullptr;
      row["cardinality"] = job.problem.k ? Json(*job.problem.k) : Json(nullptr);
      row["seed"] = job.seed;
      row["plugin_version"] = plan.decoder.plugin->version();
      results.push_back(std::move(row));
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
    if (name.empty()) fail(Fault::input, "--compare {}: a name is empty; write a,b,c", list);
    if (std::find(names.begin(), names.end(), name) != names.end())
      fail(Fault::input, "--compare {}: {} is there twice", list, name);
    names.push_back(std::move(name));
    from = comma + 1;
  }
  return names;
}

}  // namespace

Exit run_decode_verb(const Strings& words, Context& context) {
  Arguments arguments(
      "decode --problem FILE (--decoder NAME|FILE.so | --compare NAME,NAME...) [OPTIONS]",
      "Maximises u'b - u'Au over labels u in {-1,+1}^V, optionally with exactly K labels at +1.\n"
      "FILE is .json ({\"A\": [[..]] or \"edges\": [[i, j, A_ij], ..], \"b\": [..], \"cardinality\": k}), a "
      "max-cut "
      "graph\n(.mc, .rud, .txt) or a QUBO (.sparse, .bqp).");
  arguments.add()("problem", po::value<std::string>()->value_name("FILE"), "the problem")(
      "decoder", po::value<std::string>()->value_name("NAME"), "the decoder, by name or by path")(
      "compare", po::value<std::string>()->value_name("NAMES"), "several decoders, in one table")(
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
  if (!arguments.parse(words, context.out)) return Exit::done;

  ErrorList errors;
  const std::string file = arguments.required("problem");
  if (arguments.has("decoder") == arguments.has("compare"))
    fail(Fault::input, "give either --decoder NAME or --compare NAME,NAME");
  CanonicalProblem problem;
  errors.attempt([&] { problem = read_problem(file); });
  if (arguments.has("cardinality")) {
    problem.k = arguments.get<int64_t>("cardinality");
    if (problem.labels() > 0 && (*problem.k < 0 || *problem.k > problem.labels()))
      errors.add(Fault::input, fmt::format("--cardinality {}: {} has {} labels, so K is 0 to {}", *problem.k,
                                           file, problem.labels(), problem.labels()));
  }
  std::optional<double> limit;
  if (arguments.has("time-limit")) {
    limit = arguments.get<double>("time-limit");
    if (!(*limit > 0 && *limit <= 1e8))
      errors.add(Fault::input,
                 fmt::format("--time-limit {}: must be positive, and at most 1e8 seconds", *limit));
  }
  std::vector<ScopedSetting> settings;
  for (const auto& text : arguments.list("set"))
    errors.attempt([&] { settings.push_back(parse_setting(text)); });
  Strings decoders;
  errors.attempt([&] {
    decoders = arguments.has("compare") ? split_names(arguments.get<std::string>("compare"))
                                        : Strings{arguments.get<std::string>("decoder")};
  });
  std::optional<std::string> rounding;
  if (arguments.has("rounding")) rounding = arguments.get<std::string>("rounding");

  uint64_t seed = 0;
  errors.attempt([&] { seed = parse_seed(arguments.get<std::string>("seed")); });

  std::optional<Registry> registry;
  std::vector<DecodePlan> plans;
  errors.attempt([&] {
    registry.emplace(registry_for(arguments, context));
    plans = plan_decodes(*registry, decoders, rounding, problem.k.has_value(), settings, errors);
  });
  errors.throw_if_any();

  const Job job{file, problem, seed, limit};
  const bool json = arguments.has("json");
  if (arguments.has("compare")) return compare_decoders(job, plans, json, context);
  const DecodeReport report = job.run(plans.front(), context.control);
  context.out.write(json ? to_line(report_json(job, plans.front(), report))
                         : report_text(job, plans.front(), report));
  return report.status == CONCORD_STOPPED ? Exit::interrupted : Exit::done;
}

}  // namespace concord
