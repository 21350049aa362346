// SPDX-License-Identifier: MIT
#pragma once
// Manual pages, written from the same records as --help and `describe`: `concord help --man DIR`.
#include <string>
#include <utility>
#include <vector>

#include "plugin/registry.hpp"

namespace concord {

/// A page in parts; the texts are plain, and are escaped for troff when it is written.
struct ManPage {
  struct Section {
    std::string title;
    std::string intro;  ///< may be empty
    /// Terms and what they mean: options, verbs, exit codes.
    std::vector<std::pair<std::string, std::string>> items = {};
  };

  std::string name;  ///< "concord-train"
  int section = 1;
  std::string summary;
  std::string synopsis;     ///< empty: none
  std::string description;  ///< paragraphs are apart by an empty line
  std::vector<Section> sections = {};
  std::vector<std::string> see_also = {};  ///< "concord(1)"

  /// DIR/manSECTION/NAME.SECTION
  void write(const std::string& directory) const;
};

/// concord-options(7): every plugin that the registry finds, with its options.
ManPage plugin_options_page(Registry& registry);

}  // namespace concord
