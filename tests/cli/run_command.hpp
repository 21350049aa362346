// SPDX-License-Identifier: MIT
#pragma once
// Runs the concord executable as a user would.
#include <string>
#include <vector>

namespace cli {

struct Ran {
  int exit_code = -1;  // 128 + signal number if it was killed
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::string> environment = {};  // "NAME=value", in addition to the caller's; "NAME" unsets
  std::string out_file = {};                  // standard output goes here instead
  double interrupt_after = 0;                 // send the signal after so many seconds
  int interrupt_by = 2;                       // SIGINT
  double kill_after = 0;                      // send SIGKILL after so many seconds
  std::string kill_once_exists = {};  // send SIGKILL once this file exists, and kill_after has passed then
  bool closes_stderr = false;
  std::string in_file = {};  // standard input; none if empty
};

Ran concord(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// A folder of its own for the test case that runs, removed at its end.
std::string scratch();
/// The path of a new file there.
std::string scratch_file(const std::string& name, const std::string& text);
std::string bytes_of(const std::string& file);

/// A dataset of 6 features and 6 labels, generated once: the files begin with the path that is returned.
std::string planted_data(const std::string& name, int instances, int test_instances);

}  // namespace cli
