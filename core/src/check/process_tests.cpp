// SPDX-License-Identifier: MIT
// What the process looks like after a plugin was loaded and run: as it was.
#include <clocale>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <locale>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pinned.hpp"
#include "check/raw.hpp"
#include "process/state.hpp"

namespace concord::check {
namespace {

/// Runs `look` after the load and after every call; it throws Failure with what the given call changed.
template <class Look>
void watch(Subject& subject, Look&& look) {
  subject.note("loading");
  ::dlopen(subject.file().c_str(), RTLD_NOW | RTLD_LOCAL);  // not through the host, which restores the state
  look("loading it");
  subject.plugin();
  for (int round = 0; round < 2; ++round) exercise(subject, look);
}

std::string floating_point(Subject& subject) {
  const FloatingPointState before;  // restores the state, also when a Failure passes
  watch(subject, [&](const char* call) {
    // Nothing is computed before it is known that traps are not enabled.
    if (before.changed())
      throw Failure(std::string(call) +
                    " changes the floating-point mode (rounding, traps or flush-to-zero; -ffast-math does)");
  });
  return "";
}

std::string locale(Subject& subject) {
  const auto current = [] { return std::setlocale(LC_ALL, nullptr) + ("/" + std::locale().name()); };
  const std::string before = current();
  watch(subject, [&](const char* call) {
    if (current() != before)
      throw Failure(fmt::format("{} changes the locale from {} to {}", call, before, current()));
  });
  return "";
}

std::string signal_handlers(Subject& subject) {
  std::vector<struct sigaction> before(NSIG);
  for (int s = 1; s < NSIG; ++s) ::sigaction(s, nullptr, &before[static_cast<size_t>(s)]);
  watch(subject, [&](const char* call) {
    for (int s = 1; s < NSIG; ++s) {
      struct sigaction now {};
      const struct sigaction& then = before[static_cast<size_t>(s)];
      if (::sigaction(s, nullptr, &now) == 0 &&
          (now.sa_handler != then.sa_handler || now.sa_flags != then.sa_flags)) {
        const char* name = ::sigabbrev_np(s);
        throw Failure(
            fmt::format("{} changes the handler of SIG{}", call, name != nullptr ? name : std::to_string(s)));
      }
    }
  });
  return "";
}

std::string working_directory(Subject& subject) {
  const auto current = [] {
    std::error_code error;
    return std::filesystem::current_path(error).string();
  };
  const std::string before = current();
  watch(subject, [&](const char* call) {
    if (current() != before) throw Failure(fmt::format("{} moves the process to {}", call, current()));
  });
  return "";
}

/// Descriptor 1 as a file in memory while it lives.
class CapturedOutput : Pinned {
 public:
  CapturedOutput() : file_(::memfd_create("stdout", MFD_CLOEXEC)), saved_(::dup(1)) {
    flush();
    ::dup2(file_, 1);
  }
  ~CapturedOutput() {
    flush();
    ::dup2(saved_, 1);
    ::close(saved_);
    ::close(file_);
  }

  /// The first line of what was written, if anything was.
  std::string text() const {
    flush();
    char line[81] = "";
    const ssize_t n = ::pread(file_, line, sizeof line - 1, 0);
    std::string all(line, n > 0 ? static_cast<size_t>(n) : 0);
    return all.substr(0, all.find('\n'));
  }
  bool empty() const {
    flush();
    struct stat info {};
    return ::fstat(file_, &info) != 0 || info.st_size == 0;
  }

 private:
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }
  int file_;
  int saved_;
};

std::string standard_output(Subject& subject) {
  const CapturedOutput output;
  watch(subject, [&](const char* call) {
    if (!output.empty())
      throw Failure(fmt::format("{} prints to standard output: '{}'; use env->log", call, output.text()));
  });
  return "";
}

struct Memory {
  size_t allocated;  ///< by malloc
  size_t resident;
};

Memory memory_now() {
  const struct mallinfo2 info = ::mallinfo2();
  size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return {info.uordblks + info.hblkhd, resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE))};
}

std::string memory(Subject& subject) {
  // Caches fill in the first round. A leak grows in each of the others.
  constexpr size_t lives = 500;
  constexpr size_t least_per_life = 16, resident_slack = size_t{16} << 20;
  subject.plugin();
  const auto round = [&] {
    const Memory before = memory_now();
    for (size_t i = 0; i < lives; ++i) exercise(subject, [](const char*) {});
    const Memory after = memory_now();
    return Memory{after.allocated > before.allocated ? after.allocated - before.allocated : 0,
                  after.resident > before.resident ? after.resident - before.resident : 0};
  };
  round();
  size_t allocated = std::numeric_limits<size_t>::max(), resident = allocated;
  for (int i = 0; i < 3; ++i) {
    const Memory grown = round();
    allocated = std::min(allocated, grown.allocated);
    resident = std::min(resident, grown.resident);
  }
  if (allocated >= least_per_life * lives)
    throw Failure(fmt::format("it loses about {} bytes each time an object is created, run and destroyed",
                              allocated / lives));
  if (resident > resident_slack)
    throw Failure(
        fmt::format("the process grows by {} kB over {} lives of an object", resident >> 10, lives));
  return "";
}

}  // namespace

std::vector<Test> process_tests() {
  return {
      {"standard-output", "Nothing is written to standard output.", standard_output},
      {"floating-point", "Rounding mode, traps and flush-to-zero are as before, after a load and every call.",
       floating_point},
      {"locale", "The locale is as before after a load and every call.", locale},
      {"signal-handlers", "Signal handlers are as before after a load and every call.", signal_handlers},
      {"working-directory", "The working directory is as before after a load and every call.",
       working_directory},
      {"memory", "Memory does not grow over 2000 lives of an object.", memory},
  };
}

}  // namespace concord::check
