// SPDX-License-Identifier: MIT
// Errors of a thread, with their fields; and texts for the caller.
#include <cstdlib>
#include <cstring>

#include "api/handles.hpp"

namespace concord::api {
namespace {

/// The fields and what they point to.
struct Remembered {
  std::string subject, place, reason, remedy, text;
  concord_error record{sizeof(concord_error), CONCORD_OK, "", "", "", "", ""};

  void fill(int32_t kind) {
    record = {sizeof record,  kind,           subject.c_str(), place.c_str(),
              reason.c_str(), remedy.c_str(), text.c_str()};
  }
};

Remembered& last() {
  thread_local Remembered error;
  return error;
}

}  // namespace

int32_t remember(const Error& error) {
  static_assert(static_cast<int>(Fault::input) + 1 == CONCORD_ERROR_INPUT &&
                static_cast<int>(Fault::interrupted) + 1 == CONCORD_ERROR_INTERRUPTED);
  const int32_t code = static_cast<int32_t>(error.kind()) + 1;
  try {
    last().subject = error.subject();
    last().place = error.place();
    last().reason = error.reason();
    last().remedy = error.remedy();
    last().text = error.what();
    last().fill(code);
    return code;
  } catch (const std::bad_alloc&) {
    return remember(CONCORD_ERROR_MEMORY, "out of memory");
  }
}

int32_t remember(int32_t code, const char* text) {
  Remembered& error = last();
  error.subject.clear();
  error.place.clear();
  error.remedy.clear();
  try {
    error.reason = error.text = text;
    error.fill(code);
  } catch (const std::bad_alloc&) {
    error.fill(code);
    error.record.reason = error.record.text = "out of memory";
  }
  return code;
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) fail(Fault::input, About{"", what}, "{} is missing: the pointer is NULL", what);
}

char* text_for_caller(std::string_view text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

Json parse_json(const char* text, const char* what) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail(Fault::input, About{"", what}, "{} is not JSON, from byte {} on: {}", what, error.byte, quote(text));
  }
}

}  // namespace concord::api

extern "C" {

uint32_t concord_api(void) {
  return CONCORD_API;
}

const concord_error* concord_last_error(void) {
  return &concord::api::last().record;
}

void concord_free(void* text) {
  std::free(text);
}
}
