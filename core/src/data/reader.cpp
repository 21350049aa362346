// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "data/arff.hpp"
#include "data/files.hpp"

namespace concord {
namespace {

/// Three integers and nothing else, as in the first line of XC text.
bool is_xc_header(std::string_view line) {
  size_t numbers = 0;
  for (line = without_blanks(line); !line.empty(); ++numbers) {
    const size_t size = std::min(line.find_first_of(" \t\r"), line.size());
    if (!number_in<int64_t>(line.substr(0, size))) return false;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r", size), line.size()));
  }
  return numbers == 3;
}

DataFormat detect(TextLines& lines, const std::filesystem::path& file) {
  const char first = lines.first_character();
  const std::string extension = file.extension().string();
  if (first == '\0') fail(Fault::input, "{}:1:1: the file is empty", lines.name());
  if (first == '@' || first == '%') return DataFormat::arff;
  if (extension == ".csv" || extension == ".tsv") return DataFormat::csv;
  if ((first >= '0' && first <= '9') || first == '#' || first == '-' || first == '+')
    return is_xc_header(lines.first_line()) ? DataFormat::xc : DataFormat::libsvm;
  if (lines.first_line().find_first_of(",;\t") != std::string_view::npos) return DataFormat::csv;
  fail(
      Fault::input,
      "{}:1:1: the format is unknown: an ARFF file begins with '@relation' or a comment '%', a LIBSVM file "
      "with labels such as '0,3', a CSV file with a line of names, XC text with 'N d V', and this one with {}",
      lines.name(), quote({&first, 1}));
}

std::vector<LabelName> names_expected(const ExpectedColumns& expected, const std::string& file) {
  std::vector<LabelName> labels;
  for (const std::string& name : expected.label_names) labels.push_back({name, file});
  return labels;
}

void require_features(const ArffColumns& columns, const ArffHeader& header, const TextLines& lines,
                      const ExpectedColumns& expected) {
  const std::vector<std::string>& there = columns.feature_names;
  if (expected.feature_names.empty()) {
    if (static_cast<int64_t>(there.size()) != expected.features)
      fail(Fault::input, "{}:{}:1: {} {} features, the file {}", lines.name(), lines.number(),
           owner_has(expected.owner), expected.features, there.size());
    return;
  }
  const std::string other = difference_of("feature", there, expected.feature_names, expected.owner);
  if (other.empty()) return;
  const auto first = static_cast<size_t>(
      std::mismatch(there.begin(), there.end(), expected.feature_names.begin(), expected.feature_names.end())
          .first -
      there.begin());
  int64_t line = lines.number(), column = 1;
  if (first < there.size()) {
    const auto& attribute = header.attributes[static_cast<size_t>(columns.attribute_of_feature[first])];
    line = attribute.line;
    column = attribute.column;
  }
  throw Error(Fault::input, other, {fmt::format("{}:{}:{}", lines.name(), line, column)});
}

void require_labels(const std::vector<LabelName>& labels, const ExpectedColumns& expected) {
  std::vector<std::string> names;
  for (const LabelName& label : labels) names.push_back(label.name);
  const std::string other = difference_of("label", names, expected.label_names, expected.owner);
  if (!other.empty()) throw Error(Fault::input, other, {labels.front().place});
}

/// The labels that an ARFF file says it has: those of the XML beside it, or of MEKA's -C. None if it says nothing.
std::vector<LabelName> declared_labels(const std::filesystem::path& file, const ArffHeader& header,
                                       const std::string& name) {
  std::optional<Error> no_xml;
  try {
    if (!file.empty()) return read_label_xml(find_label_xml(file));
  } catch (const Error& error) {
    no_xml = error;
  }
  std::vector<LabelName> labels = meka_labels(header, name);
  if (labels.empty() && no_xml) throw *no_xml;
  return labels;
}

std::vector<LabelName> labels_of(const DataSource& source, const ArffHeader& header, const std::string& name,
                                 const ExpectedColumns* expected) {
  if (source.labels.empty())
    return expected != nullptr ? names_expected(*expected, name) : declared_labels(source.file, header, name);
  std::vector<LabelName> labels;
  if (is_label_file(source.labels)) {
    labels = read_label_xml(source.labels);
  } else {
    std::vector<std::string> names;
    for (const ArffAttribute& attribute : header.attributes) names.push_back(attribute.name);
    for (const size_t a : chosen_columns(source.labels.string(), names, name))
      labels.push_back(
          {names[a], fmt::format("{}:{}:{}", name, header.attributes[a].line, header.attributes[a].column)});
  }
  if (expected != nullptr) require_labels(labels, *expected);
  return labels;
}

/// `is_new`: of instances to predict, whose labels may be absent or unknown.
std::unique_ptr<InstanceReader> arff_reader(TextLines& lines, const DataSource& source,
                                            const ExpectedColumns* expected, bool is_new) {
  if (!source.ignore.empty())
    fail(Fault::input, About{source.file.string()}, "columns are ignored in CSV files only; leave out {}",
         source.ignore);
  ArffHeader header = read_arff_header(lines);
  const std::vector<LabelName> labels = labels_of(source, header, lines.name(), expected);
  const TakesMissing takes{is_new, expected == nullptr || expected->takes_missing};
  try {
    ArffColumns columns =
        arff_columns(header, lines.name(), labels, is_new ? Absent::allowed : Absent::refused);
    if (expected != nullptr) require_features(columns, header, lines, *expected);
    return std::make_unique<ArffReader>(lines, std::move(header), std::move(columns), takes);
  } catch (const Error&) {
    // Other labels make other features: where the file says which labels it has, that is named first.
    if (expected != nullptr && source.labels.empty()) {
      std::vector<LabelName> declared;
      try {
        declared = declared_labels(source.file, header, lines.name());
      } catch (const Error&) {
        declared.clear();
      }
      if (!declared.empty()) require_labels(declared, *expected);
    }
    throw;
  }
}

bool is_numpy(std::istream& in) {
  const int first = in.peek();
  if (first == 0x93) return true;
  if (first != 'P') return false;
  in.get();
  const int second = in.peek();
  in.unget();
  return second == 'K';
}

std::string rest_of(std::istream& in) {
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return std::move(bytes).str();
}

/// The labels of a NumPy file are named, or STEM-labels beside it. None: empty.
std::filesystem::path numpy_labels(const DataSource& source) {
  if (!source.labels.empty()) {
    if (!is_label_file(source.labels))
      fail(Fault::input, About{source.file.string()},
           "a NumPy file has no names: its labels are in a .npy or .npz file, not {}",
           quote(source.labels.string()));
    return source.labels;
  }
  for (const char* extension : {".npy", ".npz"}) {
    const auto beside = source.file.parent_path() / (source.file.stem().string() + "-labels" + extension);
    if (std::filesystem::exists(beside)) return beside;
  }
  return {};
}

/// Rows of a dataset that is there as a whole.
class WholeReader : public InstanceReader {
 public:
  explicit WholeReader(Dataset all) : all_(std::move(all)) {}
  Dataset read(int64_t count) override {
    std::vector<int64_t> rows;
    for (; static_cast<int64_t>(rows.size()) < count && next_ < all_.instances(); ++next_)
      rows.push_back(next_);
    return all_.select(rows);
  }

 private:
  Dataset all_;
  int64_t next_ = 0;
};

/// Owns the lines that the reader of a format walks over.
class StreamReader : public InstanceReader {
 public:
  StreamReader(std::istream& in, const std::string& name, DataFormat format, const ExpectedColumns& expected)
      : lines_(in, name) {
    if (format == DataFormat::numpy || (format == DataFormat::detect && is_numpy(in))) {
      reader_ = std::make_unique<WholeReader>(read_numpy(rest_of(in), name, {}, {}, &expected, true));
      return;
    }
    if (format == DataFormat::detect) format = detect(lines_, name);
    if (format == DataFormat::libsvm)
      reader_ = libsvm_reader(lines_, &expected);
    else if (format == DataFormat::xc)
      reader_ = xc_reader(lines_, &expected);
    else if (format == DataFormat::csv)
      reader_ = csv_reader(lines_, expected, true);
    else
      reader_ = arff_reader(lines_, {{}, {}, DataFormat::arff}, &expected, true);
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

Dataset read_text(std::ifstream& in, const DataSource& source, const ExpectedColumns* expected) {
  const std::string name = source.file.string();
  TextLines lines(in, name);
  const DataFormat format = source.format == DataFormat::detect ? detect(lines, source.file) : source.format;
  Dataset dataset;
  if (format == DataFormat::csv && expected == nullptr) {
    dataset = read_csv(in, name, source);
  } else {
    std::unique_ptr<InstanceReader> reader;
    if (format == DataFormat::libsvm || format == DataFormat::xc) {
      if (!source.labels.empty())
        fail(Fault::input, About{name}, "{} has its labels in its lines; leave out {}",
             format == DataFormat::xc ? "XC text" : "a LIBSVM file", source.labels.string());
      reader = format == DataFormat::xc ? xc_reader(lines, expected) : libsvm_reader(lines, expected);
    } else if (format == DataFormat::csv) {
      reader = csv_reader(lines, *expected, false);
    } else {
      reader = arff_reader(lines, source, expected, false);
    }
    dataset = reader->read(std::numeric_limits<int64_t>::max());
  }
  if (dataset.instances() == 0) lines.fail_at_end("the file has no instances");
  if (dataset.features() == 0) lines.fail_at_end("the file has no features");
  if (dataset.labels() == 0) lines.fail_at_end("the file has no labels");
  return dataset;
}

}  // namespace

const char* name_of(DataFormat format) {
  constexpr const char* names[] = {"detect", "arff", "libsvm", "csv", "numpy", "xc"};
  return names[static_cast<size_t>(format)];
}

DataFormat parse_data_format(const std::string& text) {
  std::vector<std::string> names;
  for (const DataFormat format : kDataFormats) {
    names.emplace_back(name_of(format));
    if (text == names.back()) return format;
  }
  fail(Fault::input, "there is no data format '{}'{} (formats: {})", text, did_you_mean(text, names),
       fmt::join(names, ", "));
}

Dataset read_dataset(const DataSource& source, const ExpectedColumns* expected) {
  std::ifstream in = open_text(source.file);
  Dataset dataset;
  if (source.format == DataFormat::numpy || (source.format == DataFormat::detect && is_numpy(in))) {
    const std::filesystem::path labels = numpy_labels(source);
    const std::string name = source.file.string();
    dataset = read_numpy(rest_of(in), name, labels.empty() ? "" : read_whole_file(labels), labels.string(),
                         expected, false);
    if (dataset.instances() == 0 || dataset.features() == 0 || dataset.labels() == 0)
      fail(Fault::input, About{name, name},
           "{} instances with {} features and {} labels: there is nothing in it", dataset.instances(),
           dataset.features(), dataset.labels());
  } else {
    dataset = read_text(in, source, expected);
  }
  if (dataset.name.empty()) dataset.name = source.file.stem().string();
  return dataset;
}

ExpectedColumns columns_of(const Dataset& dataset) {
  ExpectedColumns columns{dataset.features(), dataset.feature_names, dataset.label_names};
  columns.takes_missing = true;
  return columns;
}

std::unique_ptr<InstanceReader> instance_reader(std::istream& in, const std::string& name, DataFormat format,
                                                const ExpectedColumns& expected) {
  return std::make_unique<StreamReader>(in, name, format, expected);
}

}  // namespace concord
