// SPDX-License-Identifier: MIT
#include "sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <stdexcept>

namespace concord {

std::array<unsigned char, 32> sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : sha256(bytes)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace concord
