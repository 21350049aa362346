// SPDX-License-Identifier: MIT
// Time against loss, and convergence.
#include <algorithm>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using svg::coordinate;

using namespace svg::frame;

constexpr double label_size = 11;

struct Box {
  double x1, y1, x2, y2;
  bool overlaps(const Box& other) const {
    return x1 < other.x2 && other.x1 < x2 && y1 < other.y2 && other.y1 < y2;
  }
};

/// Writes names beside points where there is room; the others have theirs under the pointer.
class Labels {
 public:
  void occupy(const Box& box) { taken_.push_back(box); }

  void place(svg::Picture& picture, double x, double y, const std::string& name, bool strong) {
    const double width = svg::text_width(name, label_size) * (strong ? 1.12 : 1), height = label_size;
    struct {
      double x, y;  ///< of the upper corner at the anchor
      const char* anchor;
    } const places[] = {{x + 8, y - height / 2, "start"}, {x - 8, y - height / 2, "end"},
                        {x + 3, y - 5 - height, "start"}, {x - 3, y + 5, "end"},
                        {x, y - 8 - height, "middle"},    {x, y + 7, "middle"},
                        {x + 3, y + 5, "start"},          {x - 3, y - 5 - height, "end"}};
    for (const auto& at : places) {
      const double x1 = at.x - width * (*at.anchor == 's' ? 0 : *at.anchor == 'e' ? 1 : .5);
      const Box box{x1, at.y, x1 + width, at.y + height};
      const bool inside =
          x1 >= plot_left && box.x2 <= plot_width && at.y >= plot_top && box.y2 <= plot_bottom;
      if (!inside || std::any_of(taken_.begin(), taken_.end(), [&](const Box& b) { return b.overlaps(box); }))
        continue;
      taken_.push_back(box);
      picture.label(at.x, at.y + height - 2, name, at.anchor, strong ? "strong" : "weak");
      return;
    }
  }

 private:
  std::vector<Box> taken_;
};

std::string pareto_figure(const ResultsView& view, const std::string& dataset) {
  std::vector<const CellView*> cells;
  for (const CellView& cell : view.cells)
    if (cell.dataset() == dataset && std::isfinite(cell.value) && cell.result().train_seconds > 0)
      cells.push_back(&cell);
  if (cells.size() < 2) return "";
  std::stable_sort(cells.begin(), cells.end(), [&](const CellView* a, const CellView* b) {
    return a->result().train_seconds < b->result().train_seconds ||
           (a->result().train_seconds == b->result().train_seconds && view.better(a->value, b->value));
  });
  std::vector<const CellView*> front, others;
  for (const CellView* cell : cells)
    (front.empty() || view.better(cell->value, front.back()->value) ? front : others).push_back(cell);
  const auto [low, high] = std::minmax_element(
      cells.begin(), cells.end(), [](const CellView* a, const CellView* b) { return a->value < b->value; });
  const auto x = svg::Scale::logarithmic(cells.front()->result().train_seconds,
                                         cells.back()->result().train_seconds, plot_left, plot_right);
  const auto y = svg::Scale::linear((*low)->value, (*high)->value, plot_bottom, plot_top);
  svg::Picture picture(plot_width, plot_height, dataset + ": training time against " + view.metric);
  picture.x_axis(x, plot_top, plot_bottom, "training time (s)").y_axis(y, plot_left, plot_right, view.metric);
  std::string steps;
  for (const CellView* cell : front)
    steps +=
        steps.empty()
            ? fmt::format("M{} {}", coordinate(x(cell->result().train_seconds)), coordinate(y(cell->value)))
            : fmt::format("H{}V{}", coordinate(x(cell->result().train_seconds)), coordinate(y(cell->value)));
  picture.add(fmt::format(R"(<path class="front" d="{}H{}"/>)", steps, coordinate(plot_right)));
  Labels labels;
  for (const CellView* cell : cells) {
    const double at_x = x(cell->result().train_seconds), at_y = y(cell->value);
    labels.occupy({at_x - 5, at_y - 5, at_x + 5, at_y + 5});
  }
  for (size_t f = 0; f < front.size(); ++f) {  // and the line: to above or below the next point, then to it
    const double at_y = y(front[f]->value), from_x = x(front[f]->result().train_seconds);
    const bool last = f + 1 == front.size();
    const double to_x = last ? plot_right : x(front[f + 1]->result().train_seconds);
    const double next_y = last ? at_y : y(front[f + 1]->value);
    labels.occupy({from_x, at_y - 1, to_x, at_y + 1});
    labels.occupy({to_x - 1, std::min(at_y, next_y), to_x + 1, std::max(at_y, next_y)});
  }
  for (const bool on_front : {false, true})
    for (const CellView* cell : on_front ? front : others)
      picture.add(fmt::format(
          R"(<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>)", on_front ? "point on-front" : "point",
          coordinate(x(cell->result().train_seconds)), coordinate(y(cell->value)), on_front ? 5 : 4,
          svg::hover(fmt::format("{}: {} {}, {}", cell->method(), fixed(cell->value),
                                 range_text(cell->interval), duration(cell->result().train_seconds)))));
  for (const bool on_front : {true, false})
    for (const CellView* cell : on_front ? front : others)
      labels.place(picture, x(cell->result().train_seconds), y(cell->value),
                   shortened(clean(cell->method()), 24), on_front);
  std::vector<std::string> names;
  for (const CellView* cell : front) names.push_back(html(cell->method()));
  return figure(html(dataset), picture.str(), fmt::format("Not dominated: {}", fmt::join(names, ", ")));
}

struct Curve {
  const CellView* cell;
  std::vector<std::pair<double, double>> points;  ///< seconds, value
};

/// Where both numbers are there and can be drawn; gaps in percent.
std::vector<Curve> curves_of(const ResultsView& view, const std::string& dataset,
                             double compare::EpochPoint::*quantity) {
  const bool is_gap = quantity == &compare::EpochPoint::gap;
  std::vector<Curve> curves;
  for (const CellView& cell : view.cells) {
    if (cell.dataset() != dataset || !cell.done()) continue;
    Curve curve{&cell, {}};
    for (const compare::EpochPoint& point : cell.result().convergence) {
      const double value = point.*quantity;
      if (point.seconds > 0 && std::isfinite(value) && (value > 0 || !is_gap))
        curve.points.emplace_back(point.seconds, is_gap ? 100 * value : value);
    }
    if (curve.points.size() > 1) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Points nearer than three units are not drawn, but the last.
std::string curve_path(const Curve& curve, const svg::Scale& x, const svg::Scale& y) {
  std::string path;
  double at_x = 0, at_y = 0;
  for (size_t p = 0; p < curve.points.size(); ++p) {
    const double px = x(curve.points[p].first), py = y(curve.points[p].second);
    if (!path.empty() && p + 1 < curve.points.size() && std::hypot(px - at_x, py - at_y) < 3) continue;
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(px), coordinate(py));
    at_x = px, at_y = py;
  }
  return path;
}

std::string curve_picture(const ResultsView& view, const std::vector<Curve>& curves, const std::string& title,
                          const std::string& meaning, bool from_zero) {
  if (curves.empty()) return "";
  double first = INFINITY, last = 0, low = INFINITY, high = -INFINITY;
  for (const Curve& curve : curves)
    for (const auto& [seconds, value] : curve.points) {
      first = std::min(first, seconds), last = std::max(last, seconds);
      low = std::min(low, value), high = std::max(high, value);
    }
  const auto x = svg::Scale::logarithmic(first, last, plot_left, plot_right);
  if (from_zero && high < 10 * low) low = 0;  // gaps that hardly fall look like it
  const auto y = low > 0 && high / low > (from_zero ? 1 : 30)
                     ? svg::Scale::logarithmic(low, high, plot_bottom, plot_top)
                     : svg::Scale::linear(low, high, plot_bottom, plot_top);
  svg::Picture picture(plot_width, plot_height, title);
  picture.x_axis(x, plot_top, plot_bottom, "time (s)").y_axis(y, plot_left, plot_right, meaning);
  for (const Curve& curve : curves) {
    const bool estimate = curve.cell->result().gap_is_estimate;
    picture.add(fmt::format(
        R"(<path class="curve {}" data-s="{}" d="{}">{}</path>)", series_class(view, curve.cell->method()),
        html(curve.cell->method()), curve_path(curve, x, y),
        svg::hover(fmt::format("{}: {} after {}{}", curve.cell->method(), brief(curve.points.back().second),
                               duration(curve.points.back().first),
                               estimate ? " (the gap is an estimate: this decoder proves no bound)" : ""))));
  }
  return picture.str();
}

std::string convergence_figures(const ResultsView& view, const std::string& dataset) {
  const auto objectives = curves_of(view, dataset, &compare::EpochPoint::objective);
  const auto gaps = curves_of(view, dataset, &compare::EpochPoint::gap);
  if (objectives.empty() && gaps.empty()) return "";
  std::vector<const CellView*> shown;
  for (const auto* curves : {&objectives, &gaps})
    for (const Curve& curve : *curves)
      if (std::find(shown.begin(), shown.end(), curve.cell) == shown.end()) shown.push_back(curve.cell);
  std::string legend;
  for (const CellView* cell : shown)
    legend +=
        legend_entry(view, cell->method(), false, cell->result().gap_is_estimate ? " (gap: estimate)" : "");
  std::string text = "<h3>" + html(dataset) + "</h3>\n<div class=\"series\"><div class=\"grid\">\n";
  if (const auto picture =
          curve_picture(view, objectives, dataset + ": objective against time", "objective", false);
      !picture.empty())
    text += figure("", picture);
  if (const auto picture =
          curve_picture(view, gaps, dataset + ": duality gap against time", "relative duality gap (%)", true);
      !picture.empty())
    text += figure("", picture);
  return text + "</div>\n<ul class=\"legend\">" + legend + "</ul></div>\n";
}

}  // namespace

std::string pareto_section(const ResultsView& view) {
  std::string figures;
  for (const std::string& dataset : view.dataset_names()) figures += pareto_figure(view, dataset);
  if (figures.empty()) return "";
  return fmt::format(
             "<p>{} and to the left is better. The line joins the methods that no other one beats in both; "
             "filled "
             "points lie on it. Time is that of training with its selection, on the machine named "
             "above.</p>\n",
             view.metric_is_loss ? "Down" : "Up") +
         "<div class=\"grid\">\n" + figures + "</div>\n";
}

std::string convergence_section(const ResultsView& view) {
  std::string figures;
  for (const std::string& dataset : view.dataset_names()) figures += convergence_figures(view, dataset);
  if (figures.empty()) return "";
  return "<p>The final fit on all training data, epoch by epoch: the training objective, and the relative "
         "duality "
         "gap, which bounds how far the objective is from its optimum.</p>\n" +
         figures;
}

}  // namespace concord::report
