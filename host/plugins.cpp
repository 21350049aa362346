// SPDX-License-Identifier: MIT
// concord plugins: every file is opened in a child process of its own, so that the listing survives any of
// them.
#include "cli.hpp"
#include "process/isolate.hpp"

namespace concord {
namespace {

const TimeLimits kPatience{5, 10};  // for one plugin to load and probe

Json inspect(const PluginCandidate& candidate, const RunControl& control) {
  Json row = {{"kind", kind_name(candidate.kind)},
              {"name", candidate.name},
              {"version", nullptr},
              {"path", candidate.file.string()},
              {"status", "ok"},
              {"reason", ""},
              {"summary", ""},
              {"licence", ""},
              {"build_tag", ""},
              {"capabilities", Json::object()}};
  const auto set = [&](const char* status, const std::string& reason) {
    row["status"] = status;
    row["reason"] = reason;
  };
  try {
    const Plugin plugin(candidate.file);
    row["version"] = plugin.version();
    row["summary"] = plugin.summary();
    row["licence"] = plugin.licence();
    row["build_tag"] = plugin.build_tag();
    row["capabilities"] = capabilities_json(plugin);
    if (plugin.kind() != candidate.kind || plugin.name() != candidate.name)
      set("refused", fmt::format("it calls itself {}; rename the file to {}-{}.so", plugin.id(),
                                 kind_name(plugin.kind()), plugin.name()));
    else
      try {
        plugin.require_usable(control);
      } catch (const Error& e) {
        set("unusable", e.what());
      }
  } catch (const Error& e) {
    set("refused", e.what());
  }
  return row;
}

}  // namespace

Exit run_plugins(const Strings& words, Context& context) {
  Arguments arguments(
      "plugins [--json] [--plugin-dir DIR]...",
      "Lists every plugin that a name can find, in the order of the search, and why one is not "
      "usable.");
  arguments.add()("json", "one JSON object on standard output");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context.out)) return Exit::done;
  const Registry registry = registry_for(arguments, context);

  Json rows = Json::array();
  for (const PluginCandidate& candidate : registry.candidates()) {
    const IsolatedResult answer = run_isolated([&] { return to_line(inspect(candidate, context.control)); },
                                               kPatience, context.control);
    if (context.control.stop_requested()) return Exit::interrupted;
    Json row = Json::parse(answer.output, nullptr, false);
    if (!answer.ok || row.is_discarded()) {
      row = {{"kind", kind_name(candidate.kind)},
             {"name", candidate.name},
             {"version", nullptr},
             {"path", candidate.file.string()},
             {"status", "refused"},
             {"reason", fmt::format("{} {} while it was loaded and probed", candidate.file.string(),
                                    answer.ok ? "answered nonsense" : answer.failure)},
             {"capabilities", Json::object()}};
    }
    if (!candidate.shadowed_by.empty() && row["status"] == "ok") {
      row["status"] = "shadowed";
      row["reason"] = "by " + candidate.shadowed_by.string();
    }
    rows.push_back(std::move(row));
  }

  if (arguments.has("json")) {
    context.out.write(to_line({{"plugins", rows}}));
    return Exit::done;
  }
  std::string text;
  std::string references;
  for (const Json& row : rows) {
    const std::string id = row["kind"].get<std::string>() + "/" + row["name"].get<std::string>();
    const std::string status = row["status"];
    (row["capabilities"].value("reference", false) ? references : text) +=
        fmt::format("{:<26} {:<9} {}\n", id, status, status == "ok" ? row["summary"] : row["reason"]);
  }
  if (!references.empty()) text += "\nreferences for comparison, and what is untested:\n" + references;
  if (rows.empty()) text = "no plugins; looked in:\n";
  text += rows.empty() ? "" : "\nsearched, first wins:\n";
  for (const auto& directory : registry.directories()) text += "  " + directory.string() + "\n";
  context.out.write(text);
  return Exit::done;
}

}  // namespace concord
