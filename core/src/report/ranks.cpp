// SPDX-License-Identifier: MIT
// A critical-difference diagram (Demsar 2006): the mean rank of each method over the datasets, and which methods the Nemenyi
// test cannot tell apart.
#include <algorithm>
#include <array>
#include <numeric>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

constexpr size_t least_datasets = 5;  // below, ranks say little

/// Of the studentised range at 5 % divided by the root of 2, for 2 to 20 methods.
constexpr std::array nemenyi = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164, 3.219,
                                3.268, 3.313, 3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544};

struct RankedMethod {
  std::string name;
  double rank;
};

/// Best first; equal values share the mean of their ranks. Datasets on which a method has no value are left out.
struct MeanRanks {
  std::vector<RankedMethod> methods;
  size_t datasets = 0;

  /// Two mean ranks that differ by more are of different methods, at 5 %.
  double critical_difference() const {
    const auto k = static_cast<double>(methods.size());
    return nemenyi[methods.size() - 2] * std::sqrt(k * (k + 1) / (6 * static_cast<double>(datasets)));
  }
};

MeanRanks mean_ranks(const ResultsView& view) {
  MeanRanks ranks;
  for (const MethodColumn& method : view.methods) ranks.methods.push_back({method.name, 0});
  for (const std::string& dataset : view.dataset_names()) {
    std::vector<double> values;
    for (const MethodColumn& method : view.methods) {
      const CellView* cell = view.find(dataset, method.name);
      if (cell != nullptr && std::isfinite(cell->value)) values.push_back(cell->value);
    }
    if (values.size() != view.methods.size()) continue;
    ++ranks.datasets;
    for (size_t m = 0; m < values.size(); ++m)
      for (const double other : values)
        ranks.methods[m].rank += other == values[m] ? .5 : view.better(other, values[m]) ? 1 : 0;
  }
  for (RankedMethod& method : ranks.methods)
    method.rank = method.rank / static_cast<double>(ranks.datasets) + .5;  // a method equals itself
  std::ranges::stable_sort(ranks.methods, {}, &RankedMethod::rank);
  return ranks;
}

/// The longest runs of methods within the critical difference, as first and last place.
std::vector<std::pair<size_t, size_t>> alike(const MeanRanks& ranks) {
  std::vector<std::pair<size_t, size_t>> runs;
  for (size_t first = 0; first < ranks.methods.size(); ++first) {
    size_t last = first;
    while (last + 1 < ranks.methods.size() &&
           ranks.methods[last + 1].rank - ranks.methods[first].rank <= ranks.critical_difference())
      ++last;
    if (last > first && (runs.empty() || runs.back().second < last)) runs.emplace_back(first, last);
  }
  return runs;
}

/// Names stand at the left for the better half and at the right for the others, each at the end of a line from its rank.
std::string diagram(const MeanRanks& ranks, const std::string& title) {
  using svg::coordinate;
  constexpr double row = 20, gutter = 170, width = 640, axis = 58;
  const auto k = ranks.methods.size();
  const auto runs = alike(ranks);
  const double below = axis + 14 + 9 * static_cast<double>(runs.size());
  const auto x = [&](double rank) {
    return gutter + (rank - 1) / static_cast<double>(k - 1) * (width - 2 * gutter);
  };
  const size_t rows = (k + 1) / 2;
  svg::Picture picture(width, below + row * static_cast<double>(rows) + 12, title);
  picture.line(x(1), axis, x(static_cast<double>(k)), axis, "zero");
  for (size_t rank = 1; rank <= k; ++rank) {
    const auto at = static_cast<double>(rank);
    picture.line(x(at), axis - 5, x(at), axis, "zero");
    picture.label(x(at), axis - 9, fmt::format("{}", rank), "middle", "tick");
  }
  const double cd = ranks.critical_difference();
  const double end = x(std::min(1 + cd, static_cast<double>(k)));
  picture.line(x(1), 18, end, 18, "zero").line(x(1), 14, x(1), 22, "zero");
  if (1 + cd <= static_cast<double>(k)) picture.line(end, 14, end, 22, "zero");
  picture.label(x(1), 10, fmt::format("critical difference {:.2f}", cd), "start", "axis");
  for (size_t run = 0; run < runs.size(); ++run) {
    const double y = axis + 9 + 9 * static_cast<double>(run);
    picture.line(x(ranks.methods[runs[run].first].rank) - 3, y, x(ranks.methods[runs[run].second].rank) + 3,
                 y, "alike");
  }
  for (size_t m = 0; m < k; ++m) {
    const bool left = m < (k + 1) / 2;
    const double y = below + row * static_cast<double>(left ? m : k - 1 - m) + 8;
    const double at = x(ranks.methods[m].rank), text = left ? gutter - 24 : width - gutter + 24;
    picture.add(fmt::format(R"(<path class="stem" d="M{} {}V{}H{}"/>)", coordinate(at), coordinate(axis),
                            coordinate(y), coordinate(text)));
    picture.label(
        text + (left ? -6 : 6), y + 4,
        fmt::format("{} ({:.2f})", shortened(clean(ranks.methods[m].name), 20), ranks.methods[m].rank),
        left ? "end" : "start");
  }
  return picture.str();
}

}  // namespace

std::string ranks_section(const ResultsView& view) {
  if (view.methods.size() < 2 || view.methods.size() > nemenyi.size() + 1) return "";
  const MeanRanks ranks = mean_ranks(view);
  if (ranks.datasets < least_datasets) return "";
  return fmt::format(
             "<p>The mean rank of each method by {} over {} datasets; 1 is the best. Methods under one bar cannot be told "
             "apart: their mean ranks differ by no more than the critical difference of the Nemenyi test at 5 %.</p>\n"
             "<div class=\"wide\">\n",
             html(view.metric), ranks.datasets) +
         figure("", diagram(ranks, "Mean ranks by " + view.metric)) + "</div>\n";
}

}  // namespace concord::report
