// SPDX-License-Identifier: MIT
#pragma once
// Runs the concord executable as a user would.
#include <string>
#include <vector>

struct Ran {
  int exit_code = -1;  // 128 + signal number if it was killed
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::string> environment;  // "NAME=value", in addition to the caller's; "NAME" unsets
  std::string out_file;                  // standard output goes here instead
  double interrupt_after = 0;            // send SIGINT after so many seconds
  double kill_after = 0;                 // send SIGKILL after so many seconds
  bool closes_stderr = false;
  std::string in_file = "";  // standard input; none if empty
};

Ran concord(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// A folder of its own for this process, removed at its end; `file` writes a file into it and returns its
/// path.
std::string scratch();
std::string scratch_file(const std::string& name, const std::string& text);

/// All that is in the file.
std::string file_bytes(const std::string& file);
