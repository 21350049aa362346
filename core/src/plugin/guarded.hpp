// SPDX-License-Identifier: MIT
#pragma once
// Memory that a plugin writes to, between words that it should not. The plugin sees an array as ever.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace concord {

/// An array of `count` equal elements with 64 guarded bytes before it, and as many or a few more behind it. Its address is
/// that of a cache line, whatever the count.
template <class T>
class Guarded {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Guarded() : Guarded(0) {}
  explicit Guarded(size_t count, const T& fill = T{})
      : count_(count), lines_(2 + (count * sizeof(T) + sizeof(Line) - 1) / sizeof(Line), kUntouched) {
    std::fill_n(data(), count, fill);
  }
  explicit Guarded(std::span<const T> elements) : Guarded(elements.size()) {
    std::copy(elements.begin(), elements.end(), data());
  }

  T* data() { return reinterpret_cast<T*>(lines_.data() + 1); }
  const T* data() const { return reinterpret_cast<const T*>(lines_.data() + 1); }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  bool operator==(const Guarded& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  /// Whether somebody wrote before the first element or behind the last.
  bool is_intact() const {
    const auto* const behind = reinterpret_cast<const unsigned char*>(end());
    const auto* const last = reinterpret_cast<const unsigned char*>(lines_.data() + lines_.size());
    return lines_.front().bytes == kUntouched.bytes &&
           std::memcmp(behind, kUntouched.bytes.data(), std::min<size_t>(last - behind, sizeof(Line))) == 0 &&
           lines_.back().bytes == kUntouched.bytes;
  }

 private:
  struct alignas(64) Line {
    std::array<unsigned char, 64> bytes;
  };
  /// No small integer, no usual double and no letter of a text.
  static constexpr Line kUntouched = [] {
    Line line{};
    line.bytes.fill(0xc9);
    return line;
  }();

  size_t count_;
  std::vector<Line> lines_;
};

/// Fault::plugin unless the memory around `what` is as it was.
template <class T>
void require_intact(const Guarded<T>& memory, const std::string& plugin, const char* what) {
  if (!memory.is_intact())
    fail(Fault::plugin, About{"", plugin}, "{} wrote beside {}, into memory that is not its own", plugin,
         what);
}

}  // namespace concord
