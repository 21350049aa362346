// SPDX-License-Identifier: MIT
#pragma once
// Other programs as competitors: their files, and what they used of the machine.
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "process/fork.hpp"
#include "tests/unit/folder.hpp"

namespace bench {

/// A file that ends with the program.
inline std::string scratch_file(const std::string& name) {
  static const concord::test::Folder folder;
  return (folder / name).string();
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
