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

enum class DataFormat { detect, arff, libsvm, csv, numpy, xc };
/// "arff", "libsvm", "csv", "numpy", "xc", "detect"; Fault::input with the choices.
DataFormat parse_data_format(const std::string& text);

constexpr DataFormat kDataFormats[] = {DataFormat::detect, DataFormat::arff,  DataFormat::libsvm,
                                       DataFormat::csv,    DataFormat::numpy, DataFormat::xc};
/// As the config and the command line write it.
const char* name_of(DataFormat format);

struct DataSource {
  std::filesystem::path file;
  /// Where the labels are: Mulan's XML of an ARFF file, the labels of a NumPy file, or the names of columns ("a,b", "tag_*",
  /// "last:5"). Empty: found beside the file, or in it.
  std::filesystem::path labels;
  DataFormat format = DataFormat::detect;
  std::string ignore = {};  ///< columns of a CSV file that are left out, chosen as labels are
};

/// What a file must agree with: the dataset (or model) that it is to be used with.
struct ExpectedColumns {
  int64_t features = 0;
  std::vector<std::string> feature_names;  ///< may be empty: then only the number counts
  std::vector<std::string> label_names;
  std::string owner = "the training data";  ///< whose columns these are, for messages
  bool takes_missing = false;               ///< whether a feature may be missing
  std::string ignore = {};                  ///< columns of a CSV file that may be there, and are left out
};

/// A feature that is missing is NaN. `expected` (a training set, a model): other attributes or labels are refused by name;
/// LIBSVM files take their d and V from it.
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

// One for each format. `lines` must outlive the reader; `expected` may be null.
/// d and V are those of `expected`, else the largest that occur.
std::unique_ptr<InstanceReader> libsvm_reader(TextLines& lines, const ExpectedColumns* expected);
/// Text of the Extreme Classification repository: a line "N d V", then lines as LIBSVM's with features counted from 0.
std::unique_ptr<InstanceReader> xc_reader(TextLines& lines, const ExpectedColumns* expected);
/// Of a table whose columns are those of `expected`. Labels may be absent altogether, or missing, if `is_new`.
std::unique_ptr<InstanceReader> csv_reader(TextLines& lines, const ExpectedColumns& expected, bool is_new);
/// Of a whole table. Its rows are read twice or three times: what a column is follows from all of its cells.
Dataset read_csv(std::istream& in, const std::string& name, const DataSource& source);
/// The array X, or X and Y, in `bytes` (.npy, .npz), and Y in `label_bytes` unless that is empty. Labels may be absent if
/// `is_new`: they are then -1.
Dataset read_numpy(std::string_view bytes, const std::string& name, std::string_view label_bytes,
                   const std::string& label_name, const ExpectedColumns* expected, bool is_new);

/// Sparse rows if X is sparse; labels are the last attributes. Features without names are x1, ..., xd.
std::string arff_text(const Dataset& dataset);
/// Mulan's XML for these labels.
std::string label_xml_text(const std::vector<std::string>& label_names);
/// Zeros are left out, except one that keeps d, and one that keeps an instance without labels and features visible.
/// Names are lost, and so are labels at the end that no instance has.
std::string libsvm_text(const Dataset& dataset);

std::string xc_text(const Dataset& dataset);
/// A line of names, features first; a missing value is an empty cell.
std::string csv_text(const Dataset& dataset, char delimiter);
/// The matrix as scipy.sparse.save_npz writes it, or as numpy.save does.
std::string numpy_text(const Features& matrix);
/// Labels as 0 and 1, sparse or dense.
Features label_features(const Dataset& dataset, bool sparse);

void write_arff(const Dataset& dataset, const std::filesystem::path& arff, const std::filesystem::path& xml);
/// Writes the files of a dataset in this format, each whole or not there, and returns their names: of ARFF the XML of the same
/// stem too, of NumPy (.npy: dense, .npz: sparse) STEM-labels too.
std::vector<std::filesystem::path> write_dataset(const Dataset& dataset, DataFormat format,
                                                 const std::filesystem::path& file);

}  // namespace concord
