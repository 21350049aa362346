// SPDX-License-Identifier: MIT
#pragma once
// The files below host/templates, compiled in: `concord new` works wherever the program is.
#include <span>
#include <string_view>

namespace concord {

struct Template {
  std::string_view path;  ///< below host/templates
  std::string_view text;
};

/// Defined in a file that CMake writes.
std::span<const Template> templates();

}  // namespace concord
