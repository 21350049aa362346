// SPDX-License-Identifier: MIT
// What the methods make of labels that are known: the metric on the others, over the share that is revealed.
#include <algorithm>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using compare::RevealPoint;
using svg::coordinate;
using namespace svg::frame;

std::vector<const CellView*> cells_with_curve(const ResultsView& view, const std::string& dataset) {
  std::vector<const CellView*> cells;
  for (const CellView& cell : view.cells)
    if (cell.dataset() == dataset && !cell.result().reveal.empty()) cells.push_back(&cell);
  return cells;
}

/// The points that can be drawn.
std::vector<RevealPoint> points_of(const CellView& cell) {
  std::vector<RevealPoint> points = cell.result().reveal;
  std::erase_if(points, [](const RevealPoint& point) {
    return !std::isfinite(point.share) || !std::isfinite(point.value);
  });
  return points;
}

/// Along the upper ends of the intervals, and back along the lower ones.
std::string band_path(const std::vector<RevealPoint>& points, const svg::Scale& x, const svg::Scale& y) {
  std::string there, back;
  for (const RevealPoint& point : points) {
    if (!point.interval.known()) continue;
    const std::string at = coordinate(x(100 * point.share));
    there += fmt::format("{}{} {}", there.empty() ? "M" : "L", at, coordinate(y(point.interval.high)));
    back = fmt::format("L{} {}", at, coordinate(y(point.interval.low))) + back;
  }
  return there.empty() ? "" : there + back + "Z";
}

std::string curve_path(const std::vector<RevealPoint>& points, const svg::Scale& x, const svg::Scale& y) {
  std::string path;
  for (const RevealPoint& point : points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(x(100 * point.share)),
                        coordinate(y(point.value)));
  return path;
}

std::string reveal_picture(const ResultsView& view, const std::string& dataset,
                           const std::vector<const CellView*>& cells) {
  double last = 0, low = INFINITY, high = -INFINITY;
  for (const CellView* cell : cells)
    for (const RevealPoint& point : points_of(*cell)) {
      last = std::max(last, 100 * point.share);
      low = std::min({low, point.value, point.interval.known() ? point.interval.low : point.value});
      high = std::max({high, point.value, point.interval.known() ? point.interval.high : point.value});
    }
  if (low > high) return "";
  const auto x = svg::Scale::linear(0, last, plot_left, plot_right);
  const auto y = svg::Scale::linear(low, high, plot_bottom, plot_top);
  svg::Picture picture(plot_width, plot_height,
                       fmt::format("{}: {} over the share of labels that are known", dataset, view.metric));
  picture.x_axis(x, plot_top, plot_bottom, "labels known (%)")
      .y_axis(y, plot_left, plot_right, view.metric + " on the others");
  const auto colour = [&](const CellView* cell) {
    const std::string classes = series_class(view, cell->method());
    return classes.substr(0, classes.find(' '));
  };
  for (const CellView* cell : cells)
    if (const std::string path = band_path(points_of(*cell), x, y); !path.empty())
      picture.add(fmt::format(R"(<path class="band {}" data-s="{}" d="{}"/>)", colour(cell),
                              html(cell->method()), path));
  for (const CellView* cell : cells) {
    const std::vector<RevealPoint> points = points_of(*cell);
    picture.add(fmt::format(R"(<path class="curve {}" data-s="{}" d="{}"/>)",
                            series_class(view, cell->method()), html(cell->method()),
                            curve_path(points, x, y)));
    std::string marks;
    for (const RevealPoint& point : points)
      marks += series_mark(view, cell->method(), x(100 * point.share), y(point.value),
                           fmt::format("{}, {:g} % known: {} {}", cell->method(), 100 * point.share,
                                       fixed(point.value), range_text(point.interval)));
    picture.add(
        fmt::format(R"(<g class="{}" data-s="{}">{}</g>)", colour(cell), html(cell->method()), marks));
  }
  return picture.str();
}

/// Methods by shares.
Table reveal_table(const ResultsView& view, const std::string& dataset,
                   const std::vector<const CellView*>& cells) {
  std::vector<double> shares;
  for (const CellView* cell : cells)
    for (const RevealPoint& point : cell->result().reveal)
      if (std::find(shares.begin(), shares.end(), point.share) == shares.end()) shares.push_back(point.share);
  std::sort(shares.begin(), shares.end());
  Table table{fmt::format("{}: {} by the share of labels that are known", dataset, view.metric),
              "",
              "method",
              {},
              {}};
  for (const double share : shares) table.columns.push_back({fmt::format("{:g} %", 100 * share)});
  for (const CellView* cell : cells) {
    Row row{cell->method(), std::vector<Entry>(shares.size(), Entry{"–", "", "", ""})};
    for (const RevealPoint& point : cell->result().reveal) {
      const auto at = std::find(shares.begin(), shares.end(), point.share) - shares.begin();
      row.entries[static_cast<size_t>(at)] = {fixed(point.value), range_text(point.interval), "", ""};
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string reveal_section(const ResultsView& view) {
  std::string figures;
  for (const std::string& dataset : view.dataset_names()) {
    const std::vector<const CellView*> cells = cells_with_curve(view, dataset);
    const std::string picture = cells.empty() ? "" : reveal_picture(view, dataset, cells);
    if (picture.empty()) continue;
    std::string legend;
    for (const CellView* cell : cells) legend += legend_entry(view, cell->method(), true);
    figures += "<h3>" + html(dataset) + "</h3>\n<div class=\"series wide\">\n" + figure("", picture) +
               "<ul class=\"legend\">" + legend + "</ul></div>\n<details><summary>The numbers</summary>\n" +
               html_table(reveal_table(view, dataset, cells)) + "</details>\n";
  }
  if (figures.empty()) return "";
  return "<p>What a prior is worth when some labels are known: a share of the labels of every test "
         "instance is revealed, the same ones to all methods, and the metric is of the others. Its level "
         "depends on how many they are, so compare the curves with each other: a method without a prior "
         "cannot use what is known. The bands are 95 % intervals by the bootstrap over test "
         "instances" +
         std::string(view.is_repeated() ? ", of the first training" : "") + ".</p>\n" + figures;
}

}  // namespace concord::report
