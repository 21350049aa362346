// SPDX-License-Identifier: MIT
#pragma once
// Whole files: read, and written so that a reader sees the old file or the new one, never a part. And their digests.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/pinned.hpp"

namespace concord {

/// Fault::io names a file that is not there or cannot be read.
std::string read_whole_file(const std::filesystem::path& file);

/// A file written piece by piece, to a temporary name beside it, until commit() syncs and renames it. Fault::io
/// names the file and the reason; an existing file is untouched and the temporary one removed whenever the
/// object ends without commit(). A device or a pipe, which cannot be replaced, is written directly.
class AtomicFile : Pinned {
 public:
  explicit AtomicFile(std::filesystem::path file);
  ~AtomicFile();

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void refuse(int error) const;

  std::filesystem::path file_;
  bool special_;
  std::string name_;
  int fd_;
};

/// Removes what killed processes left of an AtomicFile `file`. What somebody is still writing stays.
void sweep_leftovers(const std::filesystem::path& file);
/// The same for every file of the folder and of the folders in it.
void sweep_leftovers_below(const std::filesystem::path& folder);

/// All of it at once.
void write_file_atomically(const std::filesystem::path& file, std::string_view bytes);

std::array<unsigned char, 32> sha256(std::string_view bytes);
/// In base64, as the policies of pages have it.
std::string sha256_base64(std::string_view bytes);
/// In lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace concord
