// SPDX-License-Identifier: MIT
#pragma once
// What the functions of concord.h share: the handles behind its opaque types, errors as codes, and the state in which a
// call runs inside of somebody's process.
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include <concord/concord.h>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "model/model.hpp"
#include "plugin/foreign.hpp"
#include "plugin/registry.hpp"
#include "process/state.hpp"

struct concord_session {
  /// The registry of this process. A child of fork() gets one of its own: locks in the parent's may be held by
  /// threads that the child does not have.
  concord::Registry& registry();

  std::vector<std::filesystem::path> folders;
  std::vector<const concord_plugin_table*>
      tables;  ///< of plugins in memory, in the order of their registration
  std::unique_ptr<concord::Registry> live;
  pid_t owner = 0;
};

struct concord_model {
  concord::Model model;
};

namespace concord::api {

using Json = nlohmann::ordered_json;

/// Keeps the short critical sections of the library; held over fork(), so that a child never finds it locked.
std::mutex& process_mutex();

/// Puts the process into the state in which results are the same everywhere, and back: one thread for OpenBLAS, and the
/// default floating-point mode on this thread. Calls may overlap.
class Numerics {
 public:
  Numerics();
  ~Numerics();
  Numerics(const Numerics&) = delete;
  Numerics& operator=(const Numerics&) = delete;

 private:
  FloatingPointState floating_point_;
};

/// Remembers the error for concord_last_error(), and returns its code.
int32_t remember(const Error& error);
int32_t remember(int32_t code, const char* text);

/// Runs a function of the interface: whatever it throws becomes a code.
template <class Work>
int32_t guarded(Work&& work) noexcept {
  try {
    const Numerics one_state_for_all;
    work();
    return CONCORD_OK;
  } catch (const Error& error) {
    return remember(error);
  } catch (const std::bad_alloc&) {
    return remember(CONCORD_ERROR_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return remember(CONCORD_ERROR_INTERNAL, error.what());
  } catch (...) {
    return remember(CONCORD_ERROR_INTERNAL, "an exception that is not a std::exception");
  }
}

/// Fault::input: "WHAT is missing".
void require(const void* pointer, const char* what);

/// The struct as this library knows it, with its size checked. Fault::input: "WHAT is missing", "its size is ...".
template <class Struct>
Struct read_struct(const Struct* given, const char* what) {
  require(given, what);
  if (given->size < sizeof(uint32_t) || given->size > 65536)
    fail(Fault::input, About{"", what}, "{}: its size is {} bytes; set it to sizeof", what, given->size);
  return foreign_copy(given);
}

/// What the caller decides about a call.
class Run {
 public:
  explicit Run(const concord_run* run);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  int threads() const { return threads_; }
  const RunControl& control() const { return control_; }
  void set_deadline(double seconds);
  void event(const Json& event) const;
  void log(int32_t level, const std::string& who, const std::string& text) const;

 private:
  concord_run run_{};
  int threads_;
  RunControl control_;
  mutable std::mutex mutex_;  ///< the caller's functions are called one at a time
};

/// A copy for the caller, to be freed by concord_free().
char* text_for_caller(std::string_view text);

/// JSON of the caller. Fault::input names it and says where it is wrong.
Json parse_json(const char* text, const char* what);

/// Copies of what the caller's memory holds, checked: finite, and sparse rows in their order.
Features read_features(const concord_features& features, int64_t first_row, int64_t rows);
LabelMatrix read_labels(const int8_t* labels, int64_t rows, int64_t V, const char* what);
/// -1, 0 and 1 as they are; `first` is the number of the first row, for messages.
LabelMatrix read_known(const int8_t* labels, int64_t rows, int64_t V, int64_t first);

/// Row by row, as the interface has matrices.
template <class Columns, class Number>
void write_rows(const Columns& columns, Number* rows) {
  if (rows == nullptr) return;
  Eigen::Map<Eigen::Array<Number, Eigen::Dynamic, Eigen::Dynamic>>(rows, columns.rows(), columns.cols()) =
      columns.array();
}

}  // namespace concord::api
