// SPDX-License-Identifier: MIT
// Metrics of rankings and of probabilities, and how far the probabilities can be believed.
#include <algorithm>

#include "metrics/metrics.hpp"
#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using svg::coordinate;

/// Of rankings and probabilities, in the order in which cells of the dataset have them.
std::vector<std::string> metrics_of(const ResultsView& view, const std::string& dataset) {
  std::vector<std::string> names;
  for (const CellView& cell : view.cells)
    if (cell.dataset() == dataset)
      for (const compare::MetricValue& metric : cell.result().metrics)
        if ((find_rank_metric(metric.name) != nullptr || metric.name == "brier-score" ||
             metric.name == "calibration-error") &&
            std::find(names.begin(), names.end(), metric.name) == names.end())
          names.push_back(metric.name);
  return names;
}

/// The best of a column, as it is printed.
void mark_best(Table& table, size_t column, bool is_loss) {
  std::vector<double> values;
  for (const Row& row : table.rows)
    if (const auto value = number_in<double>(row.entries[column].text)) values.push_back(*value);
  if (values.size() < 2) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  for (Row& row : table.rows)
    row.entries[column].best = number_in<double>(row.entries[column].text) == (is_loss ? *low : *high);
}

/// Methods by metrics.
Table ranking_table(const ResultsView& view, const std::string& dataset) {
  Table table{dataset + ": rankings and probabilities", "", "method", {}, {}};
  const std::vector<std::string> names = metrics_of(view, dataset);
  for (const std::string& name : names) table.columns.push_back({name});
  for (const CellView& cell : view.cells) {
    if (cell.dataset() != dataset || !cell.done()) continue;
    Row row{cell.method(), {}};
    for (const std::string& name : names) {
      const compare::MetricValue* metric = cell.metric(name);
      row.entries.push_back(metric == nullptr
                                ? Entry{"–", "", "", ""}
                                : Entry{fixed(metric->value),
                                        cell.over || !view.is_repeated() ? range_text(metric->interval) : "",
                                        view.trainings_text(cell), ""});
    }
    table.rows.push_back(std::move(row));
  }
  for (size_t c = 0; c < names.size(); ++c) {
    const RankMetric* of_ranking = find_rank_metric(names[c]);
    mark_best(table, c, of_ranking == nullptr || of_ranking->is_loss);
  }
  return table;
}

// The diagram, and below it how many labels are in each bin.
constexpr double diagram_width = 300, diagram_height = 356, diagram_left = 38, diagram_right = 290,
                 diagram_top = 26, diagram_bottom = 246, counts_top = 264, counts_bottom = 318;
constexpr int64_t few = 30;
constexpr size_t most_diagrams = 24;

std::string bin_text(const CalibrationBin& bin) {
  return fmt::format("{} labels of probability {} on average: {} are true", bin.count, fixed(bin.probability),
                     fixed(bin.share));
}

std::string reliability_figure(const ResultsView& view, const CellView& cell) {
  const std::vector<CalibrationBin>& bins = cell.result().reliability;
  const auto x = svg::Scale::linear(0, 1, diagram_left, diagram_right);
  const auto y = svg::Scale::linear(0, 1, diagram_bottom, diagram_top);
  svg::Picture picture(
      diagram_width, diagram_height,
      fmt::format("{}, {}: share of true labels against probability", cell.dataset(), cell.method()));
  picture.y_axis(y, diagram_left, diagram_right, "share of true labels");
  picture.x_axis(x, diagram_top, counts_bottom, "probability");
  picture.line(x(0), y(0), x(1), y(1), "ideal");
  int64_t most = 1;
  for (const CalibrationBin& bin : bins) most = std::max(most, bin.count);
  picture.label(diagram_left - 5, counts_top + 6, fmt::format("{}", most), "end", "tick");
  picture.label(diagram_left - 5, counts_bottom, "0", "end", "tick");
  picture.line(diagram_left, counts_bottom, diagram_right, counts_bottom, "zero");
  std::string path, marks;
  const double width = (diagram_right - diagram_left) / static_cast<double>(bins.size());
  for (size_t b = 0; b < bins.size(); ++b) {
    const CalibrationBin& bin = bins[b];
    if (bin.count <= 0) continue;
    const double height = (counts_bottom - counts_top) * std::log1p(static_cast<double>(bin.count)) /
                          std::log1p(static_cast<double>(most));
    picture.add(fmt::format(R"(<rect class="bar" x="{}" y="{}" width="{}" height="{}">{}</rect>)",
                            coordinate(diagram_left + width * static_cast<double>(b) + 1),
                            coordinate(counts_bottom - height), coordinate(width - 2), coordinate(height),
                            svg::hover(bin_text(bin))));
    const double at_x = x(bin.probability), at_y = y(bin.share);
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(at_x), coordinate(at_y));
    marks += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="4">{}</circle>)",
                         bin.count < few ? "point" : "point on-front", coordinate(at_x), coordinate(at_y),
                         svg::hover(bin_text(bin)));
  }
  picture.add(fmt::format(R"(<path class="reliability" d="{}"/>)", path)).add(marks);
  const compare::MetricValue* brier = cell.result().metric("brier-score");
  const compare::MetricValue* error = cell.result().metric("calibration-error");
  return figure(html(view.methods.size() > 1 ? cell.dataset() + ": " + cell.method() : cell.dataset()),
                picture.str(),
                fmt::format("Brier score {}, calibration error {}", fixed(brier ? brier->value : unknown, 4),
                            fixed(error ? error->value : unknown, 4)));
}

}  // namespace

std::string ranking_section(const ResultsView& view) {
  std::string tables, figures;
  size_t drawn = 0;
  for (const std::string& dataset : view.dataset_names()) {
    if (const Table table = ranking_table(view, dataset); !table.columns.empty())
      tables += "<h3>" + html(dataset) + "</h3>\n" + html_table(table, "main");
    for (const CellView& cell : view.cells)
      if (cell.dataset() == dataset && !cell.result().reliability.empty() && drawn++ < most_diagrams)
        figures += reliability_figure(view, cell);
  }
  if (tables.empty() && figures.empty()) return "";
  std::string text =
      "<p>All labels of an instance, from the one that the method ranks first to its last. Smaller is "
      "better for ranking-loss, coverage, brier-score and calibration-error, larger for the others; how "
      "ties count is said in the documentation of the metrics." +
      (view.is_repeated() ? " In brackets: " + html(kOverTrainings) + "." : "") + "</p>\n" + tables;
  if (!figures.empty())
    text += fmt::format(
                "<h3>Can the probabilities be believed?</h3>\n<p>Labels of all test instances in 15 bins "
                "by their probability: the share that is true, on the line if the probabilities are right. "
                "Hollow points have fewer than {} labels. The bars below are the numbers of labels, on a "
                "logarithmic scale.{}</p>\n",
                few, view.is_repeated() ? " Of the first training, on the split as it is given." : "") +
            "<div class=\"grid thirds\">\n" + figures + "</div>\n";
  return text;
}

}  // namespace concord::report
