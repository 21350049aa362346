// SPDX-License-Identifier: MIT
#pragma once
// Strict readers of what is written of a comparison: each fails the test that calls it.
#include <string>
#include <vector>

namespace concord::test {

using Strings = std::vector<std::string>;

/// Valid UTF-8; only tags and attributes that are known, none that acts or fetches; all closed; one script.
void require_clean_page(const std::string& page);
/// RFC 4180, strictly.
std::vector<Strings> parse_csv(const std::string& text);
/// In every line of a tabular: as many & as columns want, balanced braces, no stray special.
void require_sound_latex(const std::string& text);
/// As many pipes in every line of a table, and no tags.
void require_sound_markdown(const std::string& text);

/// How often the part occurs in the text.
size_t count(const std::string& text, const std::string& part);
bool contains(const std::string& text, const std::string& part);

}  // namespace concord::test
