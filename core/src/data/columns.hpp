// SPDX-License-Identifier: MIT
#pragma once
// Columns of a table as features and labels, for every format whose columns have names: which columns are labels, one-hot
// columns of text, missing values, and in what the columns of two files differ.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files.hpp"

namespace concord {

/// A column of a file is one of
///   number   one feature
///   one_hot  text: a feature NAME=VALUE for each value, 1 where it holds
///   label    0 or 1
///   ignored  nothing
struct DataColumn {
  enum class Kind { number, one_hot, label, ignored };
  Kind kind = Kind::number;
  int64_t first = 0;            ///< its (first) feature, or its place among the labels
  std::vector<double> numbers;  ///< of the nominal values of a number
  std::vector<std::pair<std::string, size_t>> by_value;  ///< sorted: value, its place

  /// The place of a value, or by_value.size().
  size_t find(std::string_view value) const;
  /// A sparse row of an ARFF file that omits the attribute means 0, which is the *first* value of a nominal one: true if
  /// that is something else than a zero in one column.
  bool speaks_when_omitted() const;
  /// How many features the column makes.
  int64_t width() const { return kind == Kind::one_hot ? static_cast<int64_t>(by_value.size()) : 1; }
  /// Adds a missing value to the row: each of its features is NaN.
  void add_missing(DatasetBuilder& builder) const;
};

/// Whether the labels of a source are in a file of their own: .xml, .npy or .npz. Else they are names of columns.
bool is_label_file(const std::filesystem::path& labels);

/// The columns that a user means by "a,b,c": names, patterns such as tag_*, and first:N or last:N. In the order of the
/// file, each once. Fault::input at `place` for a name or pattern without a column.
std::vector<size_t> chosen_columns(const std::string& choice, const std::vector<std::string>& names,
                                   const std::string& place);

/// Whether one of the names and patterns of a choice fits; first:N and last:N fit no name.
bool is_chosen(const std::string& choice, std::string_view name);

/// A cell of a table that says nothing: empty, ?, NA, N/A, NaN, nan, null, NULL or None.
bool is_missing(std::string_view cell);

/// In the place of what a missing value is taken.
struct TakesMissing {
  bool label = false, feature = false;
};

/// Why a missing value is refused.
constexpr const char* kLabelMissing = "labels of these data are 0 or 1";
constexpr const char* kFeatureMissing =
    "the model was trained without missing values; preprocess.missing says in its config how to fill them";

/// "the model has", "the training data have".
std::string owner_has(const std::string& owner);

/// In what two lists of names differ, sizes first: "the model has 6 labels, the data 10; not in the model: ..."; empty if
/// the lists are equal. `what` is "label" or "feature".
std::string difference_of(const char* what, const std::vector<std::string>& there,
                          const std::vector<std::string>& expected, const std::string& owner);

}  // namespace concord
