// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/text.hpp"
#include "data/arff.hpp"
#include "data/files.hpp"

namespace concord {
namespace {

DataFormat detect(TextLines& lines) {
  const char first = lines.first_character();
  if (first == '@' || first == '%') return DataFormat::arff;
  if ((first >= '0' && first <= '9') || first == '#' || first == '-' || first == '+')
    return DataFormat::libsvm;
  if (first == '\0') fail(Fault::input, "{}:1:1: the file is empty", lines.name());
  fail(Fault::input,
       "{}:1:1: the format is unknown: an ARFF file begins with '@relation' or a comment '%', a LIBSVM file "
       "with labels "
       "such as '0,3', and this one with {}",
       lines.name(), quote({&first, 1}));
}

std::vector<LabelName> names_expected(const ExpectedColumns& expected, const std::string& file) {
  std::vector<LabelName> labels;
  for (const std::string& name : expected.label_names) labels.push_back({name, file});
  return labels;
}

/// Where two lists differ: the first place, and how many places in all.
struct Difference {
  size_t first = 0, count = 0;
};
Difference difference(const std::vector<std::string>& there, const std::vector<std::string>& expected) {
  Difference d;
  for (size_t j = std::max(there.size(), expected.size()); j-- > 0;)
    if (j >= there.size() || j >= expected.size() || there[j] != expected[j]) d = {j, d.count + 1};
  return d;
}

std::string name_at(const std::vector<std::string>& names, size_t j) {
  return j < names.size() ? quote(names[j]) : "none";
}

void require_features(const ArffColumns& columns, const ArffHeader& header, const TextLines& lines,
                      const ExpectedColumns& expected) {
  const auto d = static_cast<int64_t>(columns.feature_names.size());
  if (expected.feature_names.empty()) {
    if (d != expected.features)
      fail(Fault::input, "{}:{}:1: there are {} features, and {} are expected", lines.name(), lines.number(),
           d, expected.features);
    return;
  }
  const Difference other = difference(columns.feature_names, expected.feature_names);
  if (other.count == 0) return;
  int64_t line = lines.number(), column = 1;
  if (other.first < columns.feature_names.size()) {
    const auto& attribute = header.attributes[static_cast<size_t>(columns.attribute_of_feature[other.first])];
    line = attribute.line;
    column = attribute.column;
  }
  fail(Fault::input,
       "{}:{}:{}: feature {} is {}, expected {} ({} features, expected {}; {} differ): the attributes must "
       "be those of "
       "the data that it is used with",
       lines.name(), line, column, other.first + 1, name_at(columns.feature_names, other.first),
       name_at(expected.feature_names, other.first), d, expected.feature_names.size(), other.count);
}

void require_labels(const std::vector<LabelName>& labels, const ExpectedColumns& expected) {
  std::vector<std::string> names;
  for (const LabelName& label : labels) names.push_back(label.name);
  const Difference other = difference(names, expected.label_names);
  if (other.count == 0) return;
  fail(Fault::input, About{labels[std::min(other.first, labels.size() - 1)].place},
       "label {} is {}, expected {} ({} labels, expected {}; {} differ): the labels must be those of the "
       "data that it "
       "is used with",
       other.first + 1, name_at(names, other.first), name_at(expected.label_names, other.first), names.size(),
       expected.label_names.size(), other.count);
}

std::unique_ptr<InstanceReader> arff_reader(TextLines& lines, const std::vector<LabelName>& labels,
                                            Absent absent, const ExpectedColumns* expected) {
  ArffHeader header = read_arff_header(lines);
  ArffColumns columns = arff_columns(header, lines.name(), labels, absent);
  if (expected != nullptr) require_features(columns, header, lines, *expected);
  return std::make_unique<ArffReader>(lines, std::move(header), std::move(columns),
                                      absent == Absent::allowed);
}

/// Owns the lines that the reader of a format walks over.
class StreamReader : public InstanceReader {
 public:
  StreamReader(std::istream& in, const std::string& name, DataFormat format, const ExpectedColumns& expected)
      : lines_(in, name) {
    if (format == DataFormat::detect) format = detect(lines_);
    if (format == DataFormat::libsvm)
      reader_ = libsvm_reader(lines_, &expected);
    else
      reader_ = arff_reader(lines_, names_expected(expected, name), Absent::allowed, &expected);
  }
  Dataset read(int64_t count) override { return reader_->read(count); }

 private:
  TextLines lines_;
  std::unique_ptr<InstanceReader> reader_;
};

std::ifstream open_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const int error = errno;
    fail(Fault::io, About{file.string(), file.string()}, "{}", std::strerror(error));
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    fail(Fault::io, About{file.string(), file.string()}, "is a directory");
  return in;
}

/// The labels of an ARFF file: its XML's, or those that are expected where no XML is named.
std::vector<LabelName> labels_of(const DataSource& source, const ExpectedColumns* expected) {
  if (source.labels.empty() && expected != nullptr) return names_expected(*expected, source.file.string());
  std::vector<LabelName> labels =
      read_label_xml(source.labels.empty() ? find_label_xml(source.file) : source.labels);
  if (expected != nullptr) require_labels(labels, *expected);
  return labels;
}

}  // namespace

DataFormat parse_data_format(const std::string& text) {
  if (text == "detect") return DataFormat::detect;
  if (text == "arff") return DataFormat::arff;
  if (text == "libsvm") return DataFormat::libsvm;
  fail(Fault::input, "there is no data format '{}'{} (formats: arff, libsvm, detect)", text,
       did_you_mean(text, {"arff", "libsvm", "detect"}));
}

Dataset read_dataset(const DataSource& source, const ExpectedColumns* expected) {
  std::ifstream in = open_text(source.file);
  TextLines lines(in, source.file.string());
  const DataFormat format = source.format == DataFormat::detect ? detect(lines) : source.format;
  std::unique_ptr<InstanceReader> reader;
  if (format == DataFormat::libsvm) {
    if (!source.labels.empty())
      fail(Fault::input, About{source.file.string()},
           "a LIBSVM file has its labels in its lines; leave out {}", source.labels.string());
    reader = libsvm_reader(lines, expected);
  } else {
    reader = arff_reader(lines, labels_of(source, expected), Absent::refused, expected);
  }
  Dataset dataset = reader->read(std::numeric_limits<int64_t>::max());
  if (dataset.instances() == 0) lines.fail_at_end("the file has no instances");
  if (dataset.features() == 0) lines.fail_at_end("the file has no features");
  if (dataset.labels() == 0) lines.fail_at_end("the file has no labels");
  if (dataset.name.empty()) dataset.name = source.file.stem().string();
  return dataset;
}

ExpectedColumns columns_of(const Dataset& dataset) {
  return {dataset.features(), dataset.feature_names, dataset.label_names};
}

std::unique_ptr<InstanceReader> instance_reader(std::istream& in, const std::string& name, DataFormat format,
                                                const ExpectedColumns& expected) {
  return std::make_unique<StreamReader>(in, name, format, expected);
}

}  // namespace concord
