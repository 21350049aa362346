// SPDX-License-Identifier: MIT
#pragma once
// Arrays as NumPy writes them: .npy (one array), .npz (several, in a ZIP file with or without compression).
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace concord {

struct NumpyHeader {
  std::string type;  ///< "<f8", "|b1", "<U3"
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t size = 0;  ///< bytes before the numbers
};
/// The longest header that is read, with what comes before it.
constexpr size_t kMostHeaderBytes = 65536 + 12;
/// `begin` are the first bytes of a file, all of its header at least. Fault::input that names the file.
NumpyHeader parse_numpy_header(std::string_view begin, const std::string& name);

/// One array: its header agrees with its bytes.
struct NumpyArray {
  NumpyHeader header;
  std::string_view numbers;
  std::string name;  ///< for messages: "x.npz: X"
  size_t width = 0;  ///< bytes of one number

  int64_t count() const;
  /// Number i as it is stored. Only of bools, integers and floats (is_numeric).
  double number(int64_t i) const;
  bool is_numeric() const;
  /// A text of bytes or of letters, without the zeros at its end.
  std::string text() const;
};
/// `bytes` must outlive the array.
NumpyArray parse_numpy(std::string_view bytes, const std::string& name);

/// The entries of a ZIP file by name, whole and unpacked. A size that the file claims is not believed: memory follows the
/// bytes that are there. Fault::input that names the file.
std::map<std::string, std::string> unzip(std::string_view bytes, const std::string& name);
/// A ZIP file of these entries, without compression.
std::string zip(const std::vector<std::pair<std::string, std::string>>& entries);
/// The bytes of a .npy file. `shape` as Python writes it: "(3, 4)".
std::string numpy_bytes(const std::string& type, const std::string& shape, std::string_view numbers);

}  // namespace concord
