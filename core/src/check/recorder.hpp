// SPDX-License-Identifier: MIT
#pragma once
// A flight recorder: memory that the child shares with the host, so that a crash leaves behind what the child
// was doing and on which problem.
#include <optional>
#include <string>

#include "problem/problem.hpp"

namespace concord::check {

class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void clear();
  void note(const char* doing);                        ///< "preparing", "solving": what is about to happen
  void note_problem(const CanonicalProblem& problem);  ///< and on what; too large ones are not kept

  std::string doing() const;
  std::optional<CanonicalProblem> problem() const;

 private:
  struct Page;
  Page* page_;
};

}  // namespace concord::check
