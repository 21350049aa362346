// SPDX-License-Identifier: MIT
#include "sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "error.hpp"
#include <stdexcept>

namespace concord {

std::array<unsigned char, 32> sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    fail(Exit::io, "OpenSSL cannot compute a SHA-256 sum");
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  return fmt::format("{:02x}", fmt::join(sha256(bytes), ""));
  std::string text;
  for (const unsigned char byte : sha256(bytes)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace concord
