// SPDX-License-Identifier: MIT
// Lines "l1,l2 index:value ..." with a line for each instance, in two dialects. Labels are counted from 0, and a line that
// begins with a blank has none.
//   LIBSVM  features are counted from 1, as in the files of the LIBSVM site; what follows a # is a comment; empty lines are
//           skipped
//   XC      features are counted from 0; the first line has N, d and V; an empty line is an instance
#include <algorithm>

#include "base/text.hpp"
#include "base/text_lines.hpp"
#include "data/columns.hpp"

namespace concord {
namespace {

/// The text does not bound them, but memory does: V x N labels, and d x V weights later.
constexpr int64_t kMaxLibsvmLabels = 65536;
constexpr int64_t kMaxLibsvmFeatures = 100'000'000;

class SparseLineReader : public InstanceReader {
 public:
  /// d and V are those of `expected`, else the largest that occur. `lines` must outlive this.
  SparseLineReader(TextLines& lines, const ExpectedColumns* expected);

  Dataset read(int64_t count) override;
  /// The first line, "N d V", makes it a reader of XC.
  void read_xc_header(const ExpectedColumns* expected);

 private:
  void read_labels(std::string_view list);
  void read_feature(std::string_view pair, int64_t& last);

  TextLines& lines_;
  bool fixed_;              // d and V are given
  int64_t base_ = 1;        // features are counted from
  int64_t announced_ = -1;  // instances, by the first line of XC
  int64_t d_ = 0, V_ = 0;
  std::vector<std::string> feature_names_, label_names_;
  std::vector<int64_t> label_seen_in_;  // the row in which a label was last seen, from 1
  int64_t row_ = 0;
  DatasetBuilder builder_{true};
};

/// An integer from `low`, the whole token; -1 if it is none or too large.
int64_t parse_index(std::string_view token, int64_t low) {
  const auto value = number_in<int64_t>(token);
  return value && *value >= low ? *value : -1;
}

SparseLineReader::SparseLineReader(TextLines& lines, const ExpectedColumns* expected)
    : lines_(lines), fixed_(expected != nullptr) {
  if (!fixed_) return;
  d_ = expected->features;
  feature_names_ = expected->feature_names;
  label_names_ = expected->label_names;
  V_ = static_cast<int64_t>(label_names_.size());
}

void SparseLineReader::read_labels(std::string_view list) {
  if (const size_t colon = list.find(':'); colon != std::string_view::npos)
    lines_.fail(
        list,
        "{} is not a list of labels such as 0,3: the line of an instance without labels begins with a blank",
        quote(list));
  while (true) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view token = list.substr(0, comma);
    const int64_t v = parse_index(token, 0);
    const int64_t end = fixed_ ? V_ : kMaxLibsvmLabels;
    if (v < 0) lines_.fail(token, "{} is not a label: labels are integers, counted from 0", quote(token));
    if (v >= end)
      lines_.fail(token, "label {} is out of range: there {} {} labels, counted from 0", quote(token),
                  fixed_ ? "are" : "may be at most", end);
    if (v >= static_cast<int64_t>(label_seen_in_.size()))
      label_seen_in_.resize(static_cast<size_t>(v) + 1, 0);
    int64_t& seen = label_seen_in_[static_cast<size_t>(v)];
    if (seen == row_) lines_.fail(token, "label {} is there twice", quote(token));
    seen = row_;
    builder_.label(v);
    if (!fixed_) V_ = std::max(V_, v + 1);
    if (comma == list.size()) return;
    list.remove_prefix(comma + 1);
  }
}

void SparseLineReader::read_feature(std::string_view pair, int64_t& last) {
  const size_t colon = pair.find(':');
  if (colon == std::string_view::npos) lines_.fail(pair, "{} is not of the form index:value", quote(pair));
  const std::string_view index = pair.substr(0, colon);
  const int64_t j = parse_index(index, base_);
  const int64_t end = fixed_ ? d_ : kMaxLibsvmFeatures;
  if (j < 0)
    lines_.fail(index, "{} is not the index of a feature: an integer, counted from {}", quote(index), base_);
  if (j >= end + base_)
    lines_.fail(index, "index {} is out of range: there {} {} features, counted from {}", quote(index),
                fixed_ ? "are" : "may be at most", end, base_);
  if (j == last) lines_.fail(index, "index {} is there twice", quote(index));
  if (j < last) lines_.fail(index, "index {} does not increase: give them in order", quote(index));
  last = j;
  if (!fixed_) d_ = std::max(d_, j);  // of LIBSVM, whose indices begin at 1

  const std::string_view text = pair.substr(colon + 1);
  double value = 0;
  const Numeral verdict = read_decimal(text, value);
  if (verdict == Numeral::none) lines_.fail(text, "{} is not a number (feature {})", quote(text), j);
  if (verdict == Numeral::out_of_range)
    lines_.fail(text, "{} is not a finite number in the range of a double (feature {})", quote(text), j);
  builder_.feature(j - base_, value);
}

Dataset SparseLineReader::read(int64_t count) {
  while (builder_.rows() < count && lines_.next()) {
    std::string_view line = lines_.line();
    if (announced_ < 0) {
      line = line.substr(0, line.find('#'));
      // " " is an instance without labels and features; " # comment" is a comment.
      if (line.empty() || (line.size() < lines_.line().size() && without_blanks(line).empty())) continue;
    } else if (row_ == announced_) {
      if (line.empty()) continue;
      lines_.fail(line, "the first line announces {} instances, and here is another", announced_);
    }
    ++row_;
    int64_t last = base_ - 1;
    bool labels_come = !line.empty() && !is_blank(line[0]);
    for (std::string_view rest = without_blanks(line); !rest.empty();) {
      const size_t size = std::min(rest.find_first_of(" \t"), rest.size());
      const std::string_view word = rest.substr(0, size);
      if (labels_come)
        read_labels(word);
      else
        read_feature(word, last);
      labels_come = false;
      rest = without_blanks(rest.substr(size));
    }
    builder_.end_row();
  }
  if (announced_ > row_ && builder_.rows() < count)
    lines_.fail_at_end("the first line announces {} instances, and there are {}", announced_, row_);
  Dataset dataset;
  dataset.feature_names = feature_names_;
  dataset.label_names = label_names_;
  if (label_names_.empty())
    for (int64_t v = 0; v < V_; ++v) dataset.label_names.push_back(std::to_string(v));
  builder_.finish(d_, V_, dataset);
  return dataset;
}

void SparseLineReader::read_xc_header(const ExpectedColumns* expected) {
  int64_t sizes[3] = {-1, -1, -1};
  size_t found = 0;
  if (!lines_.next()) lines_.fail_at_end("the file is empty: its first line has N, d and V");
  for (std::string_view rest = without_blanks(lines_.line()); !rest.empty(); ++found) {
    const size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    if (found < 3) sizes[found] = parse_index(rest.substr(0, size), 0);
    rest = without_blanks(rest.substr(size));
  }
  if (found != 3 || std::min({sizes[0], sizes[1], sizes[2]}) < 0)
    lines_.fail(lines_.line(), "{} is not 'N d V': the numbers of instances, features and labels",
                quote(lines_.line()));
  if (sizes[1] > kMaxLibsvmFeatures || sizes[2] > kMaxLibsvmLabels)
    lines_.fail(lines_.line(), "{} features and {} labels: there may be at most {} and {}", sizes[1],
                sizes[2], kMaxLibsvmFeatures, kMaxLibsvmLabels);
  if (expected != nullptr && (sizes[2] != V_ || sizes[1] != d_))
    lines_.fail(lines_.line(), "{} {} labels and {} features, the file {} and {}", owner_has(expected->owner),
                V_, d_, sizes[2], sizes[1]);
  fixed_ = true;
  base_ = 0;
  announced_ = sizes[0];
  d_ = sizes[1];
  V_ = sizes[2];
}

}  // namespace

std::unique_ptr<InstanceReader> xc_reader(TextLines& lines, const ExpectedColumns* expected) {
  auto reader = std::make_unique<SparseLineReader>(lines, expected);
  reader->read_xc_header(expected);
  return reader;
}

std::unique_ptr<InstanceReader> libsvm_reader(TextLines& lines, const ExpectedColumns* expected) {
  return std::make_unique<SparseLineReader>(lines, expected);
}

}  // namespace concord
