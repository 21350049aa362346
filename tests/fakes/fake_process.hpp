// SPDX-License-Identifier: MIT
#pragma once
// Faults that a fake does to the process, when it is loaded and when it solves.
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <concord/abi.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

#if defined(FAULT_CRASH_ON_LOAD) || defined(FAULT_EXIT_ON_LOAD) || defined(FAULT_HANG_ON_LOAD) || \
    defined(FAULT_CHANGES_PROCESS) || defined(FAULT_THROWS_ON_LOAD)
struct OnLoad {
  OnLoad() {
#if defined(FAULT_THROWS_ON_LOAD)
    throw std::runtime_error("thrown by a constructor");
#elif defined(FAULT_CRASH_ON_LOAD)
    std::abort();
#elif defined(FAULT_EXIT_ON_LOAD)
    std::_Exit(0);
#elif defined(FAULT_HANG_ON_LOAD)
    for (;;) ::pause();
#else
    std::setlocale(LC_ALL, "C.UTF-8");
    if (::chdir("/") != 0) std::abort();
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
#endif
#endif
  }
} on_load;
#endif

inline void disturb([[maybe_unused]] const concord_env& env,
                    [[maybe_unused]] const concord_request& request) {
#if defined(FAULT_PRINTS)
  std::printf("{\"decoder\": \"not a result\"}\n");
  std::fflush(stdout);
#elif defined(FAULT_TELLS_ENVIRONMENT)
  // As the process was started with, which setenv() does not change.
  std::ifstream environment("/proc/self/environ");
  for (std::string variable; std::getline(environment, variable, '\0');)
    if (variable.starts_with("OPENBLAS_")) env.log(env.host, CONCORD_LOG_WARNING, variable.c_str());
#elif defined(FAULT_CRASH_IN_SOLVE)
  std::abort();
#elif defined(FAULT_SEGFAULT_IN_SOLVE)
  if (request.c[0] > 0) ::raise(SIGSEGV);
#elif defined(FAULT_EXITS)
  std::exit(3);
#elif defined(FAULT_HANGS)
  for (;;) ::pause();
#elif defined(FAULT_IGNORES_STOP)
  if (request.labels > 20)
    for (volatile int beat = 0;;) beat = 1 - beat;
#elif defined(FAULT_SETS_LOCALE)
  std::setlocale(LC_ALL, "C.UTF-8");
#elif defined(FAULT_SETS_HANDLER)
  std::signal(SIGUSR1, SIG_IGN);
#elif defined(FAULT_MOVES)
  if (::chdir("/") != 0) std::abort();
#elif defined(FAULT_SETS_ROUNDING)
  std::fesetround(FE_UPWARD);
#elif defined(FAULT_LEAKS_MEMORY)
  static std::vector<char>* lost;
  lost = new std::vector<char>(100);
  lost->front() = 1;
#elif defined(FAULT_FLOODS)
  for (;;) std::fprintf(stderr, "%4096s\n", "and so on");
#elif defined(FAULT_EATS_MEMORY)
  for (int i = 0; i < 64; ++i)
    static_cast<void>(new char[size_t{1} << 28]);  // never touched: 16 GiB of address space
#elif defined(FAULT_BURNS)
  for (volatile int beat = 0;;) beat = 1 - beat;
#elif defined(FAULT_SLEEPS)
  ::usleep(400'000);
#endif
}

}  // namespace
