// SPDX-License-Identifier: MIT
#pragma once
// Memory that a plugin writes to, between bytes that it should not. The plugin sees an array as ever.
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

/// Pieces of `count` elements each, with 64 guarded bytes before the first and 64 or a few more behind each. Every piece
/// begins at the address of a cache line.
template <class T>
class Guarded {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Guarded() : Guarded(0) {}
  explicit Guarded(size_t count, const T& fill = T{}) : Guarded(1, count, fill) {}
  Guarded(size_t pieces, size_t count, const T& fill)
      : count_(count),
        width_((count * sizeof(T) + sizeof(Line) - 1) / sizeof(Line) + 1),
        lines_(1 + pieces * width_, kUntouched) {
    for (size_t p = 0; p < pieces; ++p) std::fill_n(data(p), count, fill);
  }
  explicit Guarded(std::span<const T> elements) : Guarded(elements.size()) {
    std::copy(elements.begin(), elements.end(), data());
  }

  T* data(size_t piece = 0) { return reinterpret_cast<T*>(lines_.data() + 1 + piece * width_); }
  const T* data(size_t piece = 0) const {
    return reinterpret_cast<const T*>(lines_.data() + 1 + piece * width_);
  }
  /// Of a piece.
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  // Of the first piece, which is the only one of most.
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  bool operator==(const Guarded& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  /// Whether somebody wrote before the first element of a piece or behind its last.
  bool is_intact() const {
    if (lines_.front().bytes != kUntouched.bytes) return false;
    const size_t used = count_ * sizeof(T), behind = width_ * sizeof(Line) - used;  // 64 to 127
    for (size_t line = 1; line < lines_.size(); line += width_) {
      const unsigned char* const end = lines_[line].bytes.data() + used;
      if (std::memcmp(end, kUntouched.bytes.data(), sizeof(Line)) != 0 ||
          std::memcmp(end + behind - sizeof(Line), kUntouched.bytes.data(), sizeof(Line)) != 0)
        return false;
    }
    return true;
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
  size_t width_;  ///< of a piece and the guard behind it, in lines
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
