// SPDX-License-Identifier: MIT
#pragma once
// Errors with fields. Whoever shows an error chooses the words around it: the command line its exit code, --json an
// object, a library a status.
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace concord {

/// Who can mend it.
enum class Fault {
  input,        ///< what the user gave is wrong
  unsupported,  ///< the plugin cannot solve this problem
  unavailable,  ///< a named plugin or solver is not there or not usable
  io,           ///< a file cannot be read or written
  plugin,       ///< a plugin failed or lied while running
  interrupted   ///< the user asked for it
};
const char* name_of(Fault kind);

/// What an error is about.
struct About {
  std::string place = {};    ///< where it was found: "yeast.toml:3:12", "--set train.epochs=x"
  std::string subject = {};  ///< what is at fault: a file, a key, a plugin
  std::string remedy = {};   ///< what would help, as a sentence without its full stop
};

class Error : public std::runtime_error {
 public:
  /// The text is "PLACE: REASON. REMEDY" of what there is.
  Error(Fault kind, const std::string& reason, About about = {});

  Fault kind() const { return kind_; }
  const std::string& place() const { return about_.place; }
  const std::string& subject() const { return about_.subject; }
  const std::string& reason() const { return reason_; }
  const std::string& remedy() const { return about_.remedy; }

 private:
  Fault kind_;
  About about_;
  std::string reason_;
};

template <class... Args>
[[noreturn]] void fail(Fault kind, fmt::format_string<Args...> reason, Args&&... args) {
  throw Error(kind, fmt::format(reason, std::forward<Args>(args)...));
}
template <class... Args>
[[noreturn]] void fail(Fault kind, const About& about, fmt::format_string<Args...> reason, Args&&... args) {
  throw Error(kind, fmt::format(reason, std::forward<Args>(args)...), about);
}

/// Collects the errors of several steps, to report them all at once.
class ErrorList {
 public:
  template <class Step>
  void attempt(Step&& step) {
    try {
      step();
    } catch (const Error& e) {
      add(e);
    }
  }
  void add(const Error& error) { errors_.push_back(error); }
  void add(Fault kind, const std::string& reason, About about = {}) {
    errors_.emplace_back(kind, reason, std::move(about));
  }
  bool empty() const { return errors_.empty(); }
  const std::vector<Error>& all() const { return errors_; }
  /// The only error as it is. Several become one Error, with kind and subject of the first and every text, a line each.
  void throw_if_any() const;

 private:
  std::vector<Error> errors_;
};

/// "; did you mean X?" for the candidate nearest in edit distance, or nothing if none is near.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& candidates);

}  // namespace concord
