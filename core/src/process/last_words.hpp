// SPDX-License-Identifier: MIT
#pragma once
// Why a program failed, as it tells the process that started it. The starter hands it a descriptor and names that in the
// environment; the program writes one JSON object there.
#include <exception>
#include <optional>
#include <string>

namespace concord {

struct LastWords {
  std::string text;
  bool out_of_memory = false;
};

/// In the program, with the exception that ends it; does nothing if nobody listens.
void leave_last_words(const std::exception& failure);

/// In the starter.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// For the child, before it becomes the program.
  void announce() const;
  /// What was said, once the program has ended.
  std::optional<LastWords> heard() const;

 private:
  int file_;
};

}  // namespace concord
