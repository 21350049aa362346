// SPDX-License-Identifier: MIT
#include "report/svg.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/parts.hpp"

namespace concord::svg {
namespace {

/// 1, 2 or 5 times a power of ten: the smallest with at most `most` steps in the span.
double nice_step(double span, int most) {
  const double power = std::pow(10, std::floor(std::log10(span / most)));
  for (const double step : {1., 2., 5., 10.})
    if (span / (step * power) <= most) return step * power;
  return 10 * power;
}

std::string superscript(int number) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
  return text;
}

}  // namespace

std::string coordinate(double value) {
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0 : rounded);  // no -0
}

std::string power_of_ten(int exponent) {
  if (exponent >= -3 && exponent <= 3) return fmt::format("{:g}", std::pow(10, exponent));
  return "10" + superscript(exponent);
}

Scale Scale::linear(double low, double high, double from, double to) {
  if (!(high - low > 1e-12 * std::max(std::abs(low), std::abs(high)))) {
    const double margin = low == 0 ? 1 : std::abs(low) / 20;
    low -= margin;
    high += margin;
  }
  const double step = nice_step(high - low, 5);
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  Scale scale(first * step, last * step, from, to, false);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const bool large = std::max(std::abs(scale.low_), std::abs(scale.high_)) >= 1e6;
  const auto steps = static_cast<int>(last - first);
  for (int i = 0; i <= steps; ++i) {
    const double multiple = first + i;
    const double at = multiple == 0 ? 0 : multiple * step;
    scale.ticks_.push_back(
        {at, report::typographic(large ? fmt::format("{:.3g}", at) : fmt::format("{:.{}f}", at, decimals))});
  }
  return scale;
}

Scale Scale::logarithmic(double low, double high, double from, double to) {
  if (high < 1.01 * low) {  // hardly a range
    low /= 1.5;
    high *= 1.5;
  }
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const bool fine = last - first <= 2;
  const double start = fine ? low : std::pow(10, first), end = fine ? high : std::pow(10, last);
  // Less than two decades are not widened to whole ones: the points would crowd in a corner.
  const double room = fine ? std::pow(end / start, .06) : 1;
  Scale scale(std::log10(start / room), std::log10(end * room), from, to, true);
  const int stride = 1 + (last - first - 1) / 6;
  for (int exponent = first; exponent <= last; ++exponent)
    for (const int digit : {1, 2, 5}) {
      const double at = digit * std::pow(10, exponent);
      if ((digit > 1 && !fine) || (exponent - first) % stride != 0) continue;
      if (fine && (at < start / room || at > end * room)) continue;
      scale.ticks_.push_back({at, digit == 1 ? power_of_ten(exponent) : fmt::format("{:g}", at)});
    }
  if (scale.ticks_.size() < 2) {  // a narrow range
    scale.ticks_.clear();
    const Scale even = linear(start, end, from, to);
    for (const Tick& tick : even.ticks())
      if (tick.at > 0 && tick.at >= start / room && tick.at <= end * room) scale.ticks_.push_back(tick);
  }
  return scale;
}

double Scale::operator()(double value) const {
  const double at = log_ ? std::log10(value) : value;
  return from_ + (std::clamp(at, low_, high_) - low_) / (high_ - low_) * (to_ - from_);
}

Picture::Picture(double width, double height, std::string title)
    : width_(width), height_(height), title_(std::move(title)) {}

Picture& Picture::add(const std::string& element) {
  body_ += element + "\n";
  return *this;
}

Picture& Picture::line(double x1, double y1, double x2, double y2, const std::string& css_class) {
  return add(fmt::format(R"(<path class="{}" d="M{} {}L{} {}"/>)", css_class, coordinate(x1), coordinate(y1),
                         coordinate(x2), coordinate(y2)));
}

Picture& Picture::label(double x, double y, const std::string& text, const char* anchor,
                        const std::string& css_class) {
  return add(
      fmt::format(R"(<text x="{}" y="{}"{}{}>{}</text>)", coordinate(x), coordinate(y),
                  std::string_view(anchor) == "start" ? "" : fmt::format(R"( text-anchor="{}")", anchor),
                  css_class.empty() ? "" : fmt::format(R"( class="{}")", css_class), html(text)));
}

Picture& Picture::x_axis(const Scale& x, double top, double bottom, const std::string& meaning) {
  for (const Tick& tick : x.ticks()) {
    line(x(tick.at), top, x(tick.at), bottom, "grid");
    label(x(tick.at), bottom + 14, tick.text, "middle", "tick");
  }
  return label((x.from() + x.to()) / 2, bottom + 31, meaning, "middle", "axis");
}

Picture& Picture::y_axis(const Scale& y, double left, double right, const std::string& meaning) {
  double top = std::min(y.from(), y.to());
  for (const Tick& tick : y.ticks()) {
    line(left, y(tick.at), right, y(tick.at), "grid");
    label(left - 5, y(tick.at) + 3.5, tick.text, "end", "tick");
  }
  return label(2, top - 9, meaning, "start", "axis");
}

std::string Picture::str() const {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" style=\"--w:{0}px\" role=\"img\">"
      "<title>{2}</title>\n{3}</svg>\n",
      coordinate(width_), coordinate(height_), html(title_), body_);
}

std::string hover(const std::string& text) {
  return "<title>" + html(text) + "</title>";
}

double text_width(const std::string& text, double size) {
  double characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xc0u) == 0x80 ? 0 : 1;
  return .56 * size * characters;
}

}  // namespace concord::svg
