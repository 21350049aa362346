// SPDX-License-Identifier: MIT
#pragma once
// Mulan's XML file: which attributes of an ARFF file are labels, and in which order.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace concord
