// SPDX-License-Identifier: MIT
#include "process/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "process/isolate.hpp"

namespace concord {
namespace {

constexpr int kNotStarted = 127;
constexpr int64_t kLastWords = 65536;
constexpr uintmax_t kMostLog = uintmax_t{64} << 20;

[[noreturn]] void become(std::vector<char*>& words, int log, pid_t parent, double mebibytes) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);  // it died before the line above
  // What a process may allocate, as malloc sees it; shared libraries do not count.
  const auto bytes = static_cast<rlim_t>(mebibytes * 1024 * 1024);
  const struct rlimit memory = {bytes, bytes};
  ::setrlimit(RLIMIT_DATA, &memory);
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  ::execv(words[0], words.data());
  ::_exit(kNotStarted);
}

/// The last sentence that the host said, or nothing.
std::string last_words(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const auto size = static_cast<int64_t>(file.tellg());
  std::string text(static_cast<size_t>(std::clamp<int64_t>(size, 0, kLastWords)), '\0');
  file.seekg(size - static_cast<int64_t>(text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const size_t begin = text.rfind("concord: ");
  if (begin == std::string::npos) return "";
  std::string words = text.substr(begin + std::strlen("concord: "));
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

}  // namespace

Process::Process(const std::vector<std::string>& words, const std::filesystem::path& log,
                 const ProcessLimits& limits)
    : log_(log), limits_(limits) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(Fault::io, "{}: {}", log.string(), std::strerror(errno));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(pointers, fd, parent, limits.mebibytes);
  const int error = errno;
  ::close(fd);
  if (pid_ < 0) fail(Fault::io, "no process for a cell: {}", std::strerror(error));
  ::setpgid(pid_, pid_);  // in both processes, as either may come first
}

Process::~Process() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

double Process::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::optional<ProcessEnd> Process::poll() {
  int status = 0;
  struct rusage used {};
  const bool ended = ::wait4(pid_, &status, WNOHANG, &used) == pid_;
  std::error_code unknown;
  std::string excess;
  if (!ended && seconds() > limits_.seconds)
    excess = fmt::format("took longer than {:g} s", limits_.seconds);
  else if (const uintmax_t size = std::filesystem::file_size(log_, unknown); !unknown && size > kMostLog)
    excess = fmt::format("wrote more than {} MiB to its log", kMostLog >> 20);
  if (!ended && excess.empty()) return std::nullopt;
  ::kill(-pid_, SIGKILL);  // and whatever it has started
  if (!ended) ::wait4(pid_, &status, 0, &used);
  pid_ = -1;
  return end(status, static_cast<double>(used.ru_maxrss) / 1024, excess);
}

ProcessEnd Process::end(int status, double peak_mebibytes, const std::string& excess) {
  ProcessEnd result{false, "", seconds(), peak_mebibytes};
  const std::string words = last_words(log_);
  const bool out_of_memory = words == "out of memory" || words.find("std::bad_alloc") != std::string::npos;
  if (!excess.empty())
    result.reason = excess;
  else if (out_of_memory)
    result.reason = fmt::format("needed more than {:g} MiB", limits_.mebibytes);
  else if (WIFSIGNALED(status))
    result.reason =
        fmt::format("{} ({:.0f} of {:g} MiB used)", ending_text(status), peak_mebibytes, limits_.mebibytes);
  else if (WEXITSTATUS(status) != 0)
    result.reason = words.empty() ? ending_text(status) : words;
  else
    result.ok = true;
  return result;
}

}  // namespace concord
