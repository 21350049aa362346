// SPDX-License-Identifier: MIT
#pragma once
// A program in a process group of its own, with limits on its time and memory. It dies with the host.
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace concord {

struct ProcessLimits {
  double seconds = 3600;
  double mebibytes = 4096;
};

struct ProcessEnd {
  bool ok = false;
  std::string reason;  ///< "crashed with SIGSEGV", "took longer than 600 s", or the program's own last words
  double seconds = 0;
  double peak_mebibytes = 0;
};

class Process {
 public:
  /// Starts `words` (the first is the program); what it says goes to `log`, which is replaced. Fault::io if it
  /// cannot be started.
  Process(const std::vector<std::string>& words, const std::filesystem::path& log,
          const ProcessLimits& limits);
  /// Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Nothing while it runs within its limits.
  std::optional<ProcessEnd> poll();

 private:
  double seconds() const;
  ProcessEnd end(int status, double peak_mebibytes, const std::string& excess);

  pid_t pid_ = -1;
  std::filesystem::path log_;
  ProcessLimits limits_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace concord
