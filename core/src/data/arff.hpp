// SPDX-License-Identifier: MIT
#pragma once
// ARFF as Mulan uses it: an XML file names the labels, the head declares attributes, each attribute becomes features or a
// label, and the rows are dense ("1,0,0.5") or sparse ("{0 1,2 0.5}").
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_lines.hpp"
#include "data/columns.hpp"
#include "data/dataset.hpp"
#include "data/files.hpp"

namespace concord {

struct LabelName {
  std::string name;
  std::string place;  ///< FILE:LINE:COLUMN of its element, for messages
};

/// <labels> with <label name="..."> elements, which may be nested: a hierarchy is flattened in the order of
/// the file. `name` stands for the file in messages. The bytes of a name are kept as they are.
std::vector<LabelName> parse_label_xml(std::string_view text, const std::string& name);
std::vector<LabelName> read_label_xml(const std::filesystem::path& file);

/// The XML file that belongs to an ARFF file: its stem with .xml (bibtex-train.xml), the stem without -train or
/// -test (bibtex.xml), else the only .xml of the folder. Fault::input says what was looked for.
std::filesystem::path find_label_xml(const std::filesystem::path& arff);

struct ArffAttribute {
  std::string name;
  std::vector<std::string> values;  ///< of a nominal attribute, in their order; none: it is numeric
  int64_t line = 0, column = 0;     ///< where its name is declared

  bool nominal() const { return !values.empty(); }
};

struct ArffHeader {
  std::string relation;  ///< empty if the file gives none
  std::vector<ArffAttribute> attributes;
};

/// Reads to the line of @data, which is then the current one.
ArffHeader read_arff_header(TextLines& lines);

/// The labels of MEKA, which has them in the name of the relation: "music: -C 6" means that the first 6 attributes are labels,
/// -C -6 the last 6. None if the name has no -C. Fault::input if there are not so many attributes.
std::vector<LabelName> meka_labels(const ArffHeader& header, const std::string& name);

/// Walks over one line. A word is quoted with ' or " (a backslash escapes), or goes on to the first of the
/// letters that end it: quotes and backslashes within it are then letters like any other (TAG_m\'usica).
/// A % where a word would begin starts a comment.
class ArffWords {
 public:
  explicit ArffWords(const TextLines& lines) : lines_(lines), rest_(lines.line()) {}

  /// Skips blanks; true if nothing is left but a comment.
  bool at_end();
  /// Skips blanks, and takes the letter if it is next.
  bool take(char letter);
  /// The text of the next word; valid until the next call. Skips blanks on both sides.
  std::string_view word(std::string_view ends);
  /// The last word as it is in the file; where it is, or would be, for messages; and whether it was quoted.
  std::string_view raw() const { return raw_; }
  std::string_view place() const { return raw_.empty() ? rest_ : raw_; }
  bool quoted() const { return !raw_.empty() && (raw_[0] == '\'' || raw_[0] == '"'); }
  /// What is left of the line.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view quoted_word(std::string_view ends);

  const TextLines& lines_;
  std::string_view rest_, raw_;
  std::string unescaped_;
};

/// A numeric attribute, or a nominal one all of whose values are numbers, is a number. Any other nominal attribute is one-hot.
/// A label is a nominal attribute {0,1} that is named as one.
struct ArffColumns {
  std::vector<DataColumn> of_attribute;
  std::vector<std::string> feature_names, label_names;
  std::vector<int64_t> attribute_of_feature;
};

enum class Absent { refused, allowed };
/// The labels in their order; `absent` allows that *none* of them is an attribute. Errors in `header` are
/// placed in the file `name`.
ArffColumns arff_columns(const ArffHeader& header, const std::string& name,
                         const std::vector<LabelName>& labels, Absent absent);

class ArffReader : public InstanceReader {
 public:
  /// `lines` stands at @data, and must outlive this.
  /// `takes` says where '?' may stand.
  ArffReader(TextLines& lines, ArffHeader header, ArffColumns columns, TakesMissing takes);

  Dataset read(int64_t count) override;

 private:
  void read_dense(ArffWords& words);
  void read_sparse(ArffWords& words);
  void value(size_t attribute, ArffWords& words, std::string_view text);
  void nominal(const DataColumn& column, size_t value);

  TextLines& lines_;
  ArffHeader header_;
  ArffColumns columns_;
  TakesMissing takes_;
  std::vector<size_t> speak_when_omitted_;   // attributes, in their order
  std::unique_ptr<DatasetBuilder> builder_;  // made by the first row, which says dense or sparse
};

}  // namespace concord
