// SPDX-License-Identifier: MIT
#pragma once
// Reading structs that were filled by code compiled against another version of the header.
#include <algorithm>
#include <cstring>
#include <string>

#include <concord/abi.h>

#include "base/text.hpp"

namespace concord {

/// The struct as this side knows it: fields beyond the other side's size are zero.
template <class T>
T foreign_copy(const T* other) {
  T copy{};
  std::memcpy(&copy, other, std::min<size_t>(other->size, sizeof(T)));
  return copy;
}

/// The functions of a kind, of a table of that kind.
template <class Functions>
Functions functions_of(const concord_plugin_table& table) {
  return foreign_copy(static_cast<const Functions*>(table.functions));
}

inline std::string foreign_text(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

/// The most of a text by a plugin that anybody gets to see.
constexpr size_t kMostForeignText = 4096;

/// A text by a plugin as a listing, a terminal or a report may show it: one line of clean UTF-8 of bounded length. The text
/// may lack its end if `bytes` are all that there is.
inline std::string foreign_line(const char* text, size_t bytes = kMostForeignText) {
  if (text == nullptr) return {};
  const size_t size = ::strnlen(text, bytes);
  return one_line(clean({text, size})) + (size == kMostForeignText ? "..." : "");
}

}  // namespace concord
