// SPDX-License-Identifier: MIT
// Paired differences to the baseline, with their intervals around zero.
#include <algorithm>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

constexpr double row_height = 20, forest_width = 440, forest_top = 8, name_size = 11;

/// A filled circle, an empty square or a dash: not by colour alone.
std::string verdict_mark(double x, double y, Verdict verdict) {
  using svg::coordinate;
  switch (verdict) {
    case Verdict::better:
      return fmt::format(R"(<circle class="mark" cx="{}" cy="{}" r="4.5"/>)", coordinate(x), coordinate(y));
    case Verdict::worse:
      return fmt::format(R"(<rect class="mark hollow" x="{}" y="{}" width="8" height="8"/>)",
                         coordinate(x - 4), coordinate(y - 4));
    default:
      return fmt::format(R"(<path class="mark" d="M{} {}v8"/>)", coordinate(x), coordinate(y - 4));
  }
}

std::string difference_figure(const ResultsView& view, const std::string& dataset) {
  std::vector<const CellView*> cells;
  double low = 0, high = 0, gutter = 60;
  for (const MethodColumn& method : view.methods) {
    const CellView* cell = view.find(dataset, method.name);
    if (!cell || !cell->versus || !std::isfinite(cell->versus->difference)) continue;
    if (method.name == view.baseline) continue;
    cells.push_back(cell);
    const PairedDifference& versus = *cell->versus;
    low = std::min({low, versus.difference, versus.range.known() ? versus.range.low : 0});
    high = std::max({high, versus.difference, versus.range.known() ? versus.range.high : 0});
    gutter = std::max(gutter, svg::text_width(shortened(clean(method.name), 22), name_size) + 12);
  }
  if (cells.empty()) return "";
  const double bottom = forest_top + row_height * static_cast<double>(cells.size());
  const svg::Scale x = svg::Scale::linear(low, high, gutter, forest_width - 14);
  svg::Picture picture(forest_width, bottom + 38,
                       fmt::format("{}: difference to {}", dataset, view.baseline));
  picture.x_axis(x, forest_top, bottom, "← better difference as a loss worse →");
  picture.line(x(0), forest_top, x(0), bottom, "zero");
  double y = forest_top + row_height / 2;
  for (const CellView* cell : cells) {
    const PairedDifference& versus = *cell->versus;
    const auto verdict = verdict_of(versus);
    picture.label(gutter - 8, y + 4, shortened(clean(cell->method()), 22), "end");
    std::string group =
        fmt::format(R"(<g class="{}">)", verdict == Verdict::neither ? "neither" : verdict_words(verdict));
    group +=
        svg::hover(fmt::format("{}: {} {}, {}", cell->method(), typographic(with_sign(versus.difference, 4)),
                               typographic(range_text(versus.range, true)), verdict_words(verdict)));
    group += fmt::format(R"(<path class="catch" d="M{} {}H{}"/>)", svg::coordinate(gutter),
                         svg::coordinate(y), svg::coordinate(forest_width - 14));
    if (versus.range.known())
      group += fmt::format(R"(<path class="whisker" d="M{} {}H{}"/>)", svg::coordinate(x(versus.range.low)),
                           svg::coordinate(y), svg::coordinate(x(versus.range.high)));
    picture.add(group + verdict_mark(x(versus.difference), y, verdict) + "</g>");
    y += row_height;
  }
  return figure(html(dataset), picture.str());
}

/// Against one of the baselines.
std::string differences(const ResultsView& view) {
  std::string figures;
  for (const std::string& dataset : view.dataset_names()) figures += difference_figure(view, dataset);
  if (figures.empty()) return "";
  return "<p>" + html(difference_table(view).caption) +
         " <span class=\"better\">● better</span>, <span class=\"worse\">□ worse</span>, | no significant "
         "difference.</p>\n<div class=\"grid\">\n" +
         figures + "</div>\n";
}

}  // namespace

std::string baseline_section(const ResultsView& view) {
  std::string text;
  for (size_t b = 0; b < view.outline.baselines.size(); ++b) {
    const std::string found = differences(ResultsView(view.results, b));
    if (!found.empty() && view.outline.baselines.size() > 1)
      text += "<h3>" + html(view.outline.baselines[b]) + "</h3>\n";
    text += found;
  }
  return text;
}

}  // namespace concord::report
