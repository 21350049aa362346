// SPDX-License-Identifier: MIT
#pragma once
// Static figures: scales with readable ticks, axes, marks. Colours are classes of the page's style, so that a figure
// follows it into dark mode and print.
#include <string>
#include <utility>
#include <vector>

namespace concord::svg {

/// The picture of a plot, and the place for its data.
namespace frame {
inline constexpr double plot_width = 440, plot_height = 290;
inline constexpr double plot_left = 46, plot_right = 428, plot_top = 26, plot_bottom = 250;
}  // namespace frame

/// A coordinate: at most one decimal.
std::string coordinate(double value);

struct Tick {
  double at;  ///< in the data's terms
  std::string text;
};

/// Maps data to coordinates.
class Scale {
 public:
  /// Of data from low to high, widened to whole ticks.
  static Scale linear(double low, double high, double from, double to);
  /// The same with a logarithmic axis; needs 0 < low.
  static Scale logarithmic(double low, double high, double from, double to);

  double operator()(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  double low_, high_, from_, to_;
  bool log_;
  std::vector<Tick> ticks_;
  Scale(double low, double high, double from, double to, bool log)
      : low_(low), high_(high), from_(from), to_(to), log_(log) {}
};

/// "10⁻⁶", or "0.01" where that is short.
std::string power_of_ten(int exponent);

/// A picture; what is added later lies above.
class Picture {
 public:
  /// `title` says what is to be seen, also to those who hear it.
  Picture(double width, double height, std::string title);

  Picture& add(const std::string& element);
  Picture& line(double x1, double y1, double x2, double y2, const std::string& css_class);
  /// `text` is escaped here; anchor is start, middle or end.
  Picture& label(double x, double y, const std::string& text, const char* anchor = "start",
                 const std::string& css_class = "");
  /// Gridlines and texts below and to the left; what the axes mean.
  Picture& x_axis(const Scale& x, double top, double bottom, const std::string& meaning);
  Picture& y_axis(const Scale& y, double left, double right, const std::string& meaning);
  std::string str() const;

 private:
  double width_, height_;
  std::string title_, body_;
};

/// "<title>...</title>" for inside an element: what is said when the pointer is there.
std::string hover(const std::string& text);

/// About how wide a text is in the figures' font at that size.
double text_width(const std::string& text, double size);

}  // namespace concord::svg
