// SPDX-License-Identifier: MIT
// The main table, and the report in a few sentences.
#include <algorithm>

#include "report/parts.hpp"

namespace concord::report {
namespace {

std::string entry_html(const Entry& entry, bool words, Footnotes& notes) {
  std::string text = words ? html(entry.text) : typographic(html(entry.text));
  if (!entry.why.empty())
    text = fmt::format(R"(<abbr title="{}">{}</abbr><sup>{}</sup>)", html(entry.why), text,
                       notes.number(entry.why));
  if (entry.best) text = "<b>" + text + R"(</b><span class="star" title="the best of the row"> ★</span>)";
  if (!entry.interval.empty()) text += "<small>" + typographic(entry.interval) + "</small>";
  if (!entry.remark.empty()) {
    const bool good = entry.remark == "better" || entry.remark == "helped";
    const bool bad = entry.remark == "worse" || entry.remark == "hurt";
    text += fmt::format(R"(<small class="{}">{}</small>)",
                        good  ? "better"
                        : bad ? "worse"
                              : "remark",
                        html(entry.remark));
  }
  return fmt::format("<td{}>{}</td>",
                     entry.best           ? R"( class="best")"
                     : !entry.why.empty() ? R"( class="failed")"
                     : words              ? R"( class="name")"
                                          : "",
                     text);
}

/// One line of headings, or two if neighbours share one.
std::string head_html(const Table& table) {
  const bool two = std::any_of(table.columns.begin(), table.columns.end(),
                               [](const Column& column) { return !column.group.empty(); });
  const std::string tall = two ? R"( rowspan="2")" : "";
  std::string first = fmt::format(R"(<th scope="col"{}>{}</th>)", tall, html(table.corner)), second;
  for (size_t c = 0; c < table.columns.size();) {
    const std::string& group = table.columns[c].group;
    size_t end = c + 1;
    while (!group.empty() && end < table.columns.size() && table.columns[end].group == group) ++end;
    if (group.empty())
      first += fmt::format(R"(<th scope="col"{}{}>{}</th>)", tall,
                           table.columns[c].words ? R"( class="name")" : "", html(table.columns[c].name));
    else
      first += fmt::format(R"(<th scope="colgroup" colspan="{}">{}</th>)", end - c, html(group));
    for (; c < end; ++c)
      if (!group.empty()) second += fmt::format(R"(<th scope="col">{}</th>)", html(table.columns[c].within));
  }
  return "<thead><tr>" + first + "</tr>" + (two ? "<tr>" + second + "</tr>" : "") + "</thead>\n";
}

/// A table that the page's script can choose among.
std::string by_metric(const ResultsView& view) {
  return fmt::format("<div data-metric=\"{}\">\n{}</div>\n", html(view.metric),
                     html_table(metric_table(view), "main"));
}

std::string baseline_sentence(const ResultsView& view, const CellView& best) {
  if (view.baseline.empty()) return "";
  if (best.method() == view.baseline) return "<p>The baseline itself is best.</p>";
  if (!best.versus) return "";
  const PairedDifference& versus = *best.versus;
  const std::string numbers = fmt::format("{} <small>{}</small>", typographic(with_sign(versus.difference)),
                                          typographic(range_text(versus.range, true)));
  switch (verdict_of(versus)) {
    case Verdict::better:
      return fmt::format(R"(<p><span class="better">Better than {}</span>: {}</p>)", html(view.baseline),
                         numbers);
    case Verdict::worse:
      return fmt::format(R"(<p><span class="worse">Worse than {}</span>: {}</p>)", html(view.baseline),
                         numbers);
    default:
      return fmt::format("<p>No significant difference to {}: {}</p>", html(view.baseline), numbers);
  }
}

std::string prior_sentence(const ResultsView& view, const std::string& dataset) {
  const auto [measured, helped, hurt] = view.prior_counts(dataset);
  if (measured == 0) return "";
  const std::string harm = hurt == 0 ? "" : fmt::format(" It hurt in {}.", hurt);
  if (helped == 0)
    return fmt::format("<p>The prior did not help measurably in any of {} methods.{}</p>", measured, harm);
  return fmt::format("<p>The prior helped measurably in {} of {} methods.{}</p>", helped, measured, harm);
}

std::string card(const ResultsView& view, const std::string& dataset) {
  size_t done = 0, failed = 0, pending = 0;
  for (const CellView& cell : view.cells)
    if (cell.dataset() == dataset)
      ++(cell.done() ? done : cell.end().status == Status::failed ? failed : pending);
  if (done + failed + pending == 0) return "";
  std::string text = "<article><h3>" + html(dataset) + "</h3>";
  if (const CellView* best = view.best(dataset))
    text += fmt::format(R"(<p class="big">{} <small>{}</small></p><p><b>{}</b>, the best of {} methods</p>)",
                        fixed(best->value), range_text(best->interval), html(best->method()), done) +
            baseline_sentence(view, *best) + prior_sentence(view, dataset);
  if (failed > 0) text += fmt::format(R"(<p class="failed">{} failed</p>)", failed);
  if (pending > 0) text += fmt::format("<p>{} not run yet</p>", pending);
  return text + "</article>\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& css_class) {
  std::string text =
      fmt::format(R"(<div class="box" tabindex="0" role="region" aria-label="{}"><table class="{}">)",
                  html(table.title), css_class) +
      "\n" + head_html(table) + "<tbody>\n";
  Footnotes notes;
  for (const Row& row : table.rows) {
    text += R"(<tr><th scope="row">)" + html(row.name) + "</th>";
    for (size_t c = 0; c < row.entries.size(); ++c)
      text += entry_html(row.entries[c], table.columns[c].words, notes);
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (!table.caption.empty()) text += R"(<p class="caption">)" + html(table.caption) + "</p>\n";
  for (const std::string& note : notes.texts())
    text += fmt::format("<p class=\"caption\"><sup>{}</sup> {}</p>\n", notes.number(note), html(note));
  return text;
}

std::string figure(const std::string& heading, const std::string& picture, const std::string& caption,
                   const std::string& css_class) {
  std::string text = css_class.empty() ? "<figure>" : fmt::format(R"(<figure class="{}">)", css_class);
  if (!heading.empty()) text += "<h4>" + heading + "</h4>";
  text += picture;
  if (!caption.empty()) text += "<figcaption>" + caption + "</figcaption>";
  return text + "</figure>\n";
}

std::string glance_section(const ResultsView& view) {
  std::string cards;
  for (const std::string& dataset : view.dataset_names()) cards += card(view, dataset);
  return cards.empty() ? "" : "<div class=\"cards\">\n" + cards + "</div>\n";
}

std::string results_section(const ResultsView& view) {
  if (view.cells.empty()) return "";
  std::string others;
  for (const Metric& metric : metrics())
    if (metric.name != view.metric &&
        std::any_of(view.cells.begin(), view.cells.end(),
                    [&](const CellView& cell) { return cell.result().metric(metric.name) != nullptr; }))
      others += by_metric(ResultsView(view.results, metric));
  if (!others.empty()) others = "<details><summary>The other metrics</summary>\n" + others + "</details>\n";
  return "<div class=\"metrics\">\n" + by_metric(view) + others + "</div>\n" +
         "<details><summary>The datasets</summary>\n" + html_table(dataset_table(view)) + "</details>\n";
}

}  // namespace concord::report
