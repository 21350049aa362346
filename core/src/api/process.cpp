// SPDX-License-Identifier: MIT
// The library as a guest: what it changes in the process of its caller during a call, and what a fork() needs.
#include <cfenv>
#include <dlfcn.h>
#include <pthread.h>

#include "api/handles.hpp"

namespace concord::api {
namespace {

/// OpenBLAS where somebody loaded it: our plugins, numpy, or both, which then share it.
struct OpenBlas {
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  OpenBlas() {
    void* const library = ::dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    threads = reinterpret_cast<int (*)()>(::dlsym(library, "openblas_get_num_threads"));
    set_threads = reinterpret_cast<void (*)(int)>(::dlsym(library, "openblas_set_num_threads"));
    ::dlclose(library);
  }
  bool found() const { return threads != nullptr && set_threads != nullptr; }
};

/// The first call sets one thread, the last of several that overlap restores what was there.
struct BlasThreads {
  int calls = 0;
  int before = 1;
};

BlasThreads& blas_threads() {
  static BlasThreads state;
  return state;
}

OpenBlas& open_blas() {
  static OpenBlas library;
  return library;
}

void lock_before_fork() {
  process_mutex().lock();
}
void unlock_after_fork() {
  process_mutex().unlock();
}
/// The calls of the parent's other threads do not go on here.
void begin_child() {
  blas_threads().calls = 0;
  process_mutex().unlock();
}

}  // namespace

std::mutex& process_mutex() {
  static std::mutex mutex;
  static const int registered = ::pthread_atfork(lock_before_fork, unlock_after_fork, begin_child);
  static_cast<void>(registered);
  return mutex;
}

Numerics::Numerics() {
  std::fesetenv(FE_DFL_ENV);
  const std::lock_guard lock(process_mutex());
  if (!open_blas().found()) return;
  if (blas_threads().calls++ > 0) return;
  blas_threads().before = open_blas().threads();
  if (blas_threads().before != 1) open_blas().set_threads(1);
}

Numerics::~Numerics() {
  const std::lock_guard lock(process_mutex());
  if (!open_blas().found() || --blas_threads().calls > 0) return;
  if (blas_threads().before != 1) open_blas().set_threads(blas_threads().before);
}

}  // namespace concord::api
