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
constexpr size_t kMostLetters = 4096;

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
  // A plugin of the program can write there too.
  const auto json = json_in(record);
  if (!json || !json->is_object() || !json->contains("text") || !json->at("text").is_string())
    return std::nullopt;
  const bool out_of_memory = json->contains("out_of_memory") && json->at("out_of_memory") == true;
  return LastWords{shortened(clean(json->at("text").get<std::string>()), kMostLetters), out_of_memory};
}

}  // namespace concord
