// SPDX-License-Identifier: MIT
#include "plugin/records.hpp"

#include <cmath>
#include <optional>

#include "plugin/foreign.hpp"
#include "process/fork.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

const TimeLimits kPatience{5, 10};  // for one plugin to load and probe

Json value_json(const concord_value& value) {
  switch (value.type) {
    case CONCORD_BOOL:
      return value.integer != 0;
    case CONCORD_INT:
      return value.integer;
    case CONCORD_REAL:
      return value.real;
    case CONCORD_REALS:
      return std::vector<double>(value.list, value.list + value.length);
    default:
      return foreign_text(value.text);
  }
}

Json record_without_options(const Plugin& plugin) {
  return {{"plugin", plugin.id()}, {"version", plugin.version()}, {"build", plugin.build_tag()}};
}

/// Null for an end that is open.
Json bound_json(const OptionDeclaration& option, double end) {
  if (!std::isfinite(end)) return nullptr;
  return option.type == CONCORD_INT && std::abs(end) < 9e15 ? Json(static_cast<int64_t>(end)) : Json(end);
}

Json row_of(const PluginCandidate& candidate, const char* status, const std::string& reason) {
  return {{"kind", kind_name(candidate.kind)},
          {"name", candidate.name},
          {"version", nullptr},
          {"path", candidate.file.string()},
          {"status", status},
          {"reason", reason},
          {"summary", ""},
          {"licence", ""},
          {"build", ""},
          {"capabilities", Json::object()}};
}

/// Loads and probes: to be called in a child process.
Json inspect(const PluginCandidate& candidate, const RunControl& control) {
  try {
    const Plugin plugin(candidate.file);
    Json row = row_of(candidate, "ok", "");
    row.update(identity_json(plugin));
    if (plugin.kind() != candidate.kind || plugin.name() != candidate.name) {
      row["kind"] = kind_name(candidate.kind);
      row["name"] = candidate.name;
      row["status"] = "refused";
      row["reason"] = fmt::format("it calls itself {}; rename the file to {}-{}.so", plugin.id(),
                                  kind_name(plugin.kind()), plugin.name());
      return row;
    }
    try {
      plugin.require_usable(control);
    } catch (const Error& e) {
      row["status"] = "unusable";
      row["reason"] = e.what();
    }
    return row;
  } catch (const Error& e) {
    return row_of(candidate, "refused", e.what());
  }
}

/// Nothing, a yes or no, a number or a short text: what a capability can be.
bool is_plain(const Json& value) {
  return value.is_null() || value.is_boolean() || value.is_number() ||
         (value.is_string() && value.get_ref<const std::string&>().size() < 100);
}

/// The row that a child process made, or nothing: the code of the plugin ran there, and may have written anything instead.
/// The worst that it can do is a wrong row about itself.
std::optional<Json> checked_row(const std::string& answer, const PluginCandidate& candidate) {
  const auto found = json_in(answer);
  if (!found || !found->is_object()) return std::nullopt;
  Json row = row_of(candidate, "", "");
  for (const auto& [key, unused] : row.items())
    if (!found->contains(key)) return std::nullopt;
  for (const char* key : {"status", "reason", "version", "summary", "licence", "build"}) {
    const Json& text = found->at(key);
    if (text.is_string())
      row[key] = foreign_line(text.get_ref<const std::string&>().c_str());
    else if (!text.is_null())
      return std::nullopt;
  }
  const Json& status = row["status"];
  if (status != "ok" && status != "unusable" && status != "refused") return std::nullopt;
  const Json& capabilities = found->at("capabilities");
  if (!capabilities.is_object() || capabilities.size() > 100) return std::nullopt;
  for (const auto& [key, value] : capabilities.items())
    if (!is_plain(value) || (key == "reference" && !value.is_boolean())) return std::nullopt;
  row["capabilities"] = capabilities;
  return row;
}

/// A usable plugin that another of its name hides says so.
Json shadowed_or_same(Json row, const PluginCandidate& candidate) {
  if (candidate.shadowed_by.empty() || row["status"] != "ok") return row;
  row["status"] = "shadowed";
  row["reason"] = "by " + candidate.shadowed_by.string();
  return row;
}

}  // namespace

Json plugin_record(const BoundPlugin& bound) {
  Json record = record_without_options(*bound.plugin);
  record["file"] = bound.plugin->file().string();
  record["options"] = Json::object();
  for (const concord_value& value : bound.options.records())
    record["options"][value.name] = value_json(value);
  return record;
}

Json kept_plugin_record(const BoundPlugin& bound) {
  Json record = record_without_options(*bound.plugin);
  record["options"] = Json::object();
  for (const concord_value& value : bound.options.records())
    record["options"][value.name] = option_text(value);
  return record;
}

Json capabilities_json(const Plugin& plugin) {
  const concord_capabilities& can = plugin.capabilities();
  static constexpr const char* priors[] = {"zero", "attractive", "any"};
  static constexpr const char* constraints[] = {"none", "cardinality", "rows", "subset"};
  static constexpr const char* moments[] = {"any", "sphere", "unit-diagonal", "rank-one"};
  static constexpr const char* guarantees[] = {"heuristic", "bound", "may-be-optimal"};
  if (plugin.kind() == CONCORD_LOSS) return Json::object();
  Json json;
  if (plugin.kind() == CONCORD_DECODER) {
    json["prior"] = priors[can.prior];
    json["max_labels"] = can.max_labels == 0 ? Json(nullptr) : Json(can.max_labels);
  }
  json["constraints"] = constraints[can.constraints];
  if (plugin.kind() == CONCORD_DECODER) {
    json["moment"] = moments[can.moment];
    json["guarantee"] = guarantees[can.guarantee];
    json["as_tight_as_spectral"] = plugin.has(CONCORD_AS_TIGHT_AS_SPECTRAL);
    json["uses_diagonal"] = plugin.has(CONCORD_USES_DIAGONAL);
    json["reentrant"] = plugin.has(CONCORD_REENTRANT);
    json["warm"] = plugin.has(CONCORD_WARM);
    json["family"] = plugin.decoder().solve_family != nullptr;
  }
  json["randomised"] = plugin.has(CONCORD_RANDOMISED);
  json["sparse_prior"] = plugin.has(CONCORD_SPARSE_PRIOR);
  json["reference"] = plugin.has(CONCORD_REFERENCE);
  return json;
}

Json identity_json(const Plugin& plugin) {
  return {{"kind", kind_name(plugin.kind())},
          {"name", plugin.name()},
          {"version", plugin.version()},
          {"summary", plugin.summary()},
          {"licence", plugin.licence()},
          {"build", plugin.build_tag()},
          {"capabilities", capabilities_json(plugin)}};
}

Json options_json(const Plugin& plugin) {
  ErrorList none;  // the gate has tried the defaults
  const OptionValues defaults(plugin.id(), plugin.options(), {}, none);
  Json options = Json::array();
  for (size_t i = 0; i < plugin.options().size(); ++i) {
    const OptionDeclaration& option = plugin.options()[i];
    Json one = {
        {"name", option.name}, {"type", option.type_name()}, {"default", value_json(defaults.records()[i])}};
    if (option.type == CONCORD_INT || option.type == CONCORD_REAL || option.type == CONCORD_REALS) {
      one["minimum"] = bound_json(option, option.minimum);
      one["maximum"] = bound_json(option, option.maximum);
    }
    if (option.type == CONCORD_CHOICE) one["choices"] = option.choices;
    one["help"] = option.help;
    options.push_back(std::move(one));
  }
  return options;
}

Json plugin_description(const Plugin& plugin, const RunControl& control) {
  Json json = identity_json(plugin);
  const std::string solver = plugin.solver(control);
  json["solver"] = solver.empty() ? Json(nullptr) : Json(solver);
  json["file"] = plugin.file().string();
  json["options"] = options_json(plugin);
  return json;
}

const Plugin& named_plugin(Registry& registry, const std::string& id) {
  const PluginReference reference(id);
  const size_t slash = id.find('/');
  const int32_t kind_before_path = kind_from_name(id.substr(0, slash));
  if (reference.is_file() && kind_before_path != 0 && !std::filesystem::exists(reference.file))
    return registry.load(kind_before_path, id.substr(slash + 1));
  if (reference.kind == 0 || reference.name.empty())
    fail(Fault::input, About{"", id}, "'{}' is not KIND/NAME: write decoder/NAME, loss/NAME or rounding/NAME",
         id);
  return registry.load(reference.kind, id);
}

Json list_plugins(const Registry& registry) {
  const RunControl& control = registry.control();
  Json rows = Json::array();
  for (const PluginCandidate& candidate : registry.candidates()) {
    const IsolatedResult answer = run_isolated(
        [&] { return inspect(candidate, control).dump(-1, ' ', false, Json::error_handler_t::replace); },
        kPatience, control);
    if (control.stop_requested()) fail(Fault::interrupted, "interrupted");
    std::optional<Json> row = answer.ok ? checked_row(answer.output, candidate) : std::nullopt;
    if (!row)
      row = row_of(candidate, "refused",
                   fmt::format("{} {} while it was loaded and probed", candidate.file.string(),
                               answer.ok ? "answered nonsense" : answer.failure));
    rows.push_back(shadowed_or_same(std::move(*row), candidate));
  }
  return rows;
}

Json list_plugins_in_process(const Registry& registry) {
  Json rows = Json::array();
  for (const Plugin* plugin : registry.in_memory()) {
    Json row = row_of({plugin->kind(), plugin->name(), {}, {}}, "ok", "");
    row.update(identity_json(*plugin));
    rows.push_back(std::move(row));
  }
  for (const PluginCandidate& candidate : registry.candidates())
    rows.push_back(shadowed_or_same(inspect(candidate, registry.control()), candidate));
  return rows;
}

}  // namespace concord
