// SPDX-License-Identifier: MIT
// What produced the results: the config, plugins, machines, and the settings of every cell.
#include <algorithm>
#include <map>

#include "report/parts.hpp"

namespace concord::report {
namespace {

using Settings = compare::NamedTexts;

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

/// Those that are not empty.
std::string joined(std::vector<std::string> parts) {
  std::erase(parts, "");
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

std::string provenance_section(const ResultsView& view) {
  std::vector<Settings> settings;
  for (const CellView& cell : view.cells)
    if (cell.done()) settings.push_back(flattened(cell.result().config));
  const Settings shared = shared_settings(settings);
  std::vector<std::string> plugins, hosts;
  std::string rows;
  size_t done = 0;
  for (const CellView& cell : view.cells) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", html(cell.cell->name.id));
    if (!cell.done()) {
      rows += fmt::format(
          "<td class=\"name\" colspan=\"4\">{}</td></tr>\n",
          cell.end().status == Status::failed ? "failed: " + html(cell.end().reason) : "not run yet");
      continue;
    }
    Settings own;
    for (const auto& setting : settings[done])
      if (std::find(shared.begin(), shared.end(), setting) == shared.end()) own.push_back(setting);
    ++done;
    std::vector<size_t> used;
    const compare::TrainingResult& result = cell.result();
    for (const auto& one : result.plugins)
      used.push_back(number_of(plugins, joined({one.plugin, one.version, one.build})));
    const Provenance& host = result.host;
    rows += fmt::format(
        R"(<td>{}</td><td class="name">{}</td><td class="name">plugins {}; machine {}<small class="key">{}</small></td><td class="name"><pre>{}</pre></td></tr>)",
        result.seed, html(result.started), fmt::join(used, ", "),
        number_of(hosts, joined({host.version, host.build_tag, host.processor, host.system})),
        html(cell.end().key), settings_block(own));
    rows += "\n";
  }
  const compare::ConfigText& config = view.outline.config;
  std::string text = fmt::format(
      "<details><summary>The config, {}</summary>\n<p class=\"caption\">SHA-256 "
      "{}</p><pre>{}</pre></details>\n",
      html(config.file), html(config.sha256), html(config.text));
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
