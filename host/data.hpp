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

/// Adds --labels and --format to a sub-verb, and makes the source of `file` from them.
void add_source_options(Arguments& arguments);
DataSource source_for(const Arguments& arguments, const std::string& file);

}  // namespace concord
