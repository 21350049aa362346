// SPDX-License-Identifier: MIT
#pragma once
// A process that runs the code of plugins, and one that watches it. Whatever that code does to its own process, the watcher
// lives, knows which plugin was at work, and can say so.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/pinned.hpp"

namespace concord {

/// While it lives, this thread runs the code of a plugin. Cheap, as it is used around every call; without a watcher it does
/// nothing.
class ForeignCode : Pinned {
 public:
  /// `whose` is "decoder/mine" or a file, `doing` reads on after "in": "solve", "its constructors".
  ForeignCode(std::string_view whose, std::string_view doing);
  ~ForeignCode();

  struct Slot;  ///< of the memory that the watcher sees
 private:
  Slot* slot_;
};

/// For words that could not be written because the descriptors were gone: the watcher gets them. What comes after a few
/// thousand bytes is lost. False if nobody watches.
bool leave_to_watcher(std::string_view words);

/// For a thread of foreign code that pthread_exit unwinds, which cannot be kept: whoever waits for its work would wait
/// forever. Ends the process.
[[noreturn]] void end_with_thread(std::string_view whose, std::string_view doing);

/// The process is about to end with this code by its own decision. Safe in a signal handler.
void announce_exit(int code);

/// How a watched process ended.
struct WatchedEnd {
  std::optional<int>
      code;  ///< what `work` returned or announced, or nothing if it did not get that far. Foreign code that
             ///< looks for the place can forge it
  int status = 0;       ///< as waitpid gives it
  std::string at_work;  ///< "decoder/mine in solve" of the foreign code that was running, or nothing
  std::string words;    ///< of leave_to_watcher
};

/// Runs `work` in a child process of the same group and waits for its end. SIGINT, SIGTERM and SIGHUP are handed on to the
/// child. The child dies with this process, and what the child has started dies with the child. Call it while
/// single-threaded. Fault::io if there is no process.
WatchedEnd run_watched(const std::function<int()>& work);

}  // namespace concord
