// SPDX-License-Identifier: MIT
#pragma once
// The sections of the report, and numbers in it. A section without content is empty, and left out. Names come from other
// people's files: any byte may be in them, so every text is escaped by base/text.hpp.
#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "report/tables.hpp"
#include "report/view.hpp"

namespace concord::report {

std::string glance_section(const ResultsView& view);
std::string results_section(const ResultsView& view);
std::string baseline_section(const ResultsView& view);
std::string trainings_section(const ResultsView& view);  ///< of each method, where there are several
std::string ranks_section(const ResultsView& view);      ///< of the methods, over five datasets or more
std::string help_section(const ResultsView& view);       ///< did the prior help?
std::string cells_section(const ResultsView& view);
std::string reveal_section(const ResultsView& view);   ///< the metric over the share of labels that are known
std::string ranking_section(const ResultsView& view);  ///< metrics of rankings, and of probabilities
std::string pareto_section(const ResultsView& view);
std::string convergence_section(const ResultsView& view);
std::string solver_section(const ResultsView& view);
std::string prior_section(const ResultsView& view);
std::string examples_section(const ResultsView& view);  ///< instances with the explanation of their labels
std::string provenance_section(const ResultsView& view);

/// Positions 0..n-1 of n labels on a line: a local minimum, by swaps, of the sum of weight(i, j) times distance. Positive weights pull together. The order given is where it starts; no chance is involved.
std::vector<size_t> arrange(const Eigen::MatrixXd& weight);

extern const char* const page_style;
extern const char* const page_script;

/// A table in a box of its own that scrolls; `css_class` of the table.
std::string html_table(const Table& table, const std::string& css_class = "");
/// A figure: a heading, a picture and what to see in it, all HTML; heading and caption may be empty.
std::string figure(const std::string& heading, const std::string& picture, const std::string& caption = "",
                   const std::string& css_class = "");
/// The classes of a method's line: one of eight colours and one of four dashes, neighbours differing in both.
std::string series_class(const ResultsView& view, const std::string& method);
/// The mark of a method's points, one of eight shapes, in the colour of the group that it stands in. With the dash it tells
/// 32 methods apart without a colour.
std::string series_mark(const ResultsView& view, const std::string& method, double x, double y,
                        const std::string& hover = "");
/// A line of a legend: how the method is drawn, its name, and a remark.
std::string legend_entry(const ResultsView& view, const std::string& method, bool with_mark,
                         const std::string& remark = "");

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
