// SPDX-License-Identifier: MIT
// All cells in one table that sorts, and whether the prior helped.
#include <algorithm>

#include "report/parts.hpp"
#include "train/fit.hpp"

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

/// How many trainings the mean is of, if some are missing.
std::string trainings_remark(const ResultsView& view, const CellView& cell) {
  const std::string text = view.trainings_text(cell);
  return text.empty() ? "" : "<small>" + text + " trainings</small>";
}

std::string verdict_td(const PairedDifference& versus) {
  const Verdict verdict = verdict_of(versus);
  const char* const words = verdict_words(verdict);
  return text_td(words, verdict == Verdict::neither ? "name" : words);
}

/// The relative duality gap of the final fit, and what to do where the fit has not converged.
std::string gap_td(const CellView& cell) {
  const compare::TrainingResult& result = cell.result();
  if (!cell.done() || !std::isfinite(result.gap)) return sorted_td("", unknown);
  std::string remark = result.gap_is_estimate ? "an estimate" : "";
  if (result.gap > kOpenGap) remark += (remark.empty() ? "" : ", ") + std::string("not converged");
  return sorted_td(brief(100 * result.gap) + " %" + (remark.empty() ? "" : "<small>" + remark + "</small>"),
                   result.gap, result.gap > kOpenGap ? "failed" : "");
}

/// The log lies beside the page, in the folder that the names of the cell give: an id from a file may lead anywhere.
std::string log_td(const CellView& cell) {
  if (cell.end().status == Status::pending) return text_td("");
  const auto folder = compare::CellName::of(cell.cell->name.kind, cell.dataset(), cell.method()).folder();
  return text_td(fmt::format(R"(<a href="{}/log.txt">log</a>)", html(folder.generic_string())));
}

std::string cell_row(const ResultsView& view, const CellView& cell, bool versus, bool help, bool gaps) {
  std::string row = R"(<tr><th scope="row">)" + html(cell.dataset()) + "</th>" + text_td(html(cell.method()));
  if (cell.done()) {
    row += sorted_td(fixed(cell.value) + (view.marked(cell) ? " ★" : "") + "<small>" +
                         range_text(cell.interval) + "</small>" + trainings_remark(view, cell),
                     cell.value, view.marked(cell) ? "best" : "");
  } else {
    const bool failed = cell.end().status == Status::failed;
    row += failed ? sorted_td("failed<small>" + html(cell.end().reason) + "</small>", unknown, "failed")
                  : sorted_td("–<small>not run yet</small>", unknown);
  }
  if (versus && cell.versus)
    row += sorted_td(typographic(with_sign(cell.versus->difference) + "<small>" +
                                 range_text(cell.versus->range, true) + "</small>"),
                     cell.versus->difference) +
           verdict_td(*cell.versus);
  else if (versus)
    row += sorted_td("", unknown) + text_td(cell.done() && cell.method() == view.baseline ? "baseline" : "");
  if (help) row += text_td(cell.result().prior_helped ? help_words(*cell.result().prior_helped) : "");
  if (gaps) row += gap_td(cell);
  row += sorted_td(cell.done() ? duration(cell.result().train_seconds) : "", cell.result().train_seconds);
  const double peak_mib = cell.done() ? cell.end().peak_mib : unknown;
  row += sorted_td(cell.done() ? fixed(peak_mib, 0) : "", peak_mib);
  std::vector<std::string> selected;
  for (const auto& [key, value] : cell.result().selected)
    selected.push_back(html(fmt::format("{} = {}", key, value)));
  return row + text_td(fmt::format("<small>{}</small>", fmt::join(selected, "<br>"))) + log_td(cell) +
         "</tr>\n";
}

}  // namespace

std::string cells_section(const ResultsView& view) {
  if (view.cells.empty()) return "";
  const auto any = [&](auto has) { return std::any_of(view.cells.begin(), view.cells.end(), has); };
  const bool versus = any([](const CellView& cell) { return cell.versus != nullptr; });
  const bool help = any([](const CellView& cell) { return cell.result().prior_helped.has_value(); });
  const bool gaps = any([](const CellView& cell) { return std::isfinite(cell.result().gap); });
  std::string head;
  const auto column = [&](const std::string& name, bool number) {
    head += fmt::format(R"(<th scope="col"{}><button type="button">{}</button></th>)",
                        number ? " data-n" : "", html(name));
  };
  column("dataset", false);
  column("method", false);
  column(view.metric, true);
  if (versus) {
    column("difference to " + view.baseline, true);
    column("verdict", false);
  }
  if (help) column("did the prior help?", false);
  if (gaps) column("final gap", true);
  column("training time", true);
  column("peak MiB", true);
  column("selected", false);
  column("log", false);
  std::string rows;
  for (const CellView& cell : view.cells) rows += cell_row(view, cell, versus, help, gaps);
  return R"(<div class="box tall" tabindex="0" role="region" aria-label="All cells"><table class="sortable cells">)"
         "\n<thead><tr>" +
         head + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n" +
         R"(<p class="caption">Click on a heading to sort. In brackets: )" +
         (view.is_repeated() ? html(kOverTrainings) : "95 % intervals by the bootstrap over test instances") +
         " (paired for differences); \"no significant difference\" means that the interval contains 0." +
         (view.is_repeated() ? " Everything else is of the first training." : "") +
         (gaps
              ? fmt::format(
                    " The gap bounds how far the objective of the final fit is from its optimum; above {:g} % "
                    "the fit has not converged.",
                    100 * kOpenGap)
              : "") +
         "</p>\n";
}

std::string help_section(const ResultsView& view) {
  size_t measured = 0, helped = 0, hurt = 0;
  std::vector<std::string> nowhere;
  for (const std::string& dataset : view.dataset_names()) {
    const ResultsView::PriorCounts here = view.prior_counts(dataset);
    measured += here.measured;
    helped += here.helped;
    hurt += here.hurt;
    if (here.measured > 0 && here.helped == 0) nowhere.push_back(html(dataset));
  }
  const Table numbers = prior_table(view);
  if (numbers.rows.empty()) return "";
  std::string text;
  if (measured > 0)
    text = fmt::format(
        "<p>Of {} cells that learn a prior, it helped in <b>{}</b>, hurt in <b>{}</b>, and in <b>{}</b> it cannot be "
        "told.{}</p>\n",
        measured, helped, hurt, measured - helped - hurt,
        nowhere.empty() ? "" : fmt::format(" It helped nowhere on {}.", fmt::join(nowhere, ", ")));
  return text +
         "<p>Difference of the validation metric to the same method with A = 0, ± one standard error. \"helped\" "
         "and \"hurt\" are more than two of them.</p>\n" +
         html_table(help_table(view), "main") + "<details><summary>With and without the prior</summary>\n" +
         html_table(numbers) + "</details>\n";
}

}  // namespace concord::report
