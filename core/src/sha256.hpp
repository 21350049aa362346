// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 of bytes in memory.
// SHA-256, by OpenSSL.
#include <array>
#include <string>
#include <string_view>

namespace concord {

std::array<unsigned char, 32> sha256(std::string_view bytes);
/// In lower-case hexadecimal.
/// In lower-case hexadecimal digits, as sha256sum prints it.
std::string sha256_hex(std::string_view bytes);

}  // namespace concord
