// SPDX-License-Identifier: MIT
#pragma once
// Runs tests on a plugin, each in a child process with a time limit, and says of each what came of it.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "check/test.hpp"

namespace concord::check {

enum class Verdict { pass, fail, crash, timeout, skip };
const char* verdict_name(Verdict verdict);
inline bool is_failure(Verdict verdict) {
  return verdict != Verdict::pass && verdict != Verdict::skip;
}

struct Report {
  std::string id;
  Verdict verdict = Verdict::skip;
  std::string reason;  ///< one line; of a pass a remark, or nothing
  double seconds = 0;
  bool on_a_problem = false;  ///< a problem shows the fault, and could be written
};

struct RunOptions {
  uint64_t seed = 1;
  double time_limit = 20;         ///< seconds for each test
  bool in_process = false;        ///< no child, no limit, no shrinking: for a debugger
  bool gates = true;              ///< after a test without which the others make no sense, leave them out
  int32_t kind = 0;               ///< of the plugin
  bool fail_fast = false;         ///< the first failure ends it
  std::vector<Setting> settings;  ///< options of the plugin that are not at their defaults
  std::filesystem::path out;      ///< where a failing problem is written; empty: nowhere
  std::string shown_file;         ///< the plugin, as the user would name it on a command line
};

/// What can be known of a plugin before its tests run.
struct Identity {
  int32_t kind = 0;  ///< 0: it does not load, and its file name does not tell
  std::string id;    ///< "decoder/spectral", or the path
  std::string version;
  std::string fault_of_settings;  ///< why its options do not take them; empty: they do
};
Identity identify(const std::filesystem::path& file, const std::vector<Setting>& settings, double seconds,
                  const RunControl& control);

/// Calls `each` after every test. Stops early at a stop request.
std::vector<Report> run_tests(const std::filesystem::path& file, const std::vector<Test>& tests,
                              const RunOptions& options, const RunControl& control,
                              const std::function<void(const Report&)>& each);

/// Completes the reason of a failed test of a decoder or a rounding: a wrong answer is described by the sentence of the small
/// problem, and the file with the problem and the command that replays it are named, if it is to be written. A problem that
/// does not fail on its own is not.
void add_evidence(Report& report, const CanonicalProblem& problem, const std::filesystem::path& file,
                  const RunOptions& options, const RunControl& control);

/// Where an author begins: the first failure, and how many of the others say the same but for their numbers and problems.
struct Beginning {
  const Report* report = nullptr;  ///< null: nothing failed
  int64_t alike = 0;               ///< failures like it, itself included
};
Beginning where_to_begin(const std::vector<Report>& reports);

}  // namespace concord::check
