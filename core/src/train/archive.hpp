// SPDX-License-Identifier: MIT
#pragma once
// The bytes of a checkpoint: numbers and arrays one after the other, read back in the same order. The machine's
// own representation: a checkpoint is continued where it was made.
#include <Eigen/Core>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace concord {

/// The subject of every error about a checkpoint, so that whoever shows the error can say how to continue or start anew.
inline constexpr const char* kCheckpointSubject = "checkpoint";

class ArchiveWriter {
 public:
  template <class T>
  void put(const T& x) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void put(const std::string& text) {
    put(static_cast<uint64_t>(text.size()));
    bytes_ += text;
  }
  /// Any dense Eigen object, or vector of numbers.
  template <class Array>
  void put_array(const Array& a) {
    put(static_cast<uint64_t>(a.size()));
    if (a.size() > 0)
      bytes_.append(reinterpret_cast<const char*>(a.data()),
                    static_cast<size_t>(a.size()) * sizeof *a.data());
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T x;
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }
  std::string get_text() { return std::string(take(get<uint64_t>())); }
  /// Into an object that has the right size already.
  template <class Array>
  void get_array(Array& a) {
    require(get<uint64_t>() == static_cast<uint64_t>(a.size()), kOtherSize);
    fill(a);
  }
  /// Into a matrix that gets this size. Only then is memory taken.
  template <class Matrix>
  void get_matrix(Matrix& a, int64_t rows, int64_t columns) {
    const auto count = static_cast<int64_t>(get_count(sizeof *a.data()));
    require(rows > 0 && count % rows == 0 && count / rows == columns, kOtherSize);
    a.resize(rows, columns);
    fill(a);
  }
  template <class T>
  std::vector<T> get_vector() {
    std::vector<T> v(get_count(sizeof(T)));
    fill(v);
    return v;
  }
  /// How many things follow of which each takes so many bytes at least: no more than there is room for.
  size_t get_count(size_t bytes_each) {
    const auto count = get<uint64_t>();
    require(count <= bytes_.size() / bytes_each, kTruncated);
    return count;
  }
  bool at_end() const { return bytes_.empty(); }
  /// To be called last.
  void require_end() const { require(bytes_.empty(), kOtherSize); }
  /// Fault::input about the checkpoint if something in it is wrong.
  static void require(bool good, const char* otherwise) {
    if (!good) fail(Fault::input, About{"", kCheckpointSubject}, "{}", otherwise);
  }

 private:
  static constexpr const char* kTruncated = "the checkpoint is truncated";
  static constexpr const char* kOtherSize =
      "the checkpoint belongs to other data or settings: a block has another size";

  template <class Array>
  void fill(Array& a) {
    const auto piece = take(static_cast<size_t>(a.size()) * sizeof *a.data());
    if (!piece.empty()) std::memcpy(a.data(), piece.data(), piece.size());
  }
  std::string_view take(size_t count) {
    require(count <= bytes_.size(), kTruncated);
    const std::string_view piece = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return piece;
  }
  std::string_view bytes_;
};

}  // namespace concord
