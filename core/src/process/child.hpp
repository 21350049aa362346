// SPDX-License-Identifier: MIT
#pragma once
// A program with limits on its time and memory, and with a log. Why it failed it tells as one JSON object, on a descriptor
// that the starter hands to it and names in the environment.
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/pinned.hpp"
#include "process/fork.hpp"

namespace concord {

/// Why a program failed.
struct LastWords {
  std::string text;
  bool out_of_memory = false;
};

/// In the program, with the exception that ends it; does nothing if nobody listens.
void leave_last_words(const std::exception& failure);

/// In the starter.
class Listener : Pinned {
 public:
  Listener();
  ~Listener();

  /// For the child, before it becomes the program.
  void announce() const;
  /// What was said, once the program has ended.
  std::optional<LastWords> heard() const;

 private:
  int file_;
};

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

  /// Nothing while it runs within its limits.
  std::optional<ProcessEnd> poll();

 private:
  std::string excess(bool ended) const;
  std::string reason_of_failure(double peak_mebibytes) const;

  std::filesystem::path log_;
  ProcessLimits limits_;
  Listener listener_;
  ForkedProcess child_;
};

}  // namespace concord
