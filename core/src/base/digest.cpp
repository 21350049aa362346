// SPDX-License-Identifier: MIT
#include "base/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/error.hpp"

namespace concord {

std::array<unsigned char, 32> sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    fail(Fault::io, "OpenSSL cannot compute a SHA-256 sum");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  return fmt::format("{:02x}", fmt::join(sha256(bytes), ""));
}

}  // namespace concord
