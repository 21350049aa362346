// SPDX-License-Identifier: MIT
#pragma once
// Errors that end a verb. The code is the exit code of the command line.
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace concord {

enum class Exit {
  done = 0,
  negative = 1,     // check failed, comparison with failed rows
  input = 2,        // bad input or usage, or a problem that the plugin cannot solve
  unavailable = 3,  // a named plugin or solver is not there or not usable
  io = 4,
  plugin = 5,  // a plugin failed or lied while running
  interrupted = 130
};

class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

template <class... Args>
[[noreturn]] void fail(Exit code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

/// Collects the errors of several steps, to report them all at once.
class ErrorList {
 public:
  template <class Step>
  void attempt(Step&& step) {
    try {
      step();
    } catch (const Error& e) {
      add(e.code(), e.what());
    }
  }
  void add(Exit code, const std::string& sentence) {
    if (sentences_.empty()) code_ = code;
    sentences_.push_back(sentence);
  }
  bool empty() const { return sentences_.empty(); }
  /// One Error with every sentence, a line each; its code is the first one's.
  void throw_if_any() const {
    if (!sentences_.empty()) throw Error(code_, fmt::format("{}", fmt::join(sentences_, "\n")));
  }

 private:
  std::vector<std::string> sentences_;
  Exit code_ = Exit::done;
};

/// "; did you mean X?" for the candidate nearest in edit distance, or nothing if none is near.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& candidates);

}  // namespace concord
