// SPDX-License-Identifier: MIT
// The tables as Markdown and as LaTeX.
#include "report/parts.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace concord::report {
namespace {

std::string markdown_entry(const Entry& entry, Footnotes& notes) {
  std::string text = markdown(entry.text);
  if (entry.best) text = "**" + text + "** ★";
  if (!entry.why.empty()) text += fmt::format(" ({})", notes.number(entry.why));
  if (!entry.interval.empty()) text += " " + entry.interval;
  if (!entry.remark.empty()) text += " (" + markdown(entry.remark) + ")";
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text = fmt::format("## {}\n\n| {} |", markdown(table.title), markdown(table.corner));
  for (const Column& column : table.columns) text += " " + markdown(column.name) + " |";
  text += "\n|---|";
  for (const Column& column : table.columns) text += column.words ? "---|" : "---:|";
  text += "\n";
  Footnotes notes;
  for (const Row& row : table.rows) {
    text += "| " + markdown(row.name) + " |";
    for (const Entry& entry : row.entries) text += " " + markdown_entry(entry, notes) + " |";
    text += "\n";
  }
  if (!table.caption.empty()) text += "\n" + markdown(table.caption) + "\n";
  for (const std::string& note : notes.texts())
    text += fmt::format("\n({}) {}\n", notes.number(note), markdown(note));
  return text + "\n";
}

/// Signs as in formulas.
std::string latex_number(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c == '-' || c == '+')
      result += c == '-' ? "$-$" : "$+$";
    else
      result += c;
  return result;
}

/// A number, a word, or the dash that stands for nothing.
std::string latex_value(const std::string& text) {
  if (text == "–") return "--";
  if (const size_t sign = text.find(" ± "); sign != std::string::npos)
    return latex_number(text.substr(0, sign)) + " $\\pm$ " + text.substr(sign + 4);
  const bool is_number = text.find_first_not_of("0123456789.+-e") == std::string::npos;
  return is_number ? latex_number(text) : latex(text);
}

std::string latex_entry(const Entry& entry, Footnotes& notes) {
  std::string text = latex_value(entry.text);
  if (entry.best) text = "\\textbf{" + text + "}$^{\\star}$";
  if (!entry.why.empty()) text += fmt::format("$^{{{}}}$", notes.number(entry.why));
  if (!entry.remark.empty()) text += " {\\scriptsize(" + latex(entry.remark) + ")}";
  return text;
}

/// Headings over neighbours, with rules below them; nothing if no column has a group.
std::string latex_groups(const Table& table) {
  std::string heads, rules;
  for (size_t c = 0; c < table.columns.size();) {
    const std::string& group = table.columns[c].group;
    size_t end = c + 1;
    while (!group.empty() && end < table.columns.size() && table.columns[end].group == group) ++end;
    if (group.empty()) {
      heads += " &";
    } else {
      heads += fmt::format(" & \\multicolumn{{{}}}{{c}}{{{}}}", end - c, latex(group));
      rules += fmt::format(" \\cmidrule(lr){{{}-{}}}", c + 2, end + 1);
    }
    c = end;
  }
  return rules.empty() ? "" : heads + " \\\\\n " + rules + "\n";
}

std::string latex_table(const Table& table) {
  Footnotes notes;
  std::string alignment = "l";
  for (const Column& column : table.columns) alignment += column.words ? 'l' : 'r';
  std::string text =
      fmt::format("% {}\n\\begin{{tabular}}{{{}}}\n  \\toprule\n", latex(table.title), alignment);
  const std::string groups = latex_groups(table);
  if (!groups.empty()) text += " " + groups;
  text += "  " + latex(table.corner);
  for (const Column& column : table.columns)
    text += " & " + latex(groups.empty() || column.group.empty() ? column.name : column.within);
  text += " \\\\\n  \\midrule\n";
  for (const Row& row : table.rows) {
    text += "  " + latex(row.name);
    std::string intervals;
    bool any = false;
    for (const Entry& entry : row.entries) {
      text += " & " + latex_entry(entry, notes);
      any = any || !entry.interval.empty();
      intervals += entry.interval.empty() ? " &" : " & {\\scriptsize " + latex_number(entry.interval) + "}";
    }
    text += " \\\\\n";
    if (any) text += " " + intervals + " \\\\\n";
  }
  text += "  \\bottomrule\n\\end{tabular}\n";
  if (!table.caption.empty()) text += "\\par\\smallskip{\\footnotesize " + latex(table.caption) + "\\par}\n";
  for (const std::string& note : notes.texts())
    text += fmt::format("{{\\footnotesize $^{{{}}}$ {}\\par}}\n", notes.number(note), latex(note));
  return text;
}

}  // namespace

std::string markdown_tables(const Results& results) {
  const ResultsView view(results);
  std::string text = fmt::format("# {}\n\n", markdown(view.outline.title));
  if (!view.results.convention.empty()) text += markdown(view.results.convention) + "\n\n";
  for (const Table& table : all_tables(view)) text += markdown_table(table);
  text.pop_back();
  return text;
}

std::string latex_tables(const Results& results) {
  const ResultsView view(results);
  std::string text = fmt::format("% {}\n% {}\n% Needs \\usepackage{{booktabs}}.\n", latex(view.outline.title),
                                 latex(view.results.convention));
  for (const Table& table : all_tables(view)) text += "\n" + latex_table(table);
  return text;
}

}  // namespace concord::report
