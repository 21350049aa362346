// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "process/fork.hpp"

namespace concord {
namespace {

constexpr size_t kMostAnswer = size_t{64} << 20;  // of address space; memory is used for what is written
constexpr useconds_t kPollMicroseconds = 1000;

/// Where the child leaves its answer. It is no descriptor, which foreign code would inherit and could write to by accident
/// or by trying; and it cannot grow.
class Letterbox : Pinned {
 public:
  Letterbox()
      : memory_(::mmap(nullptr, sizeof(Head) + kMostAnswer, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) fail(Fault::io, "no memory to share with a child process");
  }
  ~Letterbox() { ::munmap(memory_, sizeof(Head) + kMostAnswer); }

  void put(const std::string& text) {
    if (text.size() > kMostAnswer) fail(Fault::io, "an answer of {} bytes is too long", text.size());
    std::memcpy(letters(), text.data(), text.size());
    head().bytes = text.size();
    head().is_complete = 1;
  }
  /// Nothing if the child did not get so far.
  std::optional<std::string> take() const {
    if (head().is_complete == 0) return std::nullopt;
    return std::string(letters(), std::min<size_t>(head().bytes, kMostAnswer));
  }

 private:
  struct Head {
    std::atomic<uint64_t> bytes;
    std::atomic<uint8_t> is_complete;  ///< no bool: foreign code may have written any byte
  };
  Head& head() const { return *static_cast<Head*>(memory_); }  // zeroes are a Head
  char* letters() const { return static_cast<char*>(memory_) + sizeof(Head); }

  void* memory_;
};

int answer(Letterbox& box, const std::function<std::string()>& work) {
  // Foreign code that writes to whatever is open is not to reach the results, the lock or the files of the host.
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  try {
    box.put(work());
    return 0;
  } catch (const std::exception& e) {
    std::fputs(fmt::format("concord: {}\n", e.what()).c_str(), stderr);
  } catch (...) {
    std::fputs("concord: an exception that is not a std::exception\n", stderr);
  }
  return 1;
}

}  // namespace

IsolatedResult run_isolated(const std::function<std::string()>& work, const TimeLimits& limits,
                            const RunControl& control) {
  IsolatedResult result;
  Letterbox box;
  ForkedProcess child([&] { return answer(box, work); });
  while (!child.has_ended()) {
    if (control.stop_requested()) {
      result.failure = "was interrupted";
      return result;
    }
    if (const std::string limit = child.passed(limits); !limit.empty()) {
      result.timed_out = true;
      result.failure = "did not answer within " + limit;
      return result;
    }
    ::usleep(kPollMicroseconds);
  }
  std::optional<std::string> output = box.take();
  result.ok = child.status() == 0 && output;
  if (result.ok)
    result.output = std::move(*output);
  else
    result.failure = ending_text(child.status());
  return result;
}

}  // namespace concord
