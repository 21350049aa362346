// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 of bytes in memory.
#include <array>
#include <string>
#include <string_view>

namespace concord {

std::array<unsigned char, 32> sha256(std::string_view bytes);
/// In lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace concord
