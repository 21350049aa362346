// SPDX-License-Identifier: MIT
// The learned prior A: a heatmap, a graph of its strongest pairs, and the pairs in words. A_ij < 0 attracts.
#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>

#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

using svg::coordinate;

constexpr int levels = 6;                   ///< of colour, for each sign
constexpr size_t longest_name = 18;         ///< around the graph
constexpr size_t figure_bytes = 1'000'000;  ///< for all heatmaps and graphs; beyond, pairs in words

using Prior = compare::PriorExcerpt;

double largest_pair(const Prior& prior) {
  double most = 0;
  for (int64_t i = 0; i < prior.A.rows(); ++i)
    for (int64_t j = 0; j < i; ++j) most = std::max(most, std::abs(prior.A(i, j)));
  return most;
}

/// -levels..levels, by the square root so that weak pairs show.
int level_of(double value, double largest) {
  if (value == 0 || largest == 0) return 0;
  const int level =
      std::max(1, static_cast<int>(std::ceil(levels * std::sqrt(std::abs(value) / largest) - 1e-9)));
  return value < 0 ? -level : level;
}

std::string level_class(int level) {
  return fmt::format("{}{}", level < 0 ? "attract o" : level > 0 ? "repel o" : "none o", std::abs(level));
}

/// The label at each position: labels that attract each other are near.
std::vector<size_t> heat_order(const Prior& prior) {
  std::vector<size_t> label(prior.names.size());
  const auto position = arrange(-prior.A);
  for (size_t i = 0; i < label.size(); ++i) label[position[i]] = i;
  return label;
}

/// The lower triangle; a label's name stands at the end of its row and on top of its column.
std::string heatmap(const Prior& prior, const std::string& title) {
  const auto n = prior.names.size();
  const double size = n <= 16 ? 22 : n <= 32 ? 14 : 10, top = 44;
  const double largest = largest_pair(prior);
  double width = 270;
  for (const std::string& name : prior.names)
    width = std::max(
        width, size * static_cast<double>(n) + svg::text_width(shortened(clean(name), 20), size * .85) + 8);
  const std::vector<size_t> label = heat_order(prior);

  svg::Picture picture(width, top + size * static_cast<double>(n) + 2, title);
  for (int level = -levels; level <= levels; ++level)
    picture.add(fmt::format(R"(<rect class="{}" x="{}" y="14" width="18" height="11"/>)", level_class(level),
                            2 + 18 * (level + levels)));
  const std::string extreme = brief(largest);
  picture.label(2, 10, "attracts", "start", "tick")
      .label(2 + 18 * (2 * levels + 1), 10, "repels", "end", "tick");
  picture.label(2, 37, "−" + extreme, "start", "tick")
      .label(2 + 18 * (levels + .5), 37, "0", "middle", "tick");
  picture.label(2 + 18 * (2 * levels + 1), 37, "+" + extreme, "end", "tick");

  std::map<int, std::string> paths;  // by level
  std::string values, names, diagonal;
  for (size_t i = 0; i < n; ++i) {
    const double y = top + size * static_cast<double>(i);
    for (size_t j = 0; j <= i; ++j) {
      const double value = prior.A(static_cast<int64_t>(label[i]), static_cast<int64_t>(label[j]));
      values += fmt::format("{:.3g} ", value);
      std::string& path = i == j ? diagonal : paths[level_of(value, largest)];
      path += fmt::format("M{} {}h{s}v{s}h-{s}z", coordinate(size * static_cast<double>(j)), coordinate(y),
                          fmt::arg("s", size - 1));
    }
    names += shortened(clean(prior.names[label[i]]), 60) + "\n";
  }
  std::string cells;
  for (const auto& [level, path] : paths)
    cells += fmt::format(R"(<path class="{}" d="{}"/>)", level_class(level), path);
  const std::string ground =  // so that the pointer is somewhere between the cells, too
      fmt::format(R"(<path class="ground" d="M0 {}L{} {}H0z"/>)", coordinate(top),
                  coordinate(size * static_cast<double>(n)), coordinate(top + size * static_cast<double>(n)));
  picture.add(fmt::format(
      R"(<g class="heat" data-size="{}" data-top="{}" data-names="{}" data-values="{}">{}{}<path class="diagonal" d="{}"/></g>)",
      size, top, html(names), values, ground, cells, diagonal));
  std::string texts;
  for (size_t i = 0; i < n; ++i)
    texts +=
        fmt::format(R"(<text x="{}" y="{}">{}</text>)", coordinate(size * static_cast<double>(i + 1) + 3),
                    coordinate(top + size * (static_cast<double>(i) + .78)),
                    html(shortened(clean(prior.names[label[i]]), 20)));
  picture.add(
      fmt::format(R"(<g style="font-size:{}px">{}</g>)", coordinate(std::min(11., size * .85)), texts));
  return picture.str();
}

/// The strongest pairs on a circle: attraction in one colour and solid, repulsion in another and dashed.
std::string label_graph(const Prior& prior, const std::string& title) {
  std::vector<std::string> names;
  const auto index = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) names.push_back(name);
    return static_cast<int64_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  double most = 0;
  for (const auto& pair : prior.strongest) most = std::max(most, std::abs(pair.value));
  for (const size_t label : heat_order(prior))  // as in the heatmap, as far as the labels are there
    if (std::ranges::any_of(prior.strongest, [&](const auto& pair) {
          return pair.a == prior.names[label] || pair.b == prior.names[label];
        }))
      index(prior.names[label]);
  for (const auto& pair : prior.strongest) index(pair.a), index(pair.b);
  const auto n = static_cast<int64_t>(names.size());
  constexpr double radius = 128;
  double longest = 40;
  for (const std::string& name : names)
    longest = std::max(longest, svg::text_width(shortened(clean(name), longest_name), 11));
  const double centre = radius + longest + 18, side = 2 * centre;
  const auto angle = [&](int64_t label) {
    return 2 * std::numbers::pi * static_cast<double>(label) / static_cast<double>(n) - std::numbers::pi / 2;
  };
  const auto x = [&](int64_t label, double r) { return centre + r * std::cos(angle(label)); };
  const auto y = [&](int64_t label, double r) { return centre + r * std::sin(angle(label)); };
  svg::Picture picture(side, side, title);
  // The strongest last, on top.
  for (auto pair = prior.strongest.rbegin(); pair != prior.strongest.rend(); ++pair) {
    const int64_t a = index(pair->a), b = index(pair->b);
    picture.add(fmt::format(
        R"(<path class="edge {}" stroke-width="{:.1f}" d="M{} {}Q{} {} {} {}">{}</path>)",
        pair->value < 0 ? "attract" : "repel", 1 + 4 * std::abs(pair->value) / most, coordinate(x(a, radius)),
        coordinate(y(a, radius)), coordinate((x(a, radius) + x(b, radius)) * .2 + centre * .6),
        coordinate((y(a, radius) + y(b, radius)) * .2 + centre * .6), coordinate(x(b, radius)),
        coordinate(y(b, radius)),
        svg::hover(fmt::format("{} {} {}: {}", pair->a, pair->value < 0 ? "attracts" : "repels", pair->b,
                               typographic(brief(pair->value))))));
  }
  for (int64_t label = 0; label < n; ++label) {
    const double degrees = angle(label) * 180 / std::numbers::pi;
    const bool left_half = std::cos(angle(label)) < -1e-9;
    picture.add(fmt::format(R"(<circle class="node" cx="{}" cy="{}" r="3.5"/>)", coordinate(x(label, radius)),
                            coordinate(y(label, radius))));
    picture.add(fmt::format(R"-(<text transform="translate({} {})rotate({})" y="4"{}>{}</text>)-",
                            coordinate(x(label, radius + 9)), coordinate(y(label, radius + 9)),
                            coordinate(left_half ? degrees + 180 : degrees),
                            left_half ? R"( text-anchor="end")" : "",
                            html(shortened(clean(names[static_cast<size_t>(label)]), longest_name))));
  }
  return picture.str();
}

/// Nothing if none of the strongest pairs is of that sign.
std::string pair_list(const Prior& prior, bool attract, size_t most) {
  std::string items;
  size_t count = 0;
  const double strong = prior.strongest.empty() ? 1 : std::abs(prior.strongest.front().value);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(strong))), 0, 12);
  for (const auto& pair : prior.strongest)
    if ((pair.value < 0) == attract && count++ < most)
      items += fmt::format("<li><small>{}</small>{} – {}", typographic(fixed(pair.value, decimals)),
                           html(shortened(clean(pair.a), 40)), html(shortened(clean(pair.b), 40)));
  return items.empty() ? "" : "<ul class=\"pairs\">" + items + "</ul>";
}

std::string pair_lists(const Prior& prior) {
  std::string text;
  for (const bool attract : {true, false})
    if (const std::string list = pair_list(prior, attract, 10); !list.empty())
      text += fmt::format("<div><h4 class=\"{}\">{} most</h4>{}</div>",
                          attract ? "attract-text" : "repel-text", attract ? "Attract" : "Repel", list);
  return "<div class=\"lists\">" + text + "</div>\n";
}

std::string full_prior(const CellView& cell, const Prior& prior) {
  const std::string of = cell.dataset() + ", " + cell.method();
  std::string text = fmt::format("<h3>{}</h3>\n<div class=\"prior\">\n", html(of));
  text += figure(
      "",
      "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Heatmap\">" +
          heatmap(prior, of + ": the prior as a heatmap") + "</div>",
      fmt::format("{} labels of {}: those with the largest sums of |A|, ordered so that labels that attract "
                  "each other are near. A label's name stands at the end of its row and on top of its "
                  "column. Colour by the square root of |A|; the diagonal is grey.",
                  prior.names.size(), prior.labels),
      "heatmap");
  text += figure(
      "", label_graph(prior, of + ": the strongest pairs"),
      fmt::format(
          "The {} strongest pairs, labels in the order of the heatmap. <span class=\"attract-text\">━ attract</span>, <span "
          "class=\"repel-text\">╍ repel</span>; the wider, the stronger.",
          prior.strongest.size()),
      "graph");
  return text + pair_lists(prior) + "</div>\n";
}

}  // namespace

std::vector<size_t> arrange(const Eigen::MatrixXd& weight) {
  const auto n = static_cast<size_t>(weight.rows());
  std::vector<size_t> position(n);
  std::iota(position.begin(), position.end(), size_t{0});
  const auto cost = [&](size_t label, size_t at, size_t except) {
    double sum = 0;
    for (size_t other = 0; other < n; ++other)
      if (other != label && other != except)
        sum += weight(static_cast<int64_t>(label), static_cast<int64_t>(other)) *
               static_cast<double>(std::max(at, position[other]) - std::min(at, position[other]));
    return sum;
  };
  constexpr int passes = 100;
  const double least = 1e-12 * weight.cwiseAbs().sum() * static_cast<double>(n);
  bool improved = true;
  for (int pass = 0; pass < passes && improved; ++pass) {
    improved = false;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j) {
        const double before = cost(i, position[i], j) + cost(j, position[j], i);
        const double after = cost(i, position[j], j) + cost(j, position[i], i);
        if (after >= before - least) continue;
        std::swap(position[i], position[j]);
        improved = true;
      }
  }
  return position;
}

std::string prior_section(const ResultsView& view) {
  std::string full, rest;
  std::vector<const CellView*> drawn;
  for (const std::string& dataset : view.dataset_names()) {
    const CellView* best = nullptr;
    for (const CellView& cell : view.cells)
      if (cell.dataset() == dataset && cell.result().prior && std::isfinite(cell.value) &&
          (!best || view.better(cell.value, best->value)))
        best = &cell;
    if (!best || full.size() > figure_bytes) continue;
    const Prior& prior = *best->result().prior;
    if (largest_pair(prior) == 0 || prior.strongest.empty()) continue;
    full += full_prior(*best, prior);
    drawn.push_back(best);
  }
  for (const CellView& cell : view.cells) {
    if (!cell.result().prior || std::find(drawn.begin(), drawn.end(), &cell) != drawn.end()) continue;
    const Prior& prior = *cell.result().prior;
    rest +=
        fmt::format(
            R"(<tr><th scope="row">{}<small>{}</small></th><td class="name">{}</td><td class="name">{}</td></tr>)",
            html(cell.dataset()), html(cell.method()), pair_list(prior, true, 4),
            pair_list(prior, false, 4)) +
        "\n";
  }
  if (full.empty() && rest.empty()) return "";
  std::string text =
      "<p>A<sub>ij</sub> &lt; 0 attracts labels i and j: they are predicted together more often than their "
      "scores alone would have it. A<sub>ij</sub> &gt; 0 repels them. For each dataset the best method "
      "that learns a prior.</p>\n" +
      full;
  if (!rest.empty())
    text +=
        "<details><summary>The strongest pairs of the other priors</summary>\n<div class=\"box\" "
        "tabindex=\"0\" "
        "role=\"region\" aria-label=\"Strongest pairs\"><table>\n<thead><tr><th scope=\"col\">cell</th><th "
        "scope=\"col\">attract</th><th scope=\"col\">repel</th></tr></thead><tbody>\n" +
        rest + "</tbody></table></div></details>\n";
  return text;
}

}  // namespace concord::report
