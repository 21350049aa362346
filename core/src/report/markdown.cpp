// SPDX-License-Identifier: MIT
#include "report/report.hpp"
#include "report/tables.hpp"
#include "report/text.hpp"

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

}  // namespace

std::string markdown_tables(const Results& results) {
  const ResultsView view(results);
  std::string text = fmt::format("# {}\n\n", markdown(view.outline.title));
  if (!view.results.convention.empty()) text += markdown(view.results.convention) + "\n\n";
  for (const Table& table : all_tables(view)) text += markdown_table(table);
  text.pop_back();
  return text;
}

}  // namespace concord::report
