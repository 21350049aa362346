// SPDX-License-Identifier: MIT
// Every training of every method, where a comparison repeats them: how much a figure varies from split to split.
#include <algorithm>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using compare::TrainedCell;
using svg::coordinate;

/// Of one cell, by repeat.
std::vector<const TrainedCell*> trainings_of(const ResultsView& view, const CellView& cell) {
  std::vector<const TrainedCell*> trainings = {cell.cell};
  for (const TrainedCell& repeat : view.results.repeats)
    if (repeat.name.row == cell.dataset() && repeat.name.column == cell.method())
      trainings.push_back(&repeat);
  return trainings;
}

double value_of(const ResultsView& view, const TrainedCell& training) {
  const compare::MetricValue* metric = training.result.metric(view.metric);
  return training.end.done() && metric != nullptr ? metric->value : unknown;
}

std::string trainings_figure(const ResultsView& view, const std::string& dataset) {
  constexpr double row = 26, width = 440, top = 8, text_height = 11;
  struct Spread {
    const CellView* cell;
    double first;                ///< of the split as it is given
    std::vector<double> others;  ///< of the splits that are drawn
  };
  std::vector<Spread> spreads;
  double low = INFINITY, high = -INFINITY, gutter = 60;
  const auto reach = [&](double value) {
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  };
  for (const CellView& cell : view.cells) {
    if (cell.dataset() != dataset || !cell.over || !std::isfinite(cell.value)) continue;
    Spread& spread = spreads.emplace_back(Spread{&cell, value_of(view, *cell.cell), {}});
    for (const TrainedCell* training : trainings_of(view, cell)) {
      const double value = value_of(view, *training);
      reach(value);
      if (training != cell.cell && std::isfinite(value)) spread.others.push_back(value);
    }
    for (const double end : {cell.value, cell.interval.low, cell.interval.high}) reach(end);
    gutter = std::max(gutter, svg::text_width(shortened(clean(cell.method()), 22), text_height) + 12);
  }
  if (spreads.empty()) return "";
  const double bottom = top + row * static_cast<double>(spreads.size());
  const auto x = svg::Scale::linear(low, high, gutter, width - 14);
  svg::Picture picture(width, bottom + 38, fmt::format("{}: {} of every training", dataset, view.metric));
  picture.x_axis(x, top, bottom, view.metric);
  double y = top + row / 2;
  for (const Spread& spread : spreads) {
    const CellView& cell = *spread.cell;
    picture.label(gutter - 8, y + 4, shortened(clean(cell.method()), 22), "end");
    std::string dots;
    size_t count = 0;
    for (const double value : spread.others)  // three heights, so that equal ones show
      dots += fmt::format("M{} {}h0", coordinate(x(value)),
                          coordinate(y - 4 + 4 * static_cast<double>(count++ % 3)));
    std::string drawn = svg::hover(fmt::format("{}: mean {} {} of {} trainings, {} on the given split",
                                               cell.method(), fixed(cell.value, 4), range_text(cell.interval),
                                               cell.over->trainings, fixed(spread.first, 4)));
    drawn += fmt::format(R"(<path class="catch" d="M{} {}H{}"/>)", coordinate(gutter), coordinate(y),
                         coordinate(width - 14));
    if (cell.interval.known())
      drawn += fmt::format(R"(<path class="quartiles" d="M{} {}H{}"/>)", coordinate(x(cell.interval.low)),
                           coordinate(y), coordinate(x(cell.interval.high)));
    if (!dots.empty()) drawn += fmt::format(R"(<path class="dots" d="{}"/>)", dots);
    if (std::isfinite(spread.first))
      drawn += fmt::format(R"(<circle class="point" cx="{}" cy="{}" r="4"/>)", coordinate(x(spread.first)),
                           coordinate(y));
    drawn +=
        fmt::format(R"(<path class="median" d="M{} {}v16"/>)", coordinate(x(cell.value)), coordinate(y - 8));
    picture.add(R"(<g class="strip">)" + drawn + "</g>");
    y += row;
  }
  return figure(html(dataset), picture.str());
}

/// Methods by trainings.
Table trainings_table(const ResultsView& view, const std::string& dataset) {
  Table table{fmt::format("{}: {} of every training", dataset, view.metric), "", "method", {}, {}};
  for (int64_t repeat = 1; repeat <= view.outline.repeats; ++repeat)
    table.columns.push_back({repeat == 1 ? "given split" : fmt::format("{}", repeat)});
  for (const CellView& cell : view.cells) {
    if (cell.dataset() != dataset) continue;
    Row row{cell.method(), std::vector<Entry>(table.columns.size(), Entry{"–", "", "", ""})};
    for (const TrainedCell* training : trainings_of(view, cell)) {
      const auto at = static_cast<size_t>(training->name.repeat - 1);
      if (at >= row.entries.size() || training->end.status == Status::pending) continue;
      if (training->end.done())
        row.entries[at].text = fixed(value_of(view, *training), 4);
      else
        row.entries[at] = {"failed", "", "", failure_text(training->end)};
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string trainings_section(const ResultsView& view) {
  if (!view.is_repeated()) return "";
  std::string figures, tables;
  for (const std::string& dataset : view.dataset_names()) {
    figures += trainings_figure(view, dataset);
    if (const Table table = trainings_table(view, dataset); !table.rows.empty())
      tables += "<h3>" + html(dataset) + "</h3>\n" + html_table(table, "main");
  }
  if (tables.empty()) return "";
  return "<p>" + html(view.metric) +
         " of every training. ○ on the split as it is given, • on one that is drawn anew; | is the mean, and the bar its "
         "interval: " +
         html(kOverTrainings) +
         ". Training sets of two splits have rows in common, and test sets too, so that the trainings tell less than as "
         "many independent ones: the bar is wider than the dots alone would make it.</p>\n<div class=\"grid\">\n" +
         figures + "</div>\n<details><summary>The numbers</summary>\n" + tables + "</details>\n";
}

}  // namespace concord::report
