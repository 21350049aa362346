// SPDX-License-Identifier: MIT
// Numbers for reading.
#include <cmath>
#include <fmt/format.h>

#include "report/parts.hpp"

namespace concord::report {

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "n/a";
}

std::string with_sign(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  const std::string text = fmt::format("{:+.{}f}", value, decimals);
  // What rounds to zero has no sign.
  return text.find_first_of("123456789") == std::string::npos ? fixed(0, decimals) : text;
}

std::string brief(double value) {
  if (!std::isfinite(value)) return "n/a";
  return std::abs(value) >= 1000 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                          : fmt::format("{:.3g}", value);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds < 1e-3) return brief(seconds * 1e6) + " µs";
  if (seconds < 1) return brief(seconds * 1e3) + " ms";
  if (seconds < 99.5) return brief(seconds) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 6000) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string typographic(std::string number) {
  for (size_t at = 0; (at = number.find('-', at)) != std::string::npos; at += 3) number.replace(at, 1, "−");
  return number;
}

}  // namespace concord::report
