// SPDX-License-Identifier: MIT
// Solvers on single problems: how tight their bounds, how good their labels, how long they take.
#include <algorithm>
#include <cmath>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using svg::coordinate;

constexpr double strip_width = 350, strip_height = 26, strip_top = 8, text_size = 11, zero_lane = 18;
constexpr double negligible = 1e-9;  ///< relative; drawn as "exact"
constexpr size_t most_dots = 200;

struct Strip {
  std::string name;
  std::vector<double> values;  ///< sorted
  std::string remark;          ///< instead of dots
  size_t violations = 0;       ///< values that must not be negative and are
};

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(std::llround(share * static_cast<double>(sorted.size() - 1)))];
}

/// At most so many of the sorted values, evenly spread over their ranks.
std::vector<double> sample(const std::vector<double>& sorted) {
  if (sorted.size() <= most_dots) return sorted;
  std::vector<double> chosen;
  for (size_t i = 0; i < most_dots; ++i)
    chosen.push_back(quantile(sorted, static_cast<double>(i) / static_cast<double>(most_dots - 1)));
  return chosen;
}

std::vector<Strip> strips_of(const std::vector<SolveView>& solves, double SolvedView::*what,
                             const char* absent) {
  std::vector<Strip> strips;
  for (const SolveView& solve : solves) {
    Strip strip{solve.cell->name.column, {}, "", 0};
    for (const SolvedView& solved : solve.results)
      if (std::isfinite(solved.*what)) {
        strip.values.push_back(std::max(0., solved.*what));
        strip.violations += solved.*what < -1e-6 ? 1 : 0;
      }
    std::sort(strip.values.begin(), strip.values.end());
    if (strip.values.empty())
      strip.remark = solve.cell->end.status == Status::done     ? absent
                     : solve.cell->end.status == Status::failed ? "failed"
                                                                : "not run yet";
    strips.push_back(std::move(strip));
  }
  return strips;
}

/// Dots of all problems, the middle half as a bar, the median as a stroke.
void draw_strip(svg::Picture& picture, const Strip& strip, double y, const svg::Scale& x, double lane,
                const std::string& unit) {
  const auto at = [&](double value) { return value <= negligible && lane > 0 ? lane : x(value); };
  std::string dots;
  size_t count = 0;
  for (const double value : sample(strip.values))  // five heights, so that equal ones show
    dots += fmt::format("M{} {}h0", coordinate(at(value)),
                        coordinate(y - 4 + 2 * static_cast<double>(count++ * 2 % 5)));
  const double median = quantile(strip.values, .5);
  const auto say = [&](double value) { return unit == "s" ? duration(value) : brief(value); };
  picture.add(fmt::format(
      R"(<g class="strip">{}<path class="catch" d="M{} {}H{}"/><path class="quartiles" d="M{} {}H{}"/><path class="dots" d="{}"/><path class="median" d="M{} {}v16"/></g>)",
      svg::hover(fmt::format("{}: median {}, largest {}, {} problems", strip.name, say(median),
                             say(strip.values.back()), strip.values.size())),
      coordinate(x.from()), coordinate(y), coordinate(x.to()), coordinate(at(quantile(strip.values, .25))),
      coordinate(y), coordinate(at(quantile(strip.values, .75))), dots, coordinate(at(median)),
      coordinate(y - 8)));
}

std::string strip_figure(const std::vector<Strip>& strips, const std::string& title,
                         const std::string& meaning, const std::string& unit, const char* heading,
                         const char* caption) {
  double low = INFINITY, high = 0, gutter = 50;
  bool exact = false;
  for (const Strip& strip : strips) {
    gutter = std::max(gutter, svg::text_width(shortened(clean(strip.name), 20), text_size) + 12);
    for (const double value : strip.values) {
      exact = exact || value <= negligible;
      if (value > negligible) low = std::min(low, value), high = std::max(high, value);
    }
  }
  if (!std::isfinite(low)) low = 1e-6, high = 1;
  const bool with_lane = exact && unit != "s";
  const double lane = with_lane ? gutter + zero_lane / 2 : 0;
  const double bottom = strip_top + strip_height * static_cast<double>(strips.size());
  const auto x =
      svg::Scale::logarithmic(low, high, gutter + (with_lane ? 2 * zero_lane : 4), strip_width - 14);
  svg::Picture picture(strip_width, bottom + 38, title);
  picture.x_axis(x, strip_top, bottom, meaning);
  if (with_lane) {
    picture.line(lane, strip_top, lane, bottom, "grid");
    picture.label(lane, bottom + 14, "0", "middle", "tick");
  }
  double y = strip_top + strip_height / 2;
  for (const Strip& strip : strips) {
    picture.label(gutter - 8, y + 4, shortened(clean(strip.name), 20), "end");
    if (strip.values.empty())
      picture.label(gutter + 8, y + 4, strip.remark, "start", "weak");
    else
      draw_strip(picture, strip, y, x, lane, unit);
    y += strip_height;
  }
  return figure(heading, picture.str(), caption);
}

std::string violations_text(const std::vector<Strip>& strips) {
  std::string text;
  for (const Strip& strip : strips)
    if (strip.violations > 0)
      text += fmt::format(
          "<p class=\"failed\">{}: the bound lies below a value that was found, in {} problems. It is "
          "no bound.</p>\n",
          html(strip.name), strip.violations);
  return text;
}

}  // namespace

std::string solver_section(const ResultsView& view) {
  std::string text;
  for (const auto& [name, problems, labels] : view.outline.problem_sets) {
    const std::vector<SolveView> solves = solves_of(view.results, name);
    if (solves.empty()) continue;
    text += fmt::format("<h3>{}</h3>\n", html(name));
    if (problems)  // unknown if every solver failed
      text += fmt::format("<p>{} problems with {} labels.</p>\n", *problems, html(labels));
    const auto excess = strips_of(solves, &SolvedView::bound_excess, "proves no bound");
    text += violations_text(excess) + "<div class=\"grid thirds\">\n" +
            strip_figure(excess, name + ": bound excess", "relative bound excess", "", "Bound tightness",
                         "how far the proven bound lies above the best value found") +
            strip_figure(strips_of(solves, &SolvedView::value_shortfall, "no value"),
                         name + ": value shortfall", "relative value shortfall", "", "Labels",
                         "how far the value of the rounded labels lies below the best one") +
            strip_figure(strips_of(solves, &SolvedView::seconds, "no time"), name + ": time",
                         "time of a solve (s)", "s", "Time", "of one solve") +
            "</div>\n<details><summary>Means and counts</summary>\n" + html_table(solver_table(view, name)) +
            "</details>\n";
  }
  if (text.empty()) return "";
  return "<p>Every dot is a problem; the bar is the middle half, the stroke the median. Further left is "
         "better.</p>\n" +
         text;
}

}  // namespace concord::report
