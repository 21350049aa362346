// SPDX-License-Identifier: MIT
#pragma once
// Other programs as competitors: their files, and what they used of the machine.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "process/fork.hpp"

namespace bench {

/// A folder for files that end with the program.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "train-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      concord::fail(concord::Fault::io, "cannot make {}: {}", name, std::strerror(errno));
    folder_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};
inline const Scratch& scratch() {
  static const Scratch one;
  return one;
}

/// Runs a program to its end, without its output.
inline rusage run_child(const std::vector<std::string>& words) {
  concord::ForkedProcess child([&] {
    concord::redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
    return concord::become(words);
  });
  child.wait();
  if (child.status() != 0)
    concord::fail(concord::Fault::plugin, "{}: {}", fmt::join(words, " "),
                  concord::ending_text(child.status()));
  return child.used();
}

}  // namespace bench
