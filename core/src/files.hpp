// SPDX-License-Identifier: MIT
#pragma once
// Whole files: read, and written so that a reader sees the old file or the new one, never a part.
#include <filesystem>
#include <string>
#include <string_view>

namespace concord {

/// Exit::input if there is no such file, Exit::io if it cannot be read; both name it.
std::string read_whole_file(const std::filesystem::path& file);

/// To a temporary name beside it, synced, renamed. Exit::io names the file and the reason; an existing file
/// is then untouched and the temporary one removed.
void write_file_atomically(const std::filesystem::path& file, std::string_view bytes);

}  // namespace concord
