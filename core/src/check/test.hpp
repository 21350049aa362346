// SPDX-License-Identifier: MIT
#pragma once
// One test of the conformance suite: its name, its sentence, and what it may do with the plugin.
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/pinned.hpp"
#include "plugin/options.hpp"
#include "plugin/plugin.hpp"
#include "problem/problem.hpp"
#include "process/fork.hpp"

namespace concord::check {

/// The symbols that a shared library offers to others, read from the file without loading it.
std::vector<std::string> exported_symbols(const std::filesystem::path& file);

/// A flight recorder: memory that the child shares with the host, so that a crash leaves behind what the child was doing and
/// on which problem.
class Recorder : Pinned {
 public:
  Recorder();
  ~Recorder();

  void clear();
  void note(const char* doing);                        ///< "preparing", "solving": what is about to happen
  void note_problem(const CanonicalProblem& problem);  ///< and on what; too large ones are not kept

  std::string doing() const;
  std::optional<CanonicalProblem> problem() const;

 private:
  struct Page;
  Page* page_;
};

/// The plugin under examination, as one test sees it. Nothing is loaded before plugin() is called.
class Subject {
 public:
  /// `settings` are options that are not at their defaults.
  Subject(std::filesystem::path file, uint64_t seed, double seconds, Recorder& recorder,
          std::vector<Setting> settings = {});

  const std::filesystem::path& file() const { return file_; }
  const Plugin& plugin() { return *shared_plugin(); }
  /// For a thread that may outlive the test.
  std::shared_ptr<const Plugin> shared_plugin();
  /// The seed of the run, which every request carries, so that `decode --seed` asks the same.
  uint64_t seed() const { return seed_; }
  /// The seed of everything that one test generates: tests do not share random numbers.
  uint64_t seed_of(const char* what) const;
  /// Every option as the run has it, but for those given; Failure if a value is refused.
  OptionValues options(const std::vector<Setting>& settings = {});

  void note(const char* doing) { recorder_.note(doing); }
  void note_problem(const CanonicalProblem& problem) { recorder_.note_problem(problem); }
  /// As errors call it: "decoder/NAME", before it is loaded its file.
  std::string name() const { return plugin_ ? plugin_->id() : file_.string(); }
  /// Two thirds of the CPU time are used: what is left of a long sweep is left out.
  bool time_is_short();

 private:
  std::filesystem::path file_;
  uint64_t seed_;
  Stopwatch watch_;
  double short_;  ///< CPU seconds
  Recorder& recorder_;
  std::vector<Setting> settings_;
  std::shared_ptr<const Plugin> plugin_;
};

/// What an error says of a plugin, without its name in front: a report is about one plugin.
std::string complaint(const Error& error, const std::string& name);

/// For a child process: what a plugin prints is found by one test, and only disturbs the others.
void silence_standard_output();

/// Thrown by a test that does not apply.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a test that found a fault; the problem is the one on which a decoder erred, if one did.
struct Failure : std::runtime_error {
  explicit Failure(const std::string& what, std::optional<CanonicalProblem> on = std::nullopt)
      : std::runtime_error(what), problem(std::move(on)) {}
  std::optional<CanonicalProblem> problem;
};

struct Test {
  const char* id;
  const char* sentence;
  /// Returns a remark for the report ("1200 problems"), or throws Skip, Failure, or an Error about the plugin.
  std::string (*run)(Subject&);
  /// Without it no later test makes sense.
  bool gate = false;
};

/// The tests of a kind of plugin in the order in which they run; of kind 0 (unknown) those of any kind.
std::vector<Test> tests_of(int32_t kind);
/// Those of them whose problems another seed changes.
std::vector<Test> drawn_tests_of(int32_t kind);

// One list for each file of tests.
std::vector<Test> loading_tests();
std::vector<Test> answer_tests();        ///< what a decoder says of generated problems
std::vector<Test> family_tests();        ///< a native solve_family against the host's loop
std::vector<Test> repetition_tests();    ///< what must not change a decoder's answer
std::vector<Test> interruption_tests();  ///< stop, deadline, bad input
std::vector<Test> loss_tests();
std::vector<Test> rounding_tests();
std::vector<Test> option_tests();   ///< of any kind, once it runs
std::vector<Test> process_tests();  ///< of any kind: what the process looks like afterwards

}  // namespace concord::check
