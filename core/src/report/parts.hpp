// SPDX-License-Identifier: MIT
#pragma once
// The sections of the report. One without content is empty, and left out.
#include <string>

#include "report/tables_content.hpp"
#include "report/tables_view.hpp"

namespace concord::report {

std::string glance_section(const Comparison& comparison);
std::string results_section(const Comparison& comparison);
std::string baseline_section(const Comparison& comparison);
std::string help_section(const Comparison& comparison);  ///< did the prior help?
std::string cells_section(const Comparison& comparison);
std::string pareto_section(const Comparison& comparison);
std::string convergence_section(const Comparison& comparison);
std::string solver_section(const Comparison& comparison);
std::string prior_section(const Comparison& comparison);
std::string provenance_section(const Comparison& comparison);

extern const char* const page_style;
extern const char* const page_script;

/// A table in a box of its own that scrolls; `css_class` of the table.
std::string html_table(const Table& table, const std::string& css_class = "");
/// A figure: a heading, a picture and what to see in it, all HTML; heading and caption may be empty.
std::string figure(const std::string& heading, const std::string& picture, const std::string& caption = "",
                   const std::string& css_class = "");
/// The classes of a method's line: one of eight colours and one of four dashes, neighbours differing in both.
std::string series_class(const Comparison& comparison, const std::string& method);

}  // namespace concord::report
