// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "process/child.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
constexpr const char* kVariable = "CONCORD_LAST_WORDS";
constexpr size_t kMostBytes = 65536;

/// Whether memory ran out: here, or in a plugin that let the exception escape.
bool is_out_of_memory(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return true;
  try {
    std::rethrow_if_nested(failure);
  } catch (const std::exception& cause) {
    return is_out_of_memory(cause);
  } catch (...) {
    return false;
  }
  return false;
}

}  // namespace

void leave_last_words(const std::exception& failure) {
  const char* variable = std::getenv(kVariable);
  const auto descriptor = number_in<int>(variable == nullptr ? "" : variable);
  if (!descriptor) return;
  const std::string record =
      Json{{"text", failure.what()}, {"out_of_memory", is_out_of_memory(failure)}}.dump(
          -1, ' ', false, Json::error_handler_t::replace);
  // Nothing can be done if it fails: the exit code and the log tell as well that there was a failure.
  [[maybe_unused]] const ssize_t n = ::pwrite(*descriptor, record.data(), record.size(), 0);
}

Listener::Listener() : file_(::memfd_create("last-words", MFD_CLOEXEC)) {
  if (file_ < 0) fail(Fault::io, "no file in memory: {}", std::strerror(errno));
}

Listener::~Listener() {
  ::close(file_);
}

void Listener::announce() const {
  ::fcntl(file_, F_SETFD, 0);  // to stay open in the program
  ::setenv(kVariable, std::to_string(file_).c_str(), 1);
}

std::optional<LastWords> Listener::heard() const {
  std::string record(kMostBytes, '\0');
  const ssize_t n = ::pread(file_, record.data(), record.size(), 0);
  record.resize(n > 0 ? static_cast<size_t>(n) : 0);
  const Json json = Json::parse(record, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return LastWords{json.value("text", ""), json.value("out_of_memory", false)};
}

}  // namespace concord
