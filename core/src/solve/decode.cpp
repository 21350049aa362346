// SPDX-License-Identifier: MIT
#include "solve/decode.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "solve/verify.hpp"

namespace concord {

ScopedSetting parse_setting(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t dot = text.rfind('.', equals);
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 == equals)
    fail(Fault::input, "--set {}: expected SCOPE.OPTION=VALUE, as in decoder.tol=1e-4", text);
  return {text.substr(0, dot),
          {text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1), "--set " + text}};
}

namespace {

/// Hands every setting to the plugins it is meant for and remembers which settings somebody took.
class SettingsDispenser {
 public:
  explicit SettingsDispenser(const std::vector<ScopedSetting>& settings)
      : settings_(settings), taken_(settings.size(), false) {}

  ChosenPlugin choose(const Plugin& plugin, bool only_of_its_kind, ErrorList& errors) {
    std::vector<Setting> mine;
    for (size_t i = 0; i < settings_.size(); ++i) {
      const std::string& scope = settings_[i].scope;
      const Setting& setting = settings_[i].setting;
      const bool by_kind = scope == kind_name(plugin.kind());
      if (!by_kind && scope != plugin.name()) continue;
      // A setting of a kind is for whichever of several plugins of that kind declares it.
      const bool declared = std::any_of(plugin.options().begin(), plugin.options().end(),
                                        [&](const auto& option) { return option.name == setting.key; });
      if (by_kind && !declared && !only_of_its_kind) continue;
      taken_[i] = true;
      mine.push_back(setting);
    }
    const bool configured = !mine.empty();
    std::vector<std::string> sentences;
    ChosenPlugin chosen{&plugin, OptionValues(plugin.id(), plugin.options(), mine, sentences), configured};
    for (const auto& sentence : sentences) errors.add(Fault::input, sentence);
    return chosen;
  }

  /// `names` holds, for each scope, the options that something of that scope has.
  void refuse_the_rest(const std::map<std::string, std::vector<std::string>>& names,
                       ErrorList& errors) const {
    std::vector<std::string> scopes;
    scopes.reserve(names.size());
    for (const auto& [scope, options] : names) scopes.push_back(scope);
    for (size_t i = 0; i < settings_.size(); ++i) {
      if (taken_[i]) continue;
      const std::string& scope = settings_[i].scope;
      const Setting& setting = settings_[i].setting;
      const auto known = names.find(scope);
      errors.add(Fault::input,
                 known != names.end()
                     ? fmt::format("{}: no chosen {} has an option '{}'{} (their options: {})",
                                   setting.origin, scope, setting.key,
                                   did_you_mean(setting.key, known->second), fmt::join(known->second, ", "))
                     : fmt::format("{}: nothing here is called '{}'{} (known: {})", setting.origin, scope,
                                   did_you_mean(scope, scopes), fmt::join(scopes, ", ")));
    }
  }

 private:
  const std::vector<ScopedSetting>& settings_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<DecodePlan> plan_decodes(Registry& registry, const std::vector<std::string>& decoders,
                                     const std::optional<std::string>& rounding, bool with_cardinality,
                                     const std::vector<ScopedSetting>& settings, ErrorList& errors) {
  std::vector<const Plugin*> found_decoders, found_roundings;
  const auto find_all = [&](int32_t kind, const std::vector<std::string>& names, auto& found) {
    for (const auto& name : names) errors.attempt([&] { found.push_back(&registry.find(kind, name)); });
  };
  find_all(CONCORD_DECODER, decoders, found_decoders);
  std::vector<std::string> parts = default_rounding(with_cardinality);
  if (rounding) errors.attempt([&] { parts = chain_parts(*rounding, "--rounding " + *rounding); });
  const std::string rounding_name = fmt::format("{}", fmt::join(parts, "+"));
  find_all(CONCORD_ROUNDING, parts, found_roundings);
  const bool all_found = found_decoders.size() == decoders.size() && found_roundings.size() == parts.size();

  SettingsDispenser dispenser(settings);
  std::vector<DecodePlan> plans;
  std::map<std::string, std::vector<std::string>> names = {{"decoder", {}}, {"rounding", {}}};
  const auto remember = [&](const Plugin& plugin) {
    for (const auto& option : plugin.options())
      for (const std::string& scope : {std::string(kind_name(plugin.kind())), plugin.name()})
        names[scope].push_back(option.name);
    names[plugin.name()];
  };
  for (const Plugin* decoder : found_decoders) {
    DecodePlan plan{dispenser.choose(*decoder, found_decoders.size() == 1, errors),
                    {},
                    rounding_name,
                    !rounding.has_value()};
    // The roundings are the same for every plan: report their faults once.
    ErrorList repeated;
    for (const Plugin* part : found_roundings)
      plan.rounding.push_back(
          dispenser.choose(*part, found_roundings.size() == 1, plans.empty() ? errors : repeated));
    // Whoever sets an option of a rounding wants it to run.
    for (const auto& part : plan.rounding)
      if (part.configured) plan.rounding_is_default = false;
    remember(*decoder);
    plans.push_back(std::move(plan));
  }
  for (const Plugin* part : found_roundings) remember(*part);
  if (all_found) dispenser.refuse_the_rest(names, errors);  // else it may be meant for what is missing
  return plans;
}

DecodeReport run_decode(const DecodePlan& plan, const CanonicalProblem& problem, uint64_t seed,
                        const RunControl& control) {
  const Plugin& plugin = *plan.decoder.plugin;
  const auto start = std::chrono::steady_clock::now();
  Decoder decoder(plugin, plan.decoder.options, control);
  decoder.require_supported(problem.A, problem.k.has_value());
  std::vector<std::unique_ptr<Rounding>> chain;
  for (const auto& part : plan.rounding) {
    chain.push_back(std::make_unique<Rounding>(*part.plugin, part.options, control));
    chain.back()->require_supported(problem.k.has_value());
  }
  decoder.prepare(problem.A);
  const Instance instance{problem.c, problem.k, seed, nullptr};
  const RelaxedSolution solution = decoder.solve(instance);
  if (!solution.has_point())
    fail(solution.status == CONCORD_FAILED ? Fault::plugin : Fault::unsupported, "{}: {}: {}", plugin.id(),
         status_name(solution.status), solution.message.empty() ? "it gave no reason" : solution.message);
  verify_solution(plugin, solution, problem.A, problem.c, problem.k);

  DecodeReport report;
  const auto integral = integral_labels(solution.u(), problem.k);
  if (integral && plan.rounding_is_default) {
    report.labels = *integral;
  } else {
    report.labels = round_by_chain(chain, problem.A.without_diagonal(), instance, solution);
    report.rounding = plan.rounding_name;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const double labels_value = problem.value(report.labels.cast<double>());
  const double tolerance = value_tolerance(problem.c, problem.A);
  verify_bound(plugin, solution.bound, labels_value, tolerance);
  // Labels may exceed their bound by rounding: then they are the bound. An optimum meets its bound. NaN
  // stays.
  const bool raise = solution.bound < labels_value || solution.status == CONCORD_OPTIMAL;
  const double bound = raise ? labels_value : solution.bound;
  report.decoder = plugin.name();
  report.status = solution.status;
  report.objective = problem.file_objective(labels_value);
  report.objective_bound = problem.file_objective(bound);
  report.value = solution.value;
  report.bound = bound;
  report.gap = (bound - labels_value) / std::max(1.0, std::abs(bound));
  report.nodes = solution.nodes;
  report.message = solution.message;
  return report;
}

}  // namespace concord
