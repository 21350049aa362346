// SPDX-License-Identifier: MIT
#pragma once
// What training tells while it runs: one line that is rewritten on a terminal, plain lines elsewhere, JSON lines in
// a log.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/pinned.hpp"
#include "cli.hpp"

namespace concord {

class Progress : Pinned {
 public:
  /// `log` empty: none; `append`: after what it holds. Fault::io if it cannot be opened. Warnings are not progress:
  /// they come also when it is quiet.
  Progress(bool quiet, const std::filesystem::path& log, bool append);
  ~Progress();

  void operator()(const Json& event);

 private:
  void line(const std::string& text, bool passing);
  void finish_line();

  bool quiet_;
  bool terminal_;
  bool open_line_ = false;
  std::chrono::steady_clock::time_point last_line_{};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_;
};

/// 0.0312 s as "0.03 s", 4000 s as "1 h 07 min".
std::string duration_text(double seconds);
/// {"train.lambda_w": "0.1"} as "train.lambda_w = 0.1".
std::string chosen_text(const Json& chosen);
/// " +- 0.0066", or nothing if there is none.
std::string error_text(const Json& error);
/// "yes: ...", the sentence after "did the prior help?".
std::string verdict_text(const Json& verdict);

}  // namespace concord
