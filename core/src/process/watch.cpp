// SPDX-License-Identifier: MIT
#include "process/watch.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "process/table.hpp"

namespace concord {

/// Text that another process reads after the death of the writer, so perhaps not the whole of it.
template <size_t bytes>
struct SharedText {
  char letters[bytes];

  void set(std::string_view text) {
    const size_t size = std::min(text.size(), bytes - 1);
    std::memcpy(letters, text.data(), size);
    letters[size] = '\0';
  }
  std::string_view get() const { return {letters, ::strnlen(letters, bytes)}; }
};

struct ForeignCode::Slot {
  std::atomic<uint8_t> taken;  ///< no bool: a plugin may have written any byte, and a bool has two values
  SharedText<64> doing;
  SharedText<447> whose;
};

namespace {

constexpr size_t kSlots = 64;  // more threads than that go unnoticed
constexpr int kNone = -1;

/// The memory that both processes see.
struct Page {
  ForeignCode::Slot slots[kSlots];
  std::atomic<int> code;
  SharedText<8192> words;
};

Page* page = nullptr;  // of the watched process

class SharedPage : Pinned {
 public:
  SharedPage()
      : page_(::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ == MAP_FAILED) fail(Fault::io, "no memory to share with a child process");
    operator->()->code = kNone;
  }
  ~SharedPage() { ::munmap(page_, sizeof(Page)); }
  Page* operator->() const { return static_cast<Page*>(page_); }  // zeroes are a Page

 private:
  void* page_;
};

/// The signals that a watcher waits for, blocked in this process as long as this lives.
class BlockedSignals : Pinned {
 public:
  BlockedSignals() {
    ::sigemptyset(&blocked_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&blocked_, number);
    std::signal(SIGCHLD, SIG_DFL);  // who ignores it never learns how a child ended
    ::sigprocmask(SIG_BLOCK, &blocked_, &before_);
  }
  ~BlockedSignals() { restore(); }

  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int next(siginfo_t& info) const { return ::sigwaitinfo(&blocked_, &info); }

 private:
  sigset_t blocked_{}, before_{};
};

int wait_for(pid_t child, const BlockedSignals& signals) {
  int status = 0;
  for (;;) {
    siginfo_t info{};
    const int number = signals.next(info);
    if (number == SIGCHLD && ::waitpid(child, &status, WNOHANG) == child) return status;
    // What the terminal sends goes to the whole group, so the child has it already.
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) ::kill(child, number);
  }
}

std::string at_work(const SharedPage& shared) {
  std::set<std::string> all;  // several threads may be in one call
  for (const ForeignCode::Slot& slot : shared->slots)
    if (slot.taken != 0) all.insert(fmt::format("{} in {}", slot.whose.get(), slot.doing.get()));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

ForeignCode::ForeignCode(std::string_view whose, std::string_view doing) : slot_(nullptr) {
  if (page == nullptr) return;
  for (Slot& slot : page->slots) {
    if (slot.taken.load(std::memory_order_relaxed) != 0 || slot.taken.exchange(1) != 0) continue;
    slot.whose.set(whose);
    slot.doing.set(doing);
    slot_ = &slot;
    return;
  }
}

ForeignCode::~ForeignCode() {
  if (slot_ != nullptr) slot_->taken = 0;
}

bool leave_to_watcher(std::string_view words) {
  if (page != nullptr) page->words.set(std::string(page->words.get()).append(words));
  return page != nullptr;
}

void end_with_thread(std::string_view whose, std::string_view doing) {
  leave_to_watcher(fmt::format("concord: {} called pthread_exit in {}\n", whose, doing));
  std::abort();
}

void announce_exit(int code) {
  if (page == nullptr) return;
  for (ForeignCode::Slot& slot : page->slots) slot.taken = 0;  // what other threads still do is of no account
  page->code = code;
}

WatchedEnd run_watched(const std::function<int()>& work) {
  const SharedPage shared;
  const Strays strays;
  const BlockedSignals signals;
  std::fflush(nullptr);  // what is not written yet would be written twice
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail(Fault::io, "no child process: {}", std::strerror(errno));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent died before the line above
    signals.restore();
    page = shared.operator->();
    const int code = work();
    announce_exit(code);
    std::exit(code);
  }
  WatchedEnd end;
  end.status = wait_for(child, signals);
  end.at_work = at_work(shared);
  const int code = shared->code;
  if (code >= 0 && code < 256 && end.at_work.empty())
    end.code = code;  // nobody announces an end while others work
  end.words = shared->words.get();
  return end;
}

}  // namespace concord
