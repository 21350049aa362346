// SPDX-License-Identifier: MIT
#pragma once
// From files to a Dataset and back. Every refusal is Fault::input and says FILE:LINE:COLUMN, quotes what is wrong and says
// what would be right. Numbers are written so that reading them gives the same bits.
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

class TextLines;

enum class DataFormat { detect, arff, libsvm };
/// "arff", "libsvm", "detect"; Fault::input with the choices.
DataFormat parse_data_format(const std::string& text);

struct DataSource {
  std::filesystem::path file;
  std::filesystem::path labels;  ///< Mulan's XML of an ARFF file; empty: found beside it
  DataFormat format = DataFormat::detect;
};

/// What a file must agree with: the dataset (or model) that it is to be used with.
struct ExpectedColumns {
  int64_t features = 0;
  std::vector<std::string> feature_names;  ///< may be empty: then only the number counts
  std::vector<std::string> label_names;
};

/// `expected` (a training set, a model): other attributes or labels are refused by name; LIBSVM files take
/// their d and V from it.
Dataset read_dataset(const DataSource& source, const ExpectedColumns* expected = nullptr);

ExpectedColumns columns_of(const Dataset& dataset);

/// Reads instance by instance, so that a long input needs little memory. The header is read by the constructor.
/// `name` stands for the file in messages ("standard input").
class InstanceReader {
 public:
  virtual ~InstanceReader() = default;
  /// The next `count` instances or as many as are left (none: the end). An instance without label columns
  /// (an ARFF file without the label attributes, a LIBSVM line with empty labels) has all labels at -1. A label that an
  /// ARFF file has as '?' is 0.
  virtual Dataset read(int64_t count) = 0;
};
std::unique_ptr<InstanceReader> instance_reader(std::istream& in, const std::string& name, DataFormat format,
                                                const ExpectedColumns& expected);

/// Of the format LIBSVM. d and V are those of `expected`, else the largest that occur. `lines` must outlive the reader.
std::unique_ptr<InstanceReader> libsvm_reader(TextLines& lines, const ExpectedColumns* expected);

/// Sparse rows if X is sparse; labels are the last attributes. Features without names are x1, ..., xd.
std::string arff_text(const Dataset& dataset);
/// Mulan's XML for these labels.
std::string label_xml_text(const std::vector<std::string>& label_names);
/// Zeros are left out, except one that keeps d, and one that keeps an instance without labels and features visible.
/// Names are lost, and so are labels at the end that no instance has.
std::string libsvm_text(const Dataset& dataset);

/// Each file is whole or not there.
void write_arff(const Dataset& dataset, const std::filesystem::path& arff, const std::filesystem::path& xml);
void write_libsvm(const Dataset& dataset, const std::filesystem::path& file);

}  // namespace concord
