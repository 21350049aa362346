// SPDX-License-Identifier: MIT
#pragma once
// The tables of a view, before they become Markdown, LaTeX or HTML. They hold only what another run of the
// same comparison reproduces: no times, no dates.
#include <string>
#include <vector>

#include "report/view.hpp"

namespace concord::report {

struct Entry {
  std::string text;      ///< "0.351", "failed", "–"
  std::string interval;  ///< "[0.335, 0.367]", or empty
  std::string remark;    ///< the reference's value or a verdict in a word, or empty
  std::string why;       ///< of a failure; becomes a footnote
  bool best = false;
};

struct Column {
  std::string name;
  std::string group = {};   ///< neighbours with the same one share a heading; or empty
  std::string within = {};  ///< the name under that heading
  bool words = false;       ///< instead of numbers
};

struct Row {
  std::string name;
  std::vector<Entry> entries;
};

struct Table {
  std::string title;
  std::string caption;  ///< how to read it
  std::string corner;   ///< what the rows are
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// Numbers the footnotes of a table: equal texts have equal numbers, from 1.
class Footnotes {
 public:
  size_t number(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

/// What the intervals are where there are several trainings.
inline constexpr const char* kOverTrainings =
    "95 % intervals over trainings (Student's t, corrected for the overlap of the splits)";

/// The metric, datasets by methods, as in the paper.
Table metric_table(const ResultsView& view);
/// Paired differences to the baseline, datasets by methods.
Table difference_table(const ResultsView& view);
/// Every cell whose training measured whether the prior helps.
Table prior_table(const ResultsView& view);
/// The same as datasets by methods.
Table help_table(const ResultsView& view);
Table dataset_table(const ResultsView& view);
/// Solvers on one set of problems.
Table solver_table(const ResultsView& view, const std::string& problem_set);

/// Those for Markdown and LaTeX that are not empty.
std::vector<Table> all_tables(const ResultsView& view);

}  // namespace concord::report
