// SPDX-License-Identifier: MIT
#include "data/known.hpp"

#include <algorithm>
namespace concord {
KnownReader::KnownReader(std::istream& in, const std::string& name,
                         const std::vector<std::string>& label_names, const char* owner, const char* what)
    : lines_(in, name), label_names_(label_names), what_(what) {
  if (!lines_.next()) lines_.fail_at_end("the file is empty: its first line names labels");
  for (const CsvCell& cell : cells_.split(lines_)) {
    const auto label = std::find(label_names.begin(), label_names.end(), cell.text);
    if (label == label_names.end())
      lines_.fail(cell.place, "{} no label {}{}", owner, quote(cell.text),
                  did_you_mean(cell.text, label_names));
    const int64_t v = label - label_names.begin();
    if (std::find(label_of_column_.begin(), label_of_column_.end(), v) != label_of_column_.end())
      lines_.fail(cell.place, "the label {} has a column already", quote(cell.text));
    label_of_column_.push_back(v);
  }
}

LabelMatrix KnownReader::read(int64_t count) {
  LabelMatrix known = LabelMatrix::Zero(static_cast<int64_t>(label_names_.size()), count);
  for (int64_t i = 0; i < count; ++i) {
    if (!lines_.next())
      lines_.fail_at_end("there are {} of {} instances, and the data have more", what_, rows_);
    ++rows_;
    const std::vector<CsvCell>& cells = cells_.split(lines_);
    if (cells.size() != label_of_column_.size())
      lines_.fail(lines_.line(), "the line has {} cells, and the first line names {} labels", cells.size(),
                  label_of_column_.size());
    for (size_t j = 0; j < cells.size(); ++j) {
      const int64_t v = label_of_column_[j];
      const std::string_view text = cells[j].text;
      if (text != "?" && text != "0" && text != "1")
        lines_.fail(cells[j].place, "the label {} is {}; it is 1, 0, or ? for unknown",
                    quote(label_names_[static_cast<size_t>(v)]), quote(text));
      if (text != "?") known(v, i) = text == "1" ? 1 : -1;
    }
  }
  return known;
}

void KnownReader::require_end() {
  while (lines_.next())
    if (!without_blanks(lines_.line()).empty())
      lines_.fail(lines_.line(), "there are {} of more than {} instances, and the data have {}", what_, rows_,
                  rows_);
}

std::string KnownReader::place() const {
  return fmt::format("{}:{}", lines_.name(), lines_.number());
}

}  // namespace concord
