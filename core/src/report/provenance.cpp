// SPDX-License-Identifier: MIT
// What produced the results: the config, plugins, machines, and the settings of every cell.
#include <algorithm>
#include <map>

#include "report/parts.hpp"
#include "report/tables_text.hpp"

namespace concord::report {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The settings that all cells have alike: said once.
Settings shared_settings(const std::vector<Settings>& all) {
  std::map<std::pair<std::string, std::string>, size_t> count;
  for (const Settings& settings : all)
    for (const auto& setting : settings) ++count[setting];
  Settings shared;
  if (all.empty()) return shared;
  for (const auto& setting : all.front())
    if (count[setting] == all.size()) shared.push_back(setting);
  return shared;
}

std::string settings_block(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += html(key) + " = " + html(value) + "\n";
  return text;
}

std::string plugin_line(const Json& plugin) {
  std::string line = text_at(plugin, "plugin");
  for (const char* key : {"version", "build"})
    if (const std::string text = text_at(plugin, key); !text.empty()) line += ", " + text;
  return line;
}

std::string host_line(const Json& host) {
  std::vector<std::string> parts;
  for (const char* key : {"version", "build_tag", "processor", "system"})
    if (const std::string text = text_at(host, key); !text.empty()) parts.push_back(text);
  return fmt::format("{}", fmt::join(parts, ", "));
}

size_t number_of(std::vector<std::string>& list, const std::string& text) {
  const auto at = std::find(list.begin(), list.end(), text);
  const auto number = static_cast<size_t>(at - list.begin()) + 1;
  if (at == list.end()) list.push_back(text);
  return number;
}

std::string numbered(const std::vector<std::string>& list) {
  std::string text = "<ol>";
  for (const std::string& item : list) text += "<li>" + html(item) + "</li>\n";
  return text + "</ol>\n";
}

}  // namespace

std::string provenance_section(const Comparison& comparison) {
  std::vector<Settings> settings;
  for (const Cell& cell : comparison.cells)
    if (cell.done()) settings.push_back(flattened(json_at(*cell.json, "config")));
  const Settings shared = shared_settings(settings);
  std::vector<std::string> plugins, hosts;
  std::string rows;
  size_t done = 0;
  for (const Cell& cell : comparison.cells) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", html(cell.id));
    if (!cell.done()) {
      rows += fmt::format("<td class=\"name\" colspan=\"4\">{}</td></tr>\n",
                          cell.status == Status::failed ? "failed: " + html(cell.reason) : "not run yet");
      continue;
    }
    Settings own;
    for (const auto& setting : settings[done])
      if (std::find(shared.begin(), shared.end(), setting) == shared.end()) own.push_back(setting);
    ++done;
    std::vector<size_t> used;
    for (const Json& plugin : json_at(*cell.json, "plugins"))
      used.push_back(number_of(plugins, plugin_line(plugin)));
    rows += fmt::format(
        R"(<td>{}</td><td class="name">{}</td><td class="name">plugins {}; machine {}<small class="key">{}</small></td><td class="name"><pre>{}</pre></td></tr>)",
        html(text_at(*cell.json, "seed")), html(text_at(*cell.json, "started")), fmt::join(used, ", "),
        number_of(hosts, host_line(json_at(*cell.json, "host"))), html(text_at(*cell.json, "key")),
        settings_block(own));
    rows += "\n";
  }
  const Json& config = json_at(comparison.json, "config");
  std::string text = fmt::format(
      "<details><summary>The config, {}</summary>\n<p class=\"caption\">SHA-256 "
      "{}</p><pre>{}</pre></details>\n",
      html(text_at(config, "file")), html(text_at(config, "sha256")), html(text_at(config, "text")));
  if (!shared.empty())
    text += "<details><summary>Settings that all cells share</summary><pre>" + settings_block(shared) +
            "</pre></details>\n";
  if (!plugins.empty()) text += "<details><summary>Plugins</summary>" + numbered(plugins) + "</details>\n";
  if (!hosts.empty()) text += "<details><summary>Machines</summary>" + numbered(hosts) + "</details>\n";
  if (!rows.empty())
    text +=
        "<details><summary>Every cell: seed, date, plugins, key, settings</summary>\n<div class=\"box\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"Provenance\"><table>\n<thead><tr><th "
        "scope=\"col\">cell</th><th "
        "scope=\"col\">seed</th><th scope=\"col\">started</th><th scope=\"col\">made by</th><th "
        "scope=\"col\">its own settings</th></tr></thead><tbody>\n" +
        rows + "</tbody></table></div></details>\n";
  return text;
}

}  // namespace concord::report
