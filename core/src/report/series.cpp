// SPDX-License-Identifier: MIT
// How the methods are told apart in figures: by colour, dash and mark, the same on the whole page.
#include "report/parts.hpp"
#include "report/svg.hpp"

namespace concord::report {
namespace {

size_t index_of(const ResultsView& view, const std::string& method) {
  size_t index = 0;
  while (index < view.methods.size() && view.methods[index].name != method) ++index;
  return index;
}

/// Around the point where the path begins.
constexpr struct {
  const char* path;
  bool hollow;
} marks[] = {{"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", false},  // circle
             {"m-3.3 -3.3h6.6v6.6h-6.6z", true},                        // square
             {"m0 -4.4l4.2 7.4h-8.4z", false},                          // triangle
             {"m0 -4.8l4.4 4.8l-4.4 4.8l-4.4 -4.8z", true},             // diamond
             {"m-3.3 -3.3h6.6v6.6h-6.6z", false},
             {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", true},
             {"m0 4.4l4.2 -7.4h-8.4z", true},
             {"m-3.5 -3.5l7 7m0 -7l-7 7", false}};  // cross

}  // namespace

std::string series_class(const ResultsView& view, const std::string& method) {
  const size_t index = index_of(view, method);
  return fmt::format("s{} d{}", index % 8, (index + index / 8) % 4);
}

std::string series_mark(const ResultsView& view, const std::string& method, double x, double y,
                        const std::string& hover) {
  const auto& [path, hollow] = marks[index_of(view, method) % std::size(marks)];
  return fmt::format(R"(<path class="{}" d="M{} {}{}">{}</path>)", hollow ? "dot hollow" : "dot",
                     svg::coordinate(x), svg::coordinate(y), path, hover.empty() ? "" : svg::hover(hover));
}

std::string legend_entry(const ResultsView& view, const std::string& method, bool with_mark,
                         const std::string& remark) {
  const std::string classes = series_class(view, method);
  const std::string mark = with_mark
                               ? fmt::format(R"(<g class="{}">{}</g>)", classes.substr(0, classes.find(' ')),
                                             series_mark(view, method, 17, 6))
                               : "";
  return fmt::format(
      R"(<li data-s="{0}"><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true"><path class="curve {1}" d="M0 6H34"/>{2}</svg> {0}{3}</li>)",
      html(method), classes, mark, html(remark));
}

}  // namespace concord::report
