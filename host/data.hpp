// SPDX-License-Identifier: MIT
#pragma once
// The sub-verbs of `concord data`, and what they share.
#include "cli.hpp"
#include "data/files.hpp"

namespace concord {

Exit run_data_info(const Strings& words, Context& context);
Exit run_data_convert(const Strings& words, Context& context);
Exit run_data_generate(const Strings& words, Context& context);
Exit run_data_fetch(const Strings& words, Context& context);
Exit run_data_problems(const Strings& words, Context& context);

inline constexpr const char* kLabelsHelp =
    "where the labels are: columns as a,b,c, as 'tag_*' or as last:5; Mulan's XML of an ARFF file; the labels of a NumPy "
    "file. Default: found beside an ARFF or NumPy file, or in it";
inline constexpr const char* kIgnoreHelp = "columns of a CSV file to leave out, as --labels has them";
inline constexpr const char* kFormatHelp = "of the data: arff, libsvm, csv, numpy, xc or detect";

/// Adds --labels, --ignore and --format to a sub-verb, and makes the source of `file` from them.
void add_source_options(Arguments& arguments);
DataSource source_for(const Arguments& arguments, const std::string& file);

}  // namespace concord
