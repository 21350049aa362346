// SPDX-License-Identifier: MIT
// All cells in one table that sorts, and whether the prior helped.
#include <algorithm>

#include "report/parts.hpp"
#include "report/tables_text.hpp"

namespace concord::report {
namespace {

/// A column's cell: what it shows (HTML), and the number it is sorted by (NaN: last).
std::string sorted_td(const std::string& shown, double by, const char* css_class = "") {
  return fmt::format(R"(<td data-v="{}"{}>{}</td>)", std::isfinite(by) ? fmt::format("{:.6g}", by) : "",
                     *css_class ? fmt::format(R"( class="{}")", css_class) : "", shown);
}

std::string text_td(const std::string& shown, const char* css_class = "name") {
  return fmt::format(R"(<td class="{}">{}</td>)", css_class, shown);
}

std::string verdict_td(const Versus& versus) {
  const Versus::Verdict verdict = versus.verdict();
  const char* const words = verdict_words(verdict);
  return text_td(words, verdict == Versus::Verdict::neither ? "name" : words);
}

std::string cell_row(const Comparison& comparison, const Cell& cell, bool versus, bool help) {
  std::string row = R"(<tr><th scope="row">)" + html(cell.dataset) + "</th>" + text_td(html(cell.method));
  if (cell.done()) {
    row += sorted_td(fixed(cell.value) + (comparison.marked(cell) ? " ★" : "") + "<small>" +
                         range_text(cell.interval) + "</small>",
                     cell.value, comparison.marked(cell) ? "best" : "");
  } else {
    const bool failed = cell.status == Status::failed;
    row += failed ? sorted_td("failed<small>" + html(cell.reason) + "</small>", unknown, "failed")
                  : sorted_td("–<small>not run yet</small>", unknown);
  }
  if (versus && cell.versus)
    row += sorted_td(typographic(with_sign(cell.versus->difference) + "<small>" +
                                 range_text(cell.versus->range, true) + "</small>"),
                     cell.versus->difference) +
           verdict_td(*cell.versus);
  else if (versus)
    row +=
        sorted_td("", unknown) + text_td(cell.done() && cell.method == comparison.baseline ? "baseline" : "");
  if (help) row += text_td(cell.prior_verdict ? help_words(*cell.prior_verdict) : "");
  row += sorted_td(cell.done() ? duration(cell.train_seconds) : "", cell.train_seconds);
  row += sorted_td(cell.done() ? fixed(cell.peak_mib, 0) : "", cell.peak_mib);
  std::vector<std::string> selected;
  for (const auto& [key, value] : flattened(json_at(*cell.json, "selected")))
    selected.push_back(html(key + " = " + value));
  return row + text_td(fmt::format("<small>{}</small>", fmt::join(selected, "<br>"))) + "</tr>\n";
}

}  // namespace

std::string cells_section(const Comparison& comparison) {
  if (comparison.cells.empty()) return "";
  const auto any = [&](auto has) {
    return std::any_of(comparison.cells.begin(), comparison.cells.end(), has);
  };
  const bool versus = any([](const Cell& cell) { return cell.versus.has_value(); });
  const bool help = any([](const Cell& cell) { return cell.prior_verdict.has_value(); });
  std::string head;
  const auto column = [&](const std::string& name, bool number) {
    head += fmt::format(R"(<th scope="col"{}><button type="button">{}</button></th>)",
                        number ? " data-n" : "", html(name));
  };
  column("dataset", false);
  column("method", false);
  column(comparison.metric, true);
  if (versus) {
    column("difference to " + comparison.baseline, true);
    column("verdict", false);
  }
  if (help) column("did the prior help?", false);
  column("training time", true);
  column("peak MiB", true);
  column("selected", false);
  std::string rows;
  for (const Cell& cell : comparison.cells) rows += cell_row(comparison, cell, versus, help);
  return R"(<div class="box tall" tabindex="0" role="region" aria-label="All cells"><table class="sortable cells">)"
         "\n<thead><tr>" +
         head + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n" +
         R"(<p class="caption">Click on a heading to sort. In brackets: 95 % intervals by the bootstrap over test )"
         "instances (paired for differences); \"no significant difference\" means that the interval contains "
         "0.</p>\n";
}

std::string help_section(const Comparison& comparison) {
  size_t measured = 0, helped = 0, hurt = 0;
  std::vector<std::string> nowhere;
  for (const std::string& dataset : comparison.datasets) {
    size_t here = 0, helped_here = 0;
    for (const Cell& cell : comparison.cells) {
      if (cell.dataset != dataset || !cell.prior_verdict || !cell.prior_verdict->measured) continue;
      ++here;
      helped_here += cell.prior_verdict->help == PriorVerdict::Help::yes ? 1 : 0;
      hurt += cell.prior_verdict->help == PriorVerdict::Help::hurt ? 1 : 0;
    }
    measured += here;
    helped += helped_here;
    if (here > 0 && helped_here == 0) nowhere.push_back(html(dataset));
  }
  const Table numbers = prior_table(comparison);
  if (numbers.rows.empty()) return "";
  std::string text;
  if (measured > 0)
    text = fmt::format(
        "<p>Of {} cells that learn a prior, it helped measurably in <b>{}</b>, not measurably in "
        "<b>{}</b>, and hurt in <b>{}</b>.{}</p>\n",
        measured, helped, measured - helped - hurt, hurt,
        nowhere.empty() ? "" : fmt::format(" It helped nowhere on {}.", fmt::join(nowhere, ", ")));
  return text +
         "<p>Difference of the validation metric to the same method with A = 0, ± one standard error. More "
         "than two "
         "of them count as measurable.</p>\n" +
         html_table(help_table(comparison), "main") +
         "<details><summary>With and without the prior</summary>\n" + html_table(numbers) + "</details>\n";
}

}  // namespace concord::report
