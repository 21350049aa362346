// SPDX-License-Identifier: MIT
#pragma once
// Text for four formats. Names come from other people's files: any byte may be in them.
#include <string>
#include <string_view>

namespace concord::report {

/// Valid UTF-8: what is not, control characters (but tab and newline) and those that turn the direction of
/// writing become U+FFFD.
std::string clean(std::string_view text);
/// The first code points of a clean text, with an ellipsis if it has more.
std::string shortened(const std::string& text, size_t code_points);

// Each cleans, then escapes.
std::string html(std::string_view text);  ///< for elements and attributes in double quotes; also for SVG
std::string latex(std::string_view text);
std::string markdown(std::string_view text);  ///< for a table's cell or a line
std::string csv(std::string_view text);       ///< a field, quoted if it needs to be

/// "0.351", or "n/a" if it is not finite.
std::string fixed(double value, int decimals = 3);
/// "+0.012", "-0.012" or "0.000", or "n/a".
std::string with_sign(double value, int decimals = 3);
/// Three significant digits: "1.2e-05", "0.31", "1230".
std::string brief(double value);
/// "0.31 s", "12 s", "3 min 05 s".
std::string duration(double seconds);
/// With a real minus sign, for reading.
std::string typographic(std::string number);

}  // namespace concord::report
