// SPDX-License-Identifier: MIT
// concord plugins: what is there, and why something is not usable.
#include "cli.hpp"
#include "plugin/records.hpp"

namespace concord {
Exit run_plugins(const Strings& words, Context& context) {
  Arguments arguments(
      "plugins [--json] [--plugin-dir DIR]...",
      "Lists every plugin that a name can find, in the order of the search, and why one is not usable.");
  arguments.add()("json", "one JSON object on standard output");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;
  const Registry registry = registry_for(arguments, context);

  const Json rows = list_plugins(registry);
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
